import { DAY_MS, type KindFacts, UNKNOWN } from '../fact.js';

export const MODEL = 'vendor-d-2-5-260628';

export const vendorDFacts: KindFacts = {
  output: 'video',
  // "Expires", and no life of the handle is shown: a day is an assumption.
  outputLifeMs: DAY_MS,
  usualUnit: 'million-tokens',
  model: MODEL,
  priced: ({ resolution, audio }) => ({ resolution: resolution ?? '720p', audio: audio ?? true }),
  billed: () => ({ 'million-tokens': UNKNOWN }),
};
