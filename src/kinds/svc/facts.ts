import type { Row } from '../../domain/row.js';
import {
  about,
  DAY_MS,
  exactly,
  type KindFacts,
  numberIn,
  type PricedCells,
  type Quantities,
  sizeIn,
  UNKNOWN,
} from '../fact.js';

export const DELTA = 'svc-delta-4';
const GAMMA = 'svc-gamma-o1-image';

/** Delta renders 1024x1024 where no dimensions are sent (service document 1, Dimension rules). */
const DELTA_PIXELS = 1024 * 1024;

/** "Generated images are kept for 7 days" (service document 1). Nothing is shown of clips: taken to be kept as long. */
const outputLifeMs = 7 * DAY_MS;

const shared = {
  output: 'image',
  outputLifeMs,
  // An assumption: nothing is shown of how long its URL can stand in another request.
  ownUrlLifeMs: DAY_MS,
  // "Based on the model, the tier and the output size."
  usualUnit: 'image',
  model: '',
  asked: sizeIn,
} as const satisfies Partial<KindFacts>;

export const imageFacts: KindFacts = {
  ...shared,
  priced: (given) => ({ ...stepsOf(given), tier: given.tier ?? (given.model === DELTA ? undefined : 'radical_speed') }),
  billed: ({ cells }, asked) => megapixels(asked, cells.model === DELTA ? DELTA_PIXELS : undefined),
};

export const editFacts: KindFacts = {
  ...shared,
  priced: (given) => ({ ...stepsOf(given), tier: given.tier ?? 'radical_speed' }),
  billed: (_: Row, asked) => megapixels(asked, undefined),
};

function stepsOf({ steps, model }: PricedCells): Partial<PricedCells> {
  return { steps: steps ?? (model === DELTA ? 48 : model === GAMMA ? 50 : undefined) };
}

function megapixels({ width, height }: ReturnType<typeof sizeIn>, otherwise: number | undefined): Quantities {
  const pixels = width === undefined || height === undefined ? otherwise : width * height;
  return { megapixel: pixels === undefined ? UNKNOWN : exactly(pixels / 1e6) };
}

const SECONDS = 6;

const sharedClip = {
  output: 'video',
  outputLifeMs,
  // The service ends a clip after 120 s (service document 1, Errors, 504); its answer needs time to arrive.
  callMaxMs: 150_000,
  usualUnit: 'second',
  model: '',
  isBilledByOutput: true,
  priced: ({ resolution, audio }, { cells }) => ({
    resolution: resolution ?? (cells.height === 720 ? '720p' : '1080p'),
    audio: audio ?? false,
  }),
  billed: (_, { seconds }) => ({ second: about(seconds) }),
} satisfies KindFacts;

export const clipFacts: KindFacts = {
  ...sharedClip,
  asked: (cells) => ({ width: 1920, height: 1080, ...sizeIn(cells), seconds: numberIn(cells.duration) ?? SECONDS }),
};

export const animationFacts: KindFacts = {
  ...sharedClip,
  asked: (cells) => ({ ...sizeIn(cells), seconds: numberIn(cells.duration) ?? SECONDS }),
};
