import type { Attempt } from '../../domain/attempt.js';
import type { CreditsNano, CreditsRange } from '../../domain/money.js';
import { isRecordOf, type RowRecord } from '../../domain/outcome.js';
import type { Row } from '../../domain/row.js';
import { isKnownUnbilled, standingOf } from '../../domain/standing.js';
import type { KnownRender } from '../../home/gather-renders.js';

/** Which earlier renders stand for rows: none, those whose inputs are known by their bytes, or all. */
export type ReuseOrder = 'none' | 'bytes' | 'urls';

/** An earlier render that is not what was stored any more. */
export interface RenderFlaw {
  batch: string;
  /** Relative to the batch's folder; absent where its record is not there any more. */
  file?: string;
  flaw: 'gone' | 'changed' | 'unreadable';
}

/** What was rendered for the same requests before. */
export interface FoundRenders {
  order: ReuseOrder;
  /** Rows that have an earlier render, and what those cost. */
  rows: number;
  creditsNano: CreditsNano;
  creditsUnknown: number;
  /** By batch: how many of its renders, and when the last of them ended. */
  batches: Map<string, { rows: number; lastMs: number }>;
  /** Rows that only an order for inputs behind URLs covers. */
  urlRows: number;
  /** Rows that are rendered since their renders are not what was stored any more, and the first of those. */
  lostCount: number;
  lost: RenderFlaw[];
  sources: RenderSources;
}

/** What is known of the manifest once it was read. */
export interface ManifestFacts {
  /** By index. */
  finishedBefore: readonly boolean[];
  onReused(row: Candidate): void;
  onElsewhere(row: Candidate): void;
}

/** A row that would be submitted and asks for something that was asked for before. */
export interface Candidate extends Pick<Row, 'index' | 'id' | 'kind' | 'group'> {
  key: string;
  /** At list price; null where it is not known. */
  price: CreditsRange | null;
  /** It has inputs behind URLs, whose bytes nobody has read. */
  hasUrls: boolean;
}

/** Where a row's earlier render is. */
export interface RenderSource {
  batch: string;
  id: string;
  /** When it ended: which one it is of its row's renders. */
  atMs: number;
}

/** Which earlier render each row has, by the row's index; a million fit. */
export interface RenderSources {
  set(index: number, source: RenderSource): void;
  get(index: number): RenderSource | undefined;
  count(): number;
}

export function newFound(order: ReuseOrder): FoundRenders {
  const counts = { rows: 0, creditsNano: 0, creditsUnknown: 0, urlRows: 0, lostCount: 0 };
  return { order, ...counts, batches: new Map(), lost: [], sources: createRenderSources() };
}

/** The earlier renders that are taken over; undefined where none is. */
export function takenOver(found: FoundRenders | undefined): RenderSources | undefined {
  const isOrdered = found !== undefined && found.order !== 'none' && found.sources.count() > 0;
  return isOrdered ? found.sources : undefined;
}

export function createRenderSources(): RenderSources {
  const batches: string[] = [];
  const numbers = new Map<string, number>();
  const batchOf: number[] = [];
  const ids: string[] = [];
  const times: number[] = [];
  let count = 0;
  return {
    set(index, { batch, id, atMs }) {
      const number = numbers.get(batch) ?? batches.push(batch) - 1;
      numbers.set(batch, number);
      batchOf[index] = number;
      ids[index] = id;
      times[index] = atMs;
      count += 1;
    },
    get(index) {
      const id = ids[index];
      const batch = batches[batchOf[index] ?? -1];
      const atMs = times[index];
      return id === undefined || batch === undefined || atMs === undefined ? undefined : { batch, id, atMs };
    },
    count: () => count,
  };
}

/** The rows and the renders of one request. */
export interface RenderGroup {
  rows: Candidate[];
  renders: KnownRender[];
  /** How many of the same are at the service just now. */
  underWay: number;
}

export interface Matched {
  row: Candidate;
  /** Undefined where none is left for the row. */
  render: KnownRender | undefined;
}

/**
 * Gives each render to one row: to the row of the same id first, the others in their own order to the rows in theirs.
 * `isWhole` is asked of a render before it is given; one that is not is given to nobody.
 */
export async function matchRenders(
  { rows, renders }: RenderGroup,
  isWhole: (render: KnownRender) => Promise<boolean>,
): Promise<Matched[]> {
  const given = new Map<Candidate, KnownRender>();
  const left = new Set(renders);
  const take = async (row: Candidate, render: KnownRender): Promise<void> => {
    left.delete(render);
    if (await isWhole(render)) given.set(row, render);
  };
  const byId = groupedById(renders);
  for (const row of rows) {
    for (const render of byId.get(row.id) ?? []) if (!given.has(row)) await take(row, render);
  }
  const others = left.values();
  for (const row of rows) {
    while (!given.has(row)) {
      const { value: render, done } = others.next();
      if (done || render === undefined) break;
      await take(row, render);
    }
  }
  return rows.map((row) => ({ row, render: given.get(row) }));
}

function groupedById(renders: readonly KnownRender[]): Map<string, KnownRender[]> {
  const byId = new Map<string, KnownRender[]>();
  for (const render of renders) byId.set(render.id, [...(byId.get(render.id) ?? []), render]);
  return byId;
}

/**
 * Whether an earlier render may stand for a row: nothing was paid for it here, and what it has is of other values. One
 * that a person ordered again is to be another take. Pure.
 */
export function mayTakeOver(
  { hash }: { hash: string },
  record: RowRecord | undefined,
  attempts: readonly Attempt[],
): boolean {
  if (!attempts.every((attempt) => isKnownUnbilled(standingOf(attempt)))) return false;
  if (record?.status === 'done') return !isRecordOf(record, hash) && record.rerunAtMs === undefined;
  return record?.status !== 'review';
}
