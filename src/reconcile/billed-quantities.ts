import { askedOutput } from '../domain/asked-output.js';
import type { PriceUnit } from '../domain/price.js';
import type { ResultFacts } from '../domain/reading.js';
import type { Media, Row } from '../domain/row.js';

/** How much of each unit a row is billed for, as far as the request, its local files and its result tell. Pure. */

/** A point where it is known, else bounds; `hi` null = nothing bounds it. */
export interface Quantity {
  lo: number;
  hi: number | null;
}

export type Quantities = Partial<Record<PriceUnit, Quantity>>;

export type BilledFacts = Pick<ResultFacts, 'billedSeconds' | 'billedTokens'>;

const UNKNOWN: Quantity = { lo: 0, hi: null };

/** A clip "may differ from the request by a fraction of a second" (service document 1, Generated clip result). */
const CLIP_SECONDS_APART = 1;
/** Service document 2, Storyboard mode: the total where the shots do not say it. */
const STORYBOARD_SECONDS_MAX = { 'vendor-a/text2video': 15, 'vendor-a/omni-video': 30 } as const;
/** Service document 2, `vendor-e` role values: reference videos, in all. */
const REFERENCE_SECONDS_MAX = 15;
/** Service document 2, Motion control: the longest driver by `character_orientation`. */
const DRIVER_SECONDS_MAX = { image: 10, video: 30 } as const;
/** What `input_video_seconds` can say at most. */
const DECLARED_SECONDS_MAX = 10;
/** Delta renders 1024x1024 where no dimensions are sent (service document 1, Dimension rules). */
const DELTA_PIXELS = 1024 * 1024;
/** A length that was added up from samples is a whole number but for this. */
const LENGTH_NOISE_SECONDS = 1e-3;

/** Everything that the documents bill for a row; `facts` are what only the finished clip tells. */
export function billedQuantities(row: Row, facts: BilledFacts = {}): Quantities {
  return {
    request: exactly(1),
    image: exactly(1),
    'reference-second': exactly(0),
    'reference-image': exactly(row.media.reference_images?.length ?? 0),
    ...ofKind(row),
    ...(facts.billedSeconds === undefined ? {} : { second: exactly(facts.billedSeconds) }),
    ...(facts.billedTokens === undefined ? {} : { 'million-tokens': exactly(facts.billedTokens / 1e6) }),
  };
}

function ofKind(row: Row): Quantities {
  const { width, height, seconds } = askedOutput(row);
  const second = seconds === undefined ? UNKNOWN : exactly(seconds);
  switch (row.kind) {
    case 'svc/image':
    case 'svc/edit': {
      const pixels = width === undefined || height === undefined ? defaultPixels(row) : width * height;
      return { megapixel: pixels === undefined ? UNKNOWN : exactly(pixels / 1e6) };
    }
    case 'svc/clip':
    case 'svc/animation':
      return { second: about(seconds) };
    case 'vendor-a/text2video':
      return { second: seconds === undefined ? upTo(STORYBOARD_SECONDS_MAX[row.kind]) : second };
    case 'vendor-a/omni-video':
      return {
        second: seconds === undefined ? upTo(STORYBOARD_SECONDS_MAX[row.kind]) : second,
        // Whether they are billed is not shown; a price that counts them must know them.
        'reference-second': lengthOf(row.media.videos),
      };
    case 'vendor-a/motion-control': {
      // Left out where another row feeds the driver clip, whose length is not known yet.
      const driver = seconds === undefined ? upTo(DECLARED_SECONDS_MAX) : second;
      return { second: driver, 'input-second': driver };
    }
    case 'vendor-b/avatar':
      return { second: about(knownSeconds(row.media.audio?.[0])) };
    case 'vendor-d/video':
      return { 'million-tokens': UNKNOWN };
    case 'vendor-e/video':
      return { second, 'reference-second': within(lengthOf(row.media.reference_videos), REFERENCE_SECONDS_MAX) };
    case 'vendor-a/image2video':
    case 'vendor-c/video':
    case 'vendor-g/video':
    case 'vendor-f/video':
      return { second };
    case 'vendor-f/interaction':
      return {};
  }
}

/**
 * The longest driver of a motion-control row, in the whole seconds that it declares: what was under-declared is
 * charged after completion (service document 2, Motion control). Undefined for other kinds.
 */
export function driverSecondsMax({ kind, cells, media }: Row): { declared: number; most: number } | undefined {
  const { input_video_seconds: declared, character_orientation: orientation } = cells;
  if (kind !== 'vendor-a/motion-control' || typeof declared !== 'number') return undefined;
  const known = knownSeconds(media.video?.[0]);
  const cap = DRIVER_SECONDS_MAX[orientation === 'image' ? 'image' : 'video'];
  return { declared, most: Math.max(declared, known === undefined ? cap : wholeSeconds(known).hi) };
}

export function isExact({ lo, hi }: Quantity): boolean {
  return lo === hi;
}

function exactly(units: number): Quantity {
  return { lo: units, hi: units };
}

function upTo(units: number): Quantity {
  return { lo: 0, hi: units };
}

function within({ lo, hi }: Quantity, most: number): Quantity {
  return { lo: Math.min(lo, most), hi: hi === null ? most : Math.min(hi, most) };
}

/** An output that is as long as was asked for, or as its speech, but for a fraction of a second. */
function about(seconds: number | undefined): Quantity {
  if (seconds === undefined) return UNKNOWN;
  return { lo: Math.max(0, seconds - CLIP_SECONDS_APART), hi: seconds + CLIP_SECONDS_APART };
}

/** The length of clips together; how a part of a second is billed is not shown. */
function lengthOf(clips: readonly Media[] = []): Quantity {
  const sum = { lo: 0, hi: 0 };
  let isKnown = true;
  for (const clip of clips) {
    const seconds = knownSeconds(clip);
    if (seconds === undefined) {
      isKnown = false;
      continue;
    }
    const { lo, hi } = wholeSeconds(seconds);
    sum.lo += lo;
    sum.hi += hi;
  }
  return isKnown ? sum : { lo: sum.lo, hi: null };
}

function wholeSeconds(seconds: number): { lo: number; hi: number } {
  return { lo: Math.floor(seconds + LENGTH_NOISE_SECONDS), hi: Math.ceil(seconds - LENGTH_NOISE_SECONDS) };
}

function knownSeconds(media: Media | undefined): number | undefined {
  return media?.source === 'blob' ? media.seconds : undefined;
}

function defaultPixels({ kind, cells }: Row): number | undefined {
  return kind === 'svc/image' && cells.model === 'svc-delta-4' ? DELTA_PIXELS : undefined;
}
