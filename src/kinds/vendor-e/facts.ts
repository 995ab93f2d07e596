import type { FamilyFacts } from '../fact.js';
import { DAY_MS, HOUR_MS, knownOr, lasting, lengthOf, POLL_BASE_MS, UNKNOWN, within } from '../quantities.js';

export const MODEL = 'Vendor-E-H3';

/** Service document 2, `vendor-e` role values: reference videos, in all. */
export const REFERENCE_SECONDS_MAX = 15;

export const vendorEFacts: FamilyFacts = {
  'vendor-e/video': {
    flow: 'async',
    entrypoint: null,
    charge: 'unknown',
    output: 'video',
    pollBaseMs: POLL_BASE_MS,
    // "A task can be polled for 7 days", and each poll gives a fresh URL: "time-limited", as long as the shortest life
    // that the service names anywhere.
    handleLifeMs: 7 * DAY_MS,
    outputLifeMs: 7 * DAY_MS,
    urlLifeMs: HOUR_MS,
    // After a poll, an assumption.
    ownUrlLifeMs: HOUR_MS,
    freshUrlOnPoll: true,
    usualUnit: 'second',
    fallbacks: { model: MODEL },
    asked: ({ duration }) => lasting(duration),
    billed: ({ media }, { seconds }) => ({
      second: knownOr(seconds, UNKNOWN),
      'reference-second': within(lengthOf(media.reference_videos), REFERENCE_SECONDS_MAX),
    }),
  },
};
