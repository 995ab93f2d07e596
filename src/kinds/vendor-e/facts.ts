import { DAY_MS, HOUR_MS, type KindFacts, knownOr, lasting, lengthOf, numberIn, UNKNOWN, within } from '../fact.js';

export const MODEL = 'Vendor-E-H3';

/** Service document 2, `vendor-e` role values: reference videos, in all. */
const REFERENCE_SECONDS_MAX = 15;

export const vendorEFacts: KindFacts = {
  output: 'video',
  // "A task can be polled for 7 days", and each poll gives a fresh URL.
  outputLifeMs: 7 * DAY_MS,
  // After a poll, an assumption.
  ownUrlLifeMs: HOUR_MS,
  usualUnit: 'second',
  model: MODEL,
  asked: ({ duration }) => lasting(numberIn(duration)),
  billed: ({ media }, { seconds }) => ({
    second: knownOr(seconds, UNKNOWN),
    'reference-second': within(lengthOf(media.reference_videos), REFERENCE_SECONDS_MAX),
  }),
};
