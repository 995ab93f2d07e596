import { DAY_MS, type FamilyFacts, HOUR_MS, POLL_BASE_MS, UNKNOWN } from '../fact.js';

export const MODEL = 'vendor-d-2-5-260628';

export const vendorDFacts: FamilyFacts = {
  'vendor-d/video': {
    flow: 'async',
    entrypoint: null,
    charge: 'at-completion',
    output: 'video',
    pollBaseMs: POLL_BASE_MS,
    // "Output URLs expire within hours", and no life of the handle is shown: a day is an assumption.
    handleLifeMs: null,
    outputLifeMs: DAY_MS,
    urlLifeMs: HOUR_MS,
    freshUrlOnPoll: false,
    usualUnit: 'million-tokens',
    countedAtEnd: true,
    fallbacks: { model: MODEL, resolution: '720p', audio: true },
    billed: () => ({ 'million-tokens': UNKNOWN }),
  },
};
