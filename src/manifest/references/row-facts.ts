import type { Kind } from '../../domain/kind.js';
import type { Row } from '../../domain/row.js';
import { askedOutput } from '../../kinds/expected.js';
import type { AskedOutput } from '../../kinds/fact.js';
import { KINDS } from '../../kinds/facts.js';

/** What the rows that refer to a row must know of it. */
export interface RowFacts {
  line: number;
  kind: Kind;
  /** As far as the row asks for it. */
  output: AskedOutput;
}

/** Keeps a few facts of every row of a manifest, by its index, in 56 bytes each, so that a million rows fit. */
export interface RowFactsBook {
  add(index: number, row: Pick<Row, 'line' | 'kind' | 'cells'>): void;
  get(index: number): RowFacts;
  setHash(index: number, hash: string): void;
  hash(index: number): string;
  /** How many rows the longest chain has that ends with this one; 1 for a row that nothing feeds. */
  depth(index: number): number;
  setDepth(index: number, depth: number): void;
  /** The index of the row that renders it. */
  renderer(index: number): number;
  setRenderer(index: number, renderer: number): void;
  /** A number of the caller's for the chain that ends with the row. */
  path(index: number): number;
  setPath(index: number, path: number): void;
  /** The index of another row of the same chain, towards one that stands for all of them: itself. */
  chain(index: number): number;
  setChain(index: number, other: number): void;
}

const ROWS = 4_096;
const AT = {
  line: 0,
  kind: 4,
  depth: 5,
  width: 6,
  height: 8,
  seconds: 10,
  shares: 14,
  path: 18,
  chain: 20,
  hash: 24,
} as const;
const BYTES = AT.hash + 32;

export function createRowFacts(): RowFactsBook {
  const chunks: Buffer[] = [];

  function place(index: number): [Buffer, number] {
    const at = Math.floor(index / ROWS);
    const chunk = chunks[at] ?? Buffer.alloc(ROWS * BYTES);
    chunks[at] = chunk;
    return [chunk, (index % ROWS) * BYTES];
  }

  return {
    add(index, { line, kind, cells }) {
      const { width = 0, height = 0, seconds = 0 } = askedOutput({ kind, cells });
      const [chunk, start] = place(index);
      chunk.writeUInt32LE(line, start + AT.line);
      chunk.writeUInt8(KINDS.indexOf(kind), start + AT.kind);
      chunk.writeUInt8(1, start + AT.depth);
      // A value that does not fit has been refused in its own row.
      chunk.writeUInt16LE(width <= 0xffff ? width : 0, start + AT.width);
      chunk.writeUInt16LE(height <= 0xffff ? height : 0, start + AT.height);
      chunk.writeFloatLE(seconds, start + AT.seconds);
    },
    get(index) {
      const [chunk, start] = place(index);
      const [width, height] = [chunk.readUInt16LE(start + AT.width), chunk.readUInt16LE(start + AT.height)];
      const seconds = chunk.readFloatLE(start + AT.seconds);
      return {
        line: chunk.readUInt32LE(start + AT.line),
        kind: KINDS[chunk.readUInt8(start + AT.kind)] ?? KINDS[0],
        output: { ...(width > 0 && height > 0 ? { width, height } : {}), ...(seconds > 0 ? { seconds } : {}) },
      };
    },
    setHash(index, hash) {
      const [chunk, start] = place(index);
      chunk.write(hash, start + AT.hash, 'hex');
    },
    hash(index) {
      const [chunk, start] = place(index);
      return chunk.toString('hex', start + AT.hash, start + BYTES);
    },
    depth(index) {
      const [chunk, start] = place(index);
      return chunk.readUInt8(start + AT.depth);
    },
    setDepth(index, depth) {
      const [chunk, start] = place(index);
      chunk.writeUInt8(Math.min(depth, 0xff), start + AT.depth);
    },
    renderer(index) {
      const [chunk, start] = place(index);
      const shares = chunk.readUInt32LE(start + AT.shares);
      return shares === 0 ? index : shares - 1;
    },
    setRenderer(index, renderer) {
      const [chunk, start] = place(index);
      chunk.writeUInt32LE(renderer + 1, start + AT.shares);
    },
    path(index) {
      const [chunk, start] = place(index);
      return chunk.readUInt16LE(start + AT.path);
    },
    setPath(index, path) {
      const [chunk, start] = place(index);
      chunk.writeUInt16LE(path, start + AT.path);
    },
    chain(index) {
      const [chunk, start] = place(index);
      const other = chunk.readUInt32LE(start + AT.chain);
      return other === 0 ? index : other - 1;
    },
    setChain(index, other) {
      const [chunk, start] = place(index);
      chunk.writeUInt32LE(other + 1, start + AT.chain);
    },
  };
}
