import type { Json } from '../../domain/json.js';
import type { Row } from '../../domain/row.js';
import {
  type AskedOutput,
  DAY_MS,
  exactly,
  type KindFacts,
  knownOr,
  knownSeconds,
  lasting,
  lengthOf,
  numberIn,
  UNKNOWN,
  upTo,
  wholeSeconds,
} from '../fact.js';

export const MODEL = 'vendor-a-v3';
export const OMNI_MODEL = 'vendor-a-v3-omni';

/** Service document 2, Storyboard mode: the total where the shots do not say it. */
const STORYBOARD_SECONDS_MAX = 15;
const OMNI_STORYBOARD_SECONDS_MAX = 30;
/** Service document 2, Motion control: the longest driver by `character_orientation`. */
const DRIVER_SECONDS_MAX = { image: 10, video: 30 } as const;
/** What `input_video_seconds` can say at most. */
const DECLARED_SECONDS_MAX = 10;

const shared = {
  output: 'video',
  // The URL "expires within hours"; the handle after 7 days (service document 2, Limits).
  outputLifeMs: 7 * DAY_MS,
  usualUnit: 'second',
  model: MODEL,
  // In 4k audio is always included, and the flag is ignored (service document 2, Multi-mode video).
  priced: ({ mode = 'std', sound = 'off' }) => ({ mode, sound: mode === '4k' ? 'on' : sound }),
  asked: filmOf,
} satisfies KindFacts;

export const text2VideoFacts: KindFacts = {
  ...shared,
  billed: (_, { seconds }) => ({ second: knownOr(seconds, upTo(STORYBOARD_SECONDS_MAX)) }),
};

export const image2VideoFacts: KindFacts = {
  ...shared,
  billed: (_, { seconds }) => ({ second: knownOr(seconds, UNKNOWN) }),
};

export const omniVideoFacts: KindFacts = {
  ...shared,
  model: OMNI_MODEL,
  billed: ({ media }, { seconds }) => ({
    second: knownOr(seconds, upTo(OMNI_STORYBOARD_SECONDS_MAX)),
    // Whether they are billed is not shown; a price that counts them must know them.
    'reference-second': lengthOf(media.videos),
  }),
};

export const motionControlFacts: KindFacts = {
  ...shared,
  usualUnit: 'input-second',
  asked: ({ input_video_seconds: declared }) => lasting(numberIn(declared)),
  billed: (_, { seconds }) => {
    // Left out where another row feeds the driver clip, whose length is not known yet.
    const driver = seconds === undefined ? upTo(DECLARED_SECONDS_MAX) : exactly(seconds);
    return { second: driver, 'input-second': driver };
  },
  driver: longestDriver,
};

/** A storyboard ignores the duration; where its shots do not say how long they are, nobody knows. */
function filmOf(cells: Row['cells']): AskedOutput {
  const isStoryboard = cells.shots !== undefined || cells.shot_type !== undefined;
  return isStoryboard ? lasting(shotSeconds(cells.shots)) : { seconds: numberIn(cells.duration) ?? 5 };
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

function longestDriver({ cells, media }: Row): { declared: number; most: number } | undefined {
  const { input_video_seconds: declared, character_orientation: orientation } = cells;
  if (typeof declared !== 'number') return undefined;
  const known = knownSeconds(media.video?.[0]);
  const cap = DRIVER_SECONDS_MAX[orientation === 'image' ? 'image' : 'video'];
  return { declared, most: Math.max(declared, known === undefined ? cap : wholeSeconds(known).hi) };
}
