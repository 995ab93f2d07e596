import { defined } from '../domain/defined.js';
import type { Json } from '../domain/json.js';
import type { Kind } from '../domain/kind.js';
import type { PriceComponent, PriceUnit } from '../domain/price.js';
import type { Media, Row } from '../domain/row.js';

/** The facts of a family: what is constant of each of its kinds. Pure, and without the columns or the wire. */
export type FamilyFacts = Readonly<Record<string, KindFacts>>;

/** What is true of every row of a kind or follows from the row itself; prices, checks of outputs and waits go by it. */
export type KindFacts = SyncFacts | AsyncFacts;

/** The answer to the submit is the result. */
export interface SyncFacts extends CommonFacts {
  readonly flow: 'sync';
  /** It holds none of the plan's simultaneous jobs while it runs (service document 1, Limits). */
  readonly takesNoSlot?: true;
  /** The documented end of the call, ms with the way of its answer. */
  readonly answerMaxMs?: number;
}

/** The submit gives a handle; polls give the result. */
export interface AsyncFacts extends CommonFacts {
  readonly flow: 'async';
  /** The shortest documented gap between polls, ms (service document 2, "What the service does", 2). */
  readonly pollBaseMs: number;
  /** The documented wait of a client for an answer to the submit, ms; five minutes where none is shown. */
  readonly answerMaxMs?: number;
  /** The longest documented render, ms; an hour where none is shown. */
  readonly renderMaxMs?: number;
  /** The handle's documented life, ms, or null where none is documented. */
  readonly handleLifeMs: number | null;
  readonly urlLifeMs: number;
  /** A later poll returns a fresh output URL (service document 2, `vendor-e`). */
  readonly freshUrlOnPoll: boolean;
  /** The submit may name a URL for status updates (service document 2, `callback_url`). */
  readonly takesCallback?: true;
  /** Its render takes time by the seconds of speech, at most this many; undefined for audio that only the service reads. */
  speechSeconds?(row: Pick<Row, 'cells' | 'media'>): number | undefined;
}

interface CommonFacts {
  /** The kind that is submitted to the same address; absent for one with an address of its own. */
  readonly route?: Kind;
  /** Whose discount applies (service document 1, Discount), or null where the documents name none. */
  readonly entrypoint: string | null;
  /** When the charge falls (design: the credits check). */
  readonly charge: 'at-success' | 'at-submit' | 'at-completion' | 'unknown';
  /** What a render's bytes must be; `any` where the documents leave it open. */
  readonly output: 'image' | 'video' | 'any';
  /**
   * How long after its end a rendered output may still be had, ms of service time: the longer of its URL's life and of
   * the life of the handle that can be asked for another one. Only the giving up goes by it; what is fetched first goes
   * by the shorter `urlLifeMs`.
   */
  readonly outputLifeMs: number;
  /**
   * The output URL's documented life, ms, counted from completion ("hours" is read as one hour, the safe side), or
   * null where the answer itself is the output.
   */
  readonly urlLifeMs: number | null;
  /**
   * How long the URL that the service gave for an output can be named in another request, ms of service time; absent
   * where nothing that long is shown.
   */
  readonly ownUrlLifeMs?: number;
  /** What the service's price pages count. */
  readonly usualUnit: PriceUnit;
  /** What the documents bill beside it, where a row has any: so many of the unit are included. */
  readonly alsoBilled?: readonly Pick<PriceComponent, 'unit' | 'above'>[];
  /** Only the finished output tells how many of it there are: no budget holds without `upTo`. */
  readonly countedAtEnd?: true;
  /** What the service takes where a cell is empty, by column. */
  readonly fallbacks?: Cells;
  /** The same where it depends on the model; undefined takes a fallback of all models away. */
  readonly modelFallbacks?: Readonly<Record<string, Cells>>;
  /** Billed by the seconds of output alone, whose number is not fixed. */
  readonly isBilledByOutput?: true;
  /** The row gives its body whole: fields that the documents do not show, any of which may bill, need no column `extra`. */
  readonly hasOwnBody?: true;
  /** The model that a request selects where no column names it; undefined where the row leaves that open. */
  selects?(cells: Row['cells']): string | undefined;
  /** Whether the same request with the same seed may give another output; absent where it never does. */
  variesDespiteSeed?(cells: Cells): boolean;
  /** Cells that have no effect on the price. */
  readonly priceIgnores?: readonly (keyof PricedCells)[];
  /** What a rate can depend on and no cell or fallback says as it stands. `cells` are filled, the row's own are not. */
  priced?(cells: PricedCells, row: Row): Partial<PricedCells>;
  /**
   * What a row asks its output to be; empty where the documents leave size and length to the model. `cells` are filled
   * with the fallbacks, `given` are the row's own.
   */
  asked?(cells: Cells, given: Row['cells']): AskedOutput;
  /** How much of each unit it is billed for beside one request, as far as request and local files tell. */
  billed?(row: Row, asked: AskedOutput): Quantities;
  /** The driver clip of a row, in the whole seconds that it declares: what was under-declared is charged after completion. */
  readonly driver?: {
    /** The most that a row can declare, which counts as declared where it leaves it open. */
    readonly declaredMax: number;
    longest(row: Row): { declared: number; most: number };
  };
}

/** Typed cells by column; undefined where a cell is empty. */
export type Cells = Readonly<Record<string, Json | undefined>>;

/** What a row asked its output to be, as far as the documents name it. */
export interface AskedOutput {
  width?: number;
  height?: number;
  seconds?: number;
}

/** What a price rule can name. */
export interface PricedCells {
  model: string | undefined;
  tier: string | undefined;
  steps: number | undefined;
  resolution: string | undefined;
  mode: string | undefined;
  audio: boolean | undefined;
  sound: string | undefined;
}

/** A point where it is known, else bounds; `hi` null = nothing bounds it. */
export interface Quantity {
  lo: number;
  hi: number | null;
}

export type Quantities = Partial<Record<PriceUnit, Quantity>>;

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** The shortest gap between polls where a family's documents show no other (service document 2, "What the service does", 2). */
export const POLL_BASE_MS = 5_000;

/** A number, or one that a cell holds as text. */
export function numberIn(value: Json | undefined): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

export function sizeIn(cells: Cells): AskedOutput {
  const width = numberIn(cells.width);
  const height = numberIn(cells.height);
  return width === undefined || height === undefined ? {} : { width, height };
}

export function lasting(duration: Json | undefined): AskedOutput {
  return defined({ seconds: numberIn(duration) });
}

export const UNKNOWN: Quantity = { lo: 0, hi: null };

/** A clip "may differ from the request by a fraction of a second" (service document 1, Generated clip result). */
const CLIP_SECONDS_APART = 1;
/** A length that was added up, from samples or from clips, is a whole number but for this. */
export const LENGTH_NOISE_SECONDS = 1e-3;

export function exactly(units: number): Quantity {
  return { lo: units, hi: units };
}

export function upTo(units: number): Quantity {
  return { lo: 0, hi: units };
}

/** The point where there is one. */
export function knownOr(seconds: number | undefined, otherwise: Quantity): Quantity {
  return seconds === undefined ? otherwise : exactly(seconds);
}

export function within({ lo, hi }: Quantity, most: number): Quantity {
  return { lo: Math.min(lo, most), hi: hi === null ? most : Math.min(hi, most) };
}

/** An output that is as long as was asked for, or as its speech, but for a fraction of a second. */
export function about(seconds: number | undefined): Quantity {
  if (seconds === undefined) return UNKNOWN;
  return { lo: Math.max(0, seconds - CLIP_SECONDS_APART), hi: seconds + CLIP_SECONDS_APART };
}

/** The length of clips together; how a part of a second is billed is not shown. */
export function lengthOf(clips: readonly Media[] = []): Quantity {
  const lengths = clips.map(knownSeconds);
  const known = lengths.flatMap((seconds) => (seconds === undefined ? [] : [wholeSeconds(seconds)]));
  const lo = known.reduce((sum, one) => sum + one.lo, 0);
  return { lo, hi: known.length < lengths.length ? null : known.reduce((sum, one) => sum + one.hi, 0) };
}

export function wholeSeconds(seconds: number): { lo: number; hi: number } {
  return { lo: Math.floor(seconds + LENGTH_NOISE_SECONDS), hi: Math.ceil(seconds - LENGTH_NOISE_SECONDS) };
}

export function knownSeconds(media: Media | undefined): number | undefined {
  return media?.source === 'blob' ? media.seconds : undefined;
}
