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
const AT = { line: 0, kind: 4, depth: 5, width: 6, height: 8, seconds: 10, shares: 14, path: 18, chain: 20, hash: 24 };
const BYTES = AT.hash + 32;

export function createRowFacts(): RowFactsBook {
  const chunks: Buffer[] = [];

  function place(index: number): [Buffer, number] {
    const at = Math.floor(index / ROWS);
    chunks[at] ??= Buffer.alloc(ROWS * BYTES);
    return [chunks[at], (index % ROWS) * BYTES];
  }

  function field(at: number, type: 'UInt8' | 'UInt16LE' | 'UInt32LE' | 'FloatLE') {
    return {
      get(index: number): number {
        const [chunk, start] = place(index);
        return chunk[`read${type}`](start + at);
      },
      set(index: number, value: number): void {
        const [chunk, start] = place(index);
        chunk[`write${type}`](value, start + at);
      },
    };
  }

  const line = field(AT.line, 'UInt32LE');
  const kindPlace = field(AT.kind, 'UInt8');
  const [width, height] = [field(AT.width, 'UInt16LE'), field(AT.height, 'UInt16LE')];
  const seconds = field(AT.seconds, 'FloatLE');
  const depth = field(AT.depth, 'UInt8');
  const path = field(AT.path, 'UInt16LE');
  /** From 1 on: 0 is the row itself. */
  const [shares, chain] = [field(AT.shares, 'UInt32LE'), field(AT.chain, 'UInt32LE')];

  return {
    add(index, { line: at, kind, cells }) {
      const asked = askedOutput({ kind, cells });
      line.set(index, at);
      kindPlace.set(index, KINDS.indexOf(kind));
      depth.set(index, 1);
      // A value that does not fit has been refused in its own row.
      width.set(index, (asked.width ?? 0) <= 0xffff ? (asked.width ?? 0) : 0);
      height.set(index, (asked.height ?? 0) <= 0xffff ? (asked.height ?? 0) : 0);
      seconds.set(index, asked.seconds ?? 0);
    },
    get(index) {
      const size = { width: width.get(index), height: height.get(index) };
      const asked = seconds.get(index);
      return {
        line: line.get(index),
        kind: KINDS[kindPlace.get(index)] ?? KINDS[0],
        output: { ...(size.width > 0 && size.height > 0 ? size : {}), ...(asked > 0 ? { seconds: asked } : {}) },
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
    depth: depth.get,
    setDepth: (index, value) => depth.set(index, Math.min(value, 0xff)),
    renderer: (index) => (shares.get(index) || index + 1) - 1,
    setRenderer: (index, renderer) => shares.set(index, renderer + 1),
    path: path.get,
    setPath: path.set,
    chain: (index) => (chain.get(index) || index + 1) - 1,
    setChain: (index, other) => chain.set(index, other + 1),
  };
}
