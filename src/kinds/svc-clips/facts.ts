import { DAY_MS, type KindFacts, numberIn, sizeIn } from '../fact.js';
import { about } from '../quantities.js';

const SECONDS = 6;

const shared = {
  output: 'video',
  // Nothing is shown of clips: taken to be kept as long as images.
  outputLifeMs: 7 * DAY_MS,
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
  ...shared,
  asked: (cells) => ({ width: 1920, height: 1080, ...sizeIn(cells), seconds: numberIn(cells.duration) ?? SECONDS }),
};

export const animationFacts: KindFacts = {
  ...shared,
  asked: (cells) => ({ ...sizeIn(cells), seconds: numberIn(cells.duration) ?? SECONDS }),
};
