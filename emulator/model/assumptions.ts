/**
 * What the documents do not show and the emulator must choose all the same. The calm values are quick and plain; drawn
 * ones come from drawn-assumptions.ts. docs/assumptions.md has a row for each.
 */

/** What renders: each family has its own render times and its own instant of charging. */
export const FAMILIES = [
  'svc/image',
  'svc/edit',
  'svc/clip',
  'svc/animation',
  'vendor-a',
  'vendor-b',
  'vendor-c',
  'vendor-g',
  'vendor-d',
  'vendor-e',
  'vendor-f',
  'vendor-f/interaction',
] as const;
export type Family = (typeof FAMILIES)[number];

/** One value per family, made by a function. */
export function perFamily<Value>(make: (family: Family) => Value): Record<Family, Value> {
  return Object.fromEntries(FAMILIES.map((family) => [family, make(family)])) as Record<Family, Value>;
}

/** From and to, both possible. */
export type Range = readonly [min: number, max: number];

/** At the submit, at a moment of the render that differs from job to job, or when the render ends. */
export type ChargeAt = 'submit' | 'between' | 'completion';

export interface Assumptions {
  /** When each family is charged. */
  chargeAt: Readonly<Record<Family, ChargeAt>>;
  /** Service seconds of a render; an avatar's follow from its speech where these are 0. */
  renderSeconds: Readonly<Record<Family, Range>>;
  /** An avatar renders so many seconds per second of speech, and never shorter than `avatarSeconds`. */
  avatarSecondsPerSecond: Range;
  avatarSeconds: Range;
  /** How fast a script is spoken. */
  speechCharactersPerSecond: number;
  /** Service seconds from the end of a failed render to its refund. */
  refundSeconds: Range;
  /** Service seconds from completion to the charge for an under-declared driver clip. */
  followUpSeconds: Range;
  /** Service seconds after which a job is created whose fault `create-late` names no time. */
  lateCreationSeconds: Range;
  /** How many service seconds GET /v1/credits is late at most. */
  balanceLagSeconds: number;
  /**
   * `steady`: every read is that late. `stale`: each read is answered by a copy of its own age up to it, so that reads go
   * backwards. `scattered`: each movement shows after a time of its own up to it, so that later ones show first.
   */
  balanceReads: 'steady' | 'stale' | 'scattered';
  /** Decimals of `credits_remaining`, 0 to 9, and of a charge; how both are rounded. */
  balanceDecimals: number;
  chargeDecimals: number;
  rounding: 'nearest' | 'down' | 'up';
  /** The part of failed synchronous calls that are charged before they fail, where their family charges at completion. */
  failedCallsDeducted: number;
  /** By what vendor-d's tokens differ from pixels × frames ÷ 1024. */
  tokenFactor: Range;
  megapixelPixels: number;
  /** What "MB" counts in the limits of media. */
  megabyteBytes: number;
  /** By how many frames a clip may differ from what was asked for, "a fraction of a second". */
  clipFramesOff: number;
  /** Seconds of a reference or driver clip that the emulator cannot fetch; `declared` takes a driver as it was declared. */
  unseenReferenceSeconds: Range;
  unseenDriverSeconds: Range | 'declared';
  /** Whether a request that was answered 429 counts toward the requests per minute. */
  refusedRequestsCount: boolean;
  /** Service seconds of what "expires within hours", is "time-limited" or is not shown at all. */
  outputUrlSeconds: number;
  clipUrlSeconds: number;
  freshUrlSeconds: number;
  handleSeconds: number;
}

const HOUR = 3600;
const DAY = 24 * HOUR;

/** Quick and plain: what holds where nothing is drawn or given. */
export const CALM: Assumptions = {
  // "Credits are charged only after a successful generation"; vendor-f is "reserved at submit".
  chargeAt: perFamily((family) => (family === 'vendor-f' ? 'submit' : 'completion')),
  renderSeconds: {
    'svc/image': [1, 4],
    'svc/edit': [2, 6],
    'svc/clip': [10, 30],
    'svc/animation': [10, 30],
    'vendor-a': [30, 180],
    'vendor-b': [0, 0],
    'vendor-c': [30, 180],
    'vendor-g': [30, 180],
    'vendor-d': [30, 180],
    'vendor-e': [30, 180],
    'vendor-f': [60, 240],
    'vendor-f/interaction': [2, 6],
  },
  avatarSecondsPerSecond: [2, 4],
  avatarSeconds: [9, 12],
  speechCharactersPerSecond: 15,
  refundSeconds: [0, 0],
  followUpSeconds: [10, 10],
  lateCreationSeconds: [30, 90],
  balanceLagSeconds: 0,
  balanceReads: 'steady',
  balanceDecimals: 9,
  chargeDecimals: 9,
  rounding: 'nearest',
  failedCallsDeducted: 0,
  tokenFactor: [1, 1],
  megapixelPixels: 1_000_000,
  // The larger reading refuses nothing that is allowed.
  megabyteBytes: 1024 * 1024,
  clipFramesOff: 0,
  unseenReferenceSeconds: [5, 5],
  unseenDriverSeconds: 'declared',
  refusedRequestsCount: false,
  outputUrlSeconds: 4 * HOUR,
  clipUrlSeconds: 7 * DAY,
  freshUrlSeconds: HOUR,
  handleSeconds: Number.POSITIVE_INFINITY,
};
