import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Json } from '../domain/json.js';

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

/** What the parser found first, in words; anything else is a value that it could not read. */
const SENTENCES: Readonly<Record<string, string>> = {
  PropertyNameExpected: 'expected a name in double quotes',
  ColonExpected: "expected ':'",
  CommaExpected: "expected ',' or the closing bracket",
  EndOfFileExpected: 'expected the end of the file',
  UnexpectedEndOfString: 'this text is not closed',
  InvalidUnicode: 'this text has a bad escape',
  InvalidEscapeCharacter: 'this text has a bad escape',
  InvalidCharacter: 'this text has a control character, which JSON wants escaped',
  InvalidCommentToken: 'JSON has no comments',
};

/** Reads JSON as RFC 8259 has it; a name that stands twice in an object is an error. Throws `JsonTextError`. */
export function readJsonText(text: string): LocatedJson {
  const tree = treeOf(text);
  const twin = twinIn(tree);
  if (twin !== undefined) throw new JsonTextError(placeAt(text, twin.offset), `'${twin.value}' stands here twice`);
  return { value: JSON.parse(text) as Json, placeOf: (path) => placeAt(text, offsetOf(tree, path)) };
}

function treeOf(text: string): Node {
  const errors: ParseError[] = [];
  let tree: Node | undefined;
  try {
    tree = parseTree(text, errors, { disallowComments: true });
  } catch (error) {
    // The parser calls itself for each level.
    if (!(error instanceof RangeError)) throw error;
    throw new JsonTextError({ line: 1, column: 1 }, 'nested too deep');
  }
  const [first] = errors;
  if (first === undefined && tree !== undefined) return tree;
  const { offset, error } = first ?? { offset: 0, error: undefined };
  const why = (error && SENTENCES[printParseErrorCode(error)]) ?? 'expected a value or a name in double quotes';
  throw new JsonTextError(placeAt(text, offset), offset >= text.length ? 'the file ends too early' : why);
}

/** The second of two equal names in one object. */
function twinIn({ type, children = [] }: Node): Node | undefined {
  const names = new Set<unknown>();
  for (const child of children) {
    const [name] = child.children ?? [];
    if (type === 'object' && name !== undefined && names.has(name.value)) return name;
    names.add(name?.value);
    const below = twinIn(child);
    if (below !== undefined) return below;
  }
  return undefined;
}

/** A path that is not there (a missing field) is shown at the nearest thing around it. */
function offsetOf(tree: Node, path: readonly PropertyKey[]): number {
  const segments = path.map((one) => (typeof one === 'number' ? one : String(one)));
  for (let length = segments.length; length > 0; length -= 1) {
    const node = findNodeAtLocation(tree, segments.slice(0, length));
    if (node !== undefined) return node.parent?.type === 'property' ? node.parent.offset : node.offset;
  }
  return tree.offset;
}

function placeAt(text: string, offset: number): TextPlace {
  const before = text.slice(0, offset);
  const lastBreak = before.lastIndexOf('\n');
  return { line: before.split('\n').length, column: offset - lastBreak };
}
