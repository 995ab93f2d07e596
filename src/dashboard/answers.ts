import type { Kind } from '../domain/kind.js';
import type { Flag, OutputFile } from '../domain/outcome.js';

/** What the server answers, as the page reads it: types alone. Times are epoch ms. */

/**
 * One row of the table, without what its request is made of: all rows of a large batch are held at once. Times are epoch
 * ms; credits a decimal string, null where they are not known.
 */
export interface PageRow {
  index: number;
  id: string;
  title: string;
  kind: Kind;
  model: string;
  group: string;
  prompt: string;
  status: string;
  reasonCode: string;
  reason: string;
  /** As its results have them. */
  flags: readonly Flag[];
  needsPerson: boolean;
  credits: string | null;
  /** Claims so far, as its record has them. */
  attempts: number;
  files: readonly OutputFile[];
  /** What feeds it. */
  fed: readonly { id: string; at: number }[];
  /** It has the output of another row that asks for the same. */
  isShared: boolean;
  submittedAtMs: number | null;
  renderedAtMs: number | null;
  finishedAtMs: number | null;
}

/** The same as it is sent: with the addresses of its files, and without what only the server needs. */
export interface ShownRow extends Omit<PageRow, 'fed' | 'isShared' | 'files'> {
  files: (OutputFile & { url: string })[];
}

export interface ChainLink {
  id: string;
  title: string;
  status: string;
}

export interface RowChain {
  fedBy: ChainLink[];
  feeds: ChainLink[];
}

/**
 * `verdict`: kept for a lost answer; `paused`: by a person, or for want of credits or a key; `requests`: the plan's
 * requests per minute were used up; `idle`: no row was ready to be sent; `unknown`: no record says.
 */
export type GapCause = 'verdict' | 'paused' | 'requests' | 'idle' | 'unknown';

export interface Gaps {
  widthMs: number;
  /** Slots on average, by bin. */
  values: Record<GapCause, number[]>;
  /** Slots × ms over all. */
  totals: Record<GapCause, number>;
}

interface Bins {
  widthMs: number;
  values: number[];
}

/** What a batch did when, for the Time view. Times are epoch ms. */
export interface BatchTime {
  fromMs: number;
  toMs: number;
  /** Rows that held a slot, earliest first, the first ones of a large batch. */
  held: { id: string; status: string; startMs: number; endMs: number }[];
  heldCount: number;
  /** Slots held on average, of each bin. */
  slots: Bins;
  /** Rows submitted per minute, of each bin: each row's last submit, also where it takes no slot. No poll is on record. */
  submits: Bins;
  /** The slots that it did not use, by cause; null where the plan's number of them is not known. */
  gaps: Gaps | null;
  /** Of the plan, as it was read last; null where the service did not say. */
  concurrent: number | null;
  rpm: number | null;
  /** Credits as a number: a picture needs no more. */
  balance: [number, number][];
  /** What rows cost, at the end of their renders; those of a large batch are added up. */
  charges: [number, number][];
  /** Rows that were sent and of which nobody knows what they cost. */
  unpriced: number;
}
