import {
  DAY_MS,
  type FamilyFacts,
  HOUR_MS,
  knownOr,
  lasting,
  lengthOf,
  POLL_BASE_MS,
  UNKNOWN,
  within,
} from '../fact.js';

export const MODEL = 'Vendor-E-H3';

/** Service document 2, `vendor-e` role values: reference videos, in all. */
export const REFERENCE_SECONDS_MAX = 15;

/** Service document 2, Limits: reference images that cost nothing more. */
export const INCLUDED_IMAGES = 5;

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
    alsoBilled: [{ unit: 'reference-second' }, { unit: 'reference-image', above: INCLUDED_IMAGES }],
    fallbacks: { model: MODEL },
    asked: ({ duration }) => lasting(duration),
    billed: ({ media }, { seconds }) => ({
      second: knownOr(seconds, UNKNOWN),
      'reference-second': within(lengthOf(media.reference_videos), REFERENCE_SECONDS_MAX),
    }),
  },
};
