import type { Json } from '../../domain/json.js';
import type { Row } from '../../domain/row.js';
import {
  type AskedOutput,
  type AsyncFacts,
  type Cells,
  DAY_MS,
  type FamilyFacts,
  HOUR_MS,
  knownOr,
  knownSeconds,
  lasting,
  lengthOf,
  numberIn,
  POLL_BASE_MS,
  UNKNOWN,
  upTo,
  wholeSeconds,
} from '../fact.js';

export const MODEL = 'vendor-a-v3';
export const OMNI_MODEL = 'vendor-a-v3-omni';

/** Service document 2, Storyboard mode: the most that the shots have together, also where they do not say it. */
export const STORYBOARD_SECONDS_MAX = 15;
export const OMNI_STORYBOARD_SECONDS_MAX = 30;
/** Service document 2, Motion control: the longest driver by `character_orientation`. */
export const DRIVER_SECONDS_MAX = { image: 10, video: 30 } as const;
/** What `input_video_seconds` can say at most. */
export const DECLARED_SECONDS_MAX = 10;

const common = {
  flow: 'async',
  entrypoint: 'vendor-a',
  charge: 'unknown',
  output: 'video',
  pollBaseMs: POLL_BASE_MS,
  // The handle "expires after 7 days", the URL "within hours" (service document 2, Limits).
  handleLifeMs: 7 * DAY_MS,
  outputLifeMs: 7 * DAY_MS,
  urlLifeMs: HOUR_MS,
  freshUrlOnPoll: false,
  usualUnit: 'second',
  fallbacks: { model: MODEL, mode: 'std', sound: 'off' },
  // In 4k audio is always included, and the flag is ignored (service document 2, Multi-mode video).
  priced: ({ mode, sound }) => ({ sound: mode === '4k' ? 'on' : sound }),
} as const satisfies AsyncFacts;

const film = {
  ...common,
  fallbacks: { ...common.fallbacks, duration: 5 },
  asked: filmOf,
} as const satisfies AsyncFacts;

export const vendorAFacts: FamilyFacts = {
  'vendor-a/text2video': {
    ...film,
    takesCallback: true,
    fallbacks: { ...film.fallbacks, aspect_ratio: '16:9' },
    billed: (_, { seconds }) => ({ second: knownOr(seconds, upTo(STORYBOARD_SECONDS_MAX)) }),
  },
  'vendor-a/image2video': {
    ...film,
    takesCallback: true,
    billed: (_, { seconds }) => ({ second: knownOr(seconds, UNKNOWN) }),
  },
  'vendor-a/omni-video': {
    ...film,
    fallbacks: { ...film.fallbacks, model: OMNI_MODEL },
    billed: ({ media }, { seconds }) => ({
      second: knownOr(seconds, upTo(OMNI_STORYBOARD_SECONDS_MAX)),
      // Whether they are billed is not shown; a price that counts them must know them.
      'reference-second': lengthOf(media.videos),
    }),
  },
  'vendor-a/motion-control': {
    ...common,
    usualUnit: 'input-second',
    asked: ({ input_video_seconds: declared }) => lasting(declared),
    billed: (_, { seconds }) => {
      // Left out where another row feeds the driver clip, whose length is not known yet.
      const driver = knownOr(seconds, { lo: 1, hi: DECLARED_SECONDS_MAX });
      return { second: driver, 'input-second': driver };
    },
    driver: { longest: longestDriver, declaredMax: DECLARED_SECONDS_MAX },
  },
};

/** A storyboard ignores the duration; where its shots do not say how long they are, nobody knows. */
function filmOf({ shots, shot_type: shotType, duration }: Cells): AskedOutput {
  return shots === undefined && shotType === undefined ? lasting(duration) : lasting(shotSeconds(shots));
}

/** A storyboard is as long as its shots together. */
function shotSeconds(shots: Json | undefined): number | undefined {
  if (!Array.isArray(shots) || shots.length === 0) return undefined;
  let sum = 0;
  for (const shot of shots) {
    const seconds = typeof shot === 'object' && shot !== null && !Array.isArray(shot) ? shot.duration : undefined;
    const length = numberIn(seconds);
    if (length === undefined) return undefined;
    sum += length;
  }
  return sum;
}

function longestDriver({ cells, media }: Row): { declared: number; most: number } {
  const { input_video_seconds: seconds, character_orientation: orientation } = cells;
  const declared = numberIn(seconds) ?? DECLARED_SECONDS_MAX;
  const known = knownSeconds(media.video?.[0]);
  const cap = DRIVER_SECONDS_MAX[orientation === 'image' ? 'image' : 'video'];
  return { declared, most: Math.max(declared, known === undefined ? cap : wholeSeconds(known).hi) };
}
