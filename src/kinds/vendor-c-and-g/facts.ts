import { DAY_MS, type KindFacts, knownOr, numberIn, UNKNOWN } from '../fact.js';

/** Both families share one route. */
export const sharedRouteFacts: KindFacts = {
  output: 'video',
  // "The task id and the URL expire after 24 hours" (service document 2).
  outputLifeMs: DAY_MS,
  ownUrlLifeMs: DAY_MS,
  usualUnit: 'second',
  model: '',
  priced: ({ resolution }) => ({ resolution: resolution ?? '1080P' }),
  asked: ({ duration }) => ({ seconds: numberIn(duration) ?? 5 }),
  billed: (_, { seconds }) => ({ second: knownOr(seconds, UNKNOWN) }),
};
