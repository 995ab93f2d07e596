/** Where the value of one top-level field of a JSON object stands in its text. */
export interface JsonField {
  name: string;
  start: number;
  end: number;
}

/**
 * The top-level fields of a JSON object in the order of the text, repeated ones included, which `JSON.parse` hides.
 * The text must be valid JSON and an object; numbers keep their digits, so that `1e3` can be told from `1000`.
 */
export function jsonFields(text: string): JsonField[] {
  const fields: JsonField[] = [];
  let at = text.indexOf('{') + 1;
  for (;;) {
    at = skipBlanks(text, at);
    if (at >= text.length || text[at] === '}') return fields;
    const keyEnd = stringEnd(text, at);
    const name: unknown = JSON.parse(text.slice(at, keyEnd));
    const start = skipBlanks(text, skipBlanks(text, keyEnd) + 1);
    const end = valueEnd(text, start);
    fields.push({ name: String(name), start, end });
    at = skipBlanks(text, end);
    if (text[at] === ',') at += 1;
  }
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 32) at += 1;
  return at;
}

/** The position behind the string that opens at `from`. */
function stringEnd(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function valueEnd(text: string, from: number): number {
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const character = text[at];
    if (character === '"') {
      at = stringEnd(text, at);
      if (depth === 0) return at;
      continue;
    }
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      if (depth === 0) return trimEnd(text, from, at);
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (character === ',' && depth === 0) return trimEnd(text, from, at);
    at += 1;
  }
  return at;
}

function trimEnd(text: string, from: number, to: number): number {
  let end = to;
  while (end > from && text.charCodeAt(end - 1) <= 32) end -= 1;
  return end;
}
