/** Finds one string in a JSON text that was cut, and believes it only when it is whole. */

/** Documented answers nest at most five deep; what nests deeper is not one of them. */
const DEPTH_MAX = 32;

interface Frame {
  object: boolean;
  /** The last key read, in an object. */
  key: string | undefined;
  awaitsKey: boolean;
}

/**
 * The complete string value at `path` (object keys from the root), or undefined. The scan follows the nesting, so a
 * field of the same name elsewhere, or the same text inside a string, is never taken for it.
 */
export function salvageString(partial: Uint8Array, path: readonly string[]): string | undefined {
  const text = new TextDecoder('utf-8').decode(partial);
  const frames: Frame[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    const top = frames.at(-1);
    if (character === '{' || character === '[') {
      if (frames.length === DEPTH_MAX) return undefined;
      frames.push({ object: character === '{', key: undefined, awaitsKey: character === '{' });
    } else if (character === '}' || character === ']') {
      frames.pop();
    } else if (character === ',' && top?.object) {
      top.awaitsKey = true;
    } else if (character === '"') {
      const end = closingQuote(text, at);
      if (end === undefined) return undefined;
      const value = unquote(text.slice(at, end + 1));
      if (value === undefined) return undefined;
      if (top?.awaitsKey) {
        top.key = value;
        top.awaitsKey = false;
      } else if (isAt(frames, path)) {
        return value.trim() === '' || value.includes('\ufffd') ? undefined : value;
      }
      at = end;
    }
  }
  return undefined;
}

function isAt(frames: readonly Frame[], path: readonly string[]): boolean {
  return frames.length === path.length && frames.every((frame, depth) => frame.object && frame.key === path[depth]);
}

function closingQuote(text: string, start: number): number | undefined {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
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
