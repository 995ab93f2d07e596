import {
  type AskedOutput,
  about,
  DAY_MS,
  exactly,
  type FamilyFacts,
  HOUR_MS,
  lasting,
  type Quantities,
  sizeIn,
  UNKNOWN,
} from '../fact.js';

export const DELTA = 'svc-delta-4';
export const GAMMA = 'svc-gamma-o1-image';

/** Delta renders 1024x1024 where no dimensions are sent (service document 1, Dimension rules). */
const DELTA_PIXELS = 1024 * 1024;

const TIER = 'radical_speed';
const CLIP_SIZE = { width: 1920, height: 1080 };

const common = {
  flow: 'sync',
  entrypoint: 'svc',
  charge: 'at-success',
  // "Generated images are kept for 7 days" (service document 1). Nothing is shown of clips: taken to be kept as long.
  outputLifeMs: 7 * DAY_MS,
  // The life of a result URL is not documented; one hour is the shortest life that the service names anywhere.
  urlLifeMs: HOUR_MS,
} as const;

const picture = {
  ...common,
  output: 'image',
  // An assumption: nothing is shown of how long its URL can stand in another request.
  ownUrlLifeMs: DAY_MS,
  // "Most image models: per megapixel of the output"; delta alone is billed per image.
  usualUnit: 'megapixel',
  asked: (_, given) => sizeIn(given),
} as const satisfies FamilyFacts[string];

const clip = {
  ...common,
  output: 'video',
  // The service ends a clip after 120 s (service document 1, Errors, 504); its answer needs time to arrive.
  answerMaxMs: 150_000,
  usualUnit: 'second',
  fallbacks: { ...CLIP_SIZE, duration: 6, audio: false },
  isBilledByOutput: true,
  priced: ({ resolution }, { cells }) => ({ resolution: resolution ?? (cells.height === 720 ? '720p' : '1080p') }),
  billed: (_, { seconds }) => ({ second: about(seconds) }),
} as const satisfies FamilyFacts[string];

export const svcFacts: FamilyFacts = {
  'svc/image': {
    ...picture,
    fallbacks: { tier: TIER, prompt_expansion: 'off' },
    modelFallbacks: { [DELTA]: { tier: undefined, steps: 48 }, [GAMMA]: { steps: 50 } },
    // What is rendered is a rewrite of the prompt, which may come out differently (service document 1, `revised_prompt`).
    variesDespiteSeed: ({ prompt_expansion: expansion }) => expansion === 'standard',
    billed: ({ cells }, asked) => megapixels(asked, cells.model === DELTA ? DELTA_PIXELS : undefined),
  },
  'svc/edit': { ...picture, fallbacks: { tier: TIER }, billed: (_, asked) => megapixels(asked, undefined) },
  'svc/clip': {
    ...clip,
    asked: ({ duration }, given) => ({ ...CLIP_SIZE, ...sizeIn(given), ...lasting(duration) }),
  },
  'svc/animation': { ...clip, asked: ({ duration }, given) => ({ ...sizeIn(given), ...lasting(duration) }) },
};

function megapixels({ width, height }: AskedOutput, otherwise: number | undefined): Quantities {
  const pixels = width === undefined || height === undefined ? otherwise : width * height;
  return { megapixel: pixels === undefined ? UNKNOWN : exactly(pixels / 1e6) };
}
