/** What a row asks for: `provider/task`. The order is part of the contract (workflows name a kind by its number). */
export const KINDS = [
  'svc/image',
  'svc/edit',
  'svc/clip',
  'svc/animation',
  'vendor-a/text2video',
  'vendor-a/image2video',
  'vendor-a/omni-video',
  'vendor-a/motion-control',
  'vendor-b/avatar',
  'vendor-c/video',
  'vendor-g/video',
  'vendor-d/video',
  'vendor-e/video',
  'vendor-f/video',
  'vendor-f/interaction',
] as const;

export type Kind = (typeof KINDS)[number];

/** The part of a kind before the slash. */
export type Provider = 'svc' | 'vendor-a' | 'vendor-b' | 'vendor-c' | 'vendor-d' | 'vendor-e' | 'vendor-f' | 'vendor-g';

export function isKind(text: string): text is Kind {
  return (KINDS as readonly string[]).includes(text);
}

export function providerOf(kind: Kind): Provider {
  return kind.slice(0, kind.indexOf('/')) as Provider;
}

/** A kind that holds one of the plan's simultaneous jobs while it runs (service document 1, Limits). */
export function takesSlot(kind: Kind): boolean {
  return kind !== 'vendor-f/interaction';
}

/** At most this many rows of the kinds without a slot are open at once: a bound of ours, the documents give none. */
export const OPEN_WITHOUT_SLOT_MAX = 4;

/** A kind whose submit is answered with a handle that is polled; the others answer with their output. */
export function isAsync(kind: Kind): boolean {
  return providerOf(kind) !== 'svc' && kind !== 'vendor-f/interaction';
}

/** No submits of this family but one probe at a time, until a probe goes through. */
export interface Breaker {
  family: Provider;
  /** `cases` = answers were lost, `outage` = the family cannot be reached. */
  cause: 'cases' | 'outage';
  sinceMs: number;
  /** Probes that failed. */
  failures: number;
  nextProbeMs: number;
}
