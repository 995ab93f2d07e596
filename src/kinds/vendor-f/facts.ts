import { HOUR_MS, type KindFacts, knownOr, numberIn, UNKNOWN } from '../fact.js';

const shared = {
  // "About one hour after completion"; the half hour more is ours.
  outputLifeMs: 1.5 * HOUR_MS,
  model: '',
} as const satisfies Partial<KindFacts>;

export const filmFacts: KindFacts = {
  ...shared,
  output: 'video',
  usualUnit: 'second',
  priced: ({ resolution }) => ({ resolution: resolution ?? '720p' }),
  asked: ({ duration }) => ({ seconds: numberIn(duration) ?? 8 }),
  billed: (_, { seconds }) => ({ second: knownOr(seconds, UNKNOWN) }),
};

export const interactionFacts: KindFacts = { ...shared, output: 'any', usualUnit: 'request', hasOwnBody: true };
