import type { Json, JsonObject } from '../domain/json.js';

/** JSON that remembers where each value stands, so that a message can name line and column. */
interface LocatedJson {
  value: Json;
  /** The 1-based place of the value at a path, of the name for a field of an object; `''` is the whole. */
  placeOf(path: readonly PropertyKey[]): TextPlace;
}

interface TextPlace {
  line: number;
  column: number;
}

export class JsonTextError extends Error {
  override readonly name = 'JsonTextError';
  constructor(
    readonly place: TextPlace,
    message: string,
  ) {
    super(message);
  }
}

const DEPTH_MAX = 64;
const SPACE = /[ \t\r\n]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them inside a text.
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const LITERAL = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;

/** Reads JSON as RFC 8259 has it; a name that stands twice in an object is an error. Throws `JsonTextError`. */
export function readJsonText(text: string): LocatedJson {
  const offsets = new Map<string, number>();
  let at = 0;

  const value = readValue([]);
  skip(SPACE);
  if (at < text.length) fail('expected the end of the file');
  return { value, placeOf: (path) => placeAt(text, nearestOffset(path)) };

  function readValue(path: string[]): Json {
    skip(SPACE);
    const key = path.join('\n');
    if (!offsets.has(key)) offsets.set(key, at);
    if (path.length > DEPTH_MAX) fail(`nested deeper than ${DEPTH_MAX} levels`);
    if (text[at] === '{') return readObject(path);
    if (text[at] === '[') return readList(path);
    const token = take(text[at] === '"' ? STRING : LITERAL);
    if (token === undefined)
      fail(text[at] === '"' ? 'this text is not closed or has a bad escape' : 'expected a value');
    return JSON.parse(token) as Json;
  }

  function readObject(path: string[]): JsonObject {
    const entries: [string, Json][] = [];
    at += 1;
    if (closes('}')) return {};
    do {
      skip(SPACE);
      const start = at;
      const token = take(STRING);
      if (token === undefined) fail('expected a name in double quotes');
      const name = JSON.parse(token) as string;
      if (entries.some(([known]) => known === name)) failAt(start, `'${name}' stands here twice`);
      offsets.set([...path, name].join('\n'), start);
      skip(SPACE);
      if (text[at] !== ':') fail("expected ':'");
      at += 1;
      entries.push([name, readValue([...path, name])]);
    } while (continues('}'));
    return Object.fromEntries(entries);
  }

  function readList(path: string[]): Json[] {
    const items: Json[] = [];
    at += 1;
    if (closes(']')) return items;
    do {
      items.push(readValue([...path, String(items.length)]));
    } while (continues(']'));
    return items;
  }

  function closes(bracket: string): boolean {
    skip(SPACE);
    if (text[at] !== bracket) return false;
    at += 1;
    return true;
  }

  function continues(bracket: string): boolean {
    if (closes(bracket)) return false;
    if (text[at] !== ',') fail(`expected ',' or '${bracket}'`);
    at += 1;
    return true;
  }

  function skip(pattern: RegExp): void {
    take(pattern);
  }

  function take(pattern: RegExp): string | undefined {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  }

  function fail(message: string): never {
    return failAt(at, at >= text.length ? 'the file ends too early' : message);
  }

  function failAt(offset: number, message: string): never {
    throw new JsonTextError(placeAt(text, offset), message);
  }

  /** A path that is not there (a missing field) is shown at the nearest thing around it. */
  function nearestOffset(path: readonly PropertyKey[]): number {
    for (let length = path.length; length >= 0; length -= 1) {
      const offset = offsets.get(path.slice(0, length).map(String).join('\n'));
      if (offset !== undefined) return offset;
    }
    return 0;
  }
}

function placeAt(text: string, offset: number): TextPlace {
  const before = text.slice(0, offset);
  const lastBreak = before.lastIndexOf('\n');
  return { line: before.split('\n').length, column: offset - lastBreak };
}
