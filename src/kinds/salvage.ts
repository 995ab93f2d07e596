/** Finds one string, or one number, in a JSON text that may have been cut. */

/** Documented answers nest at most five deep; what nests deeper is not one of them. */
const DEPTH_MAX = 32;
/** Shorter lines of base64 are none: they are words with blanks between them. */
const LINE_MIN = 32;

/** Keys and positions from the root: `['data', 0, 'url']`. */
type Path = readonly (string | number)[];

interface Frame {
  object: boolean;
  /** The last key read in an object, the position in an array. */
  at: string | number | undefined;
  awaitsKey: boolean;
}

/** The complete string value at `path`, or undefined. */
export function salvageString(partial: Uint8Array, path: Path): string | undefined {
  const found = stringAt(partial, path);
  if (!found?.isWhole) return undefined;
  return found.value.trim() === '' || found.value.includes('\ufffd') ? undefined : found.value;
}

/**
 * The handle at `path`: a complete string, or the digits of a complete whole number as they stand in the text, since a
 * parser rounds those beyond 2^53.
 */
export function salvageHandle(partial: Uint8Array, path: Path): string | undefined {
  return salvageString(partial, path) ?? stringAt(partial, path, true)?.value;
}

/** The bytes whose base64 stands at `path`, as far as it goes; whether they are a whole file is for others to judge. */
export function salvageBytes(partial: Uint8Array, path: Path): Buffer | undefined {
  const found = stringAt(partial, path);
  const base64 = found && plainBase64(found.isWhole ? found.value : unescaped(found.value));
  // A last group that was cut is dropped.
  return base64 === undefined ? undefined : Buffer.from(base64, 'base64');
}

/** What base64 can have escaped, in a string that was cut. */
function unescaped(text: string): string {
  return text.replaceAll('\\/', '/').replaceAll(/\\(?:[nrt]|$)/g, '\n');
}

/** The text without a `data:` prefix where it is base64 of something, in either alphabet and perhaps in lines, else undefined. */
export function plainBase64(text: string): string | undefined {
  const plain = text.startsWith('data:') ? text.slice(text.indexOf(',') + 1) : text;
  const lines = plain.trim().split(/\s+/);
  const last = lines.pop()?.replace(/={1,2}$/, '') ?? '';
  const isLong = last.length >= 2 || lines.length > 0;
  const isBase64 = isLong && lines.every((line) => line.length >= LINE_MIN) && [...lines, last].every(isIn);
  return isBase64 ? plain : undefined;
}

/** Looks for the one that is not: a pattern for all characters runs out of stack at some million of them. */
function isIn(line: string): boolean {
  return !/[^\w+/-]/.test(line);
}

/**
 * The scan follows the nesting from the root object, so a field of the same name elsewhere, the same text inside a
 * string, or JSON inside a page is never taken for it.
 */
function stringAt(partial: Uint8Array, path: Path, isNumber = false): { value: string; isWhole: boolean } | undefined {
  const text = new TextDecoder('utf-8').decode(partial).trimStart();
  if (!text.startsWith('{')) return undefined;
  const frames: Frame[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    const top = frames.at(-1);
    if (character === '{' || character === '[') {
      if (frames.length === DEPTH_MAX) return undefined;
      const object = character === '{';
      frames.push({ object, at: object ? undefined : 0, awaitsKey: object });
    } else if (character === '}' || character === ']') {
      frames.pop();
      // What follows the root object is not of the answer.
      if (frames.length === 0) return undefined;
    } else if (character === ',' && top) {
      if (typeof top.at === 'number') top.at += 1;
      else top.awaitsKey = true;
    } else if (character === '"') {
      const isValue = !top?.awaitsKey;
      const end = closingQuote(text, at);
      if (end === undefined) {
        return isValue && !isNumber && isAt(frames, path) ? { value: text.slice(at + 1), isWhole: false } : undefined;
      }
      const value = unquote(text.slice(at, end + 1));
      if (value === undefined) return undefined;
      if (isValue && !isNumber && isAt(frames, path)) return { value, isWhole: true };
      if (top && !isValue) {
        top.at = value;
        top.awaitsKey = false;
      }
      at = end;
    } else if (character !== undefined && BARE.test(character)) {
      const end = endOfBare(text, at);
      const value = text.slice(at, end);
      // A number that was cut has nothing behind it.
      const isWhole = WHOLE_NUMBER.test(value) && end < text.length;
      if (isNumber && isWhole && top?.awaitsKey === false && isAt(frames, path)) return { value, isWhole };
      at = end - 1;
    }
  }
  return undefined;
}

/** What numbers, `true`, `false` and `null` are made of. */
const BARE = /[\w.+-]/;
const WHOLE_NUMBER = /^[1-9]\d*$/;

function endOfBare(text: string, start: number): number {
  let end = start;
  while (end < text.length && BARE.test(text.charAt(end))) end += 1;
  return end;
}

function isAt(frames: readonly Frame[], path: Path): boolean {
  return frames.length === path.length && frames.every((frame, depth) => frame.at === path[depth]);
}

function closingQuote(text: string, start: number): number | undefined {
  for (let at = text.indexOf('"', start + 1); at > 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return undefined;
}

function unquote(quoted: string): string | undefined {
  try {
    const value: unknown = JSON.parse(quoted);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
