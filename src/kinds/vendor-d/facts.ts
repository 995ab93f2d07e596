import type { FamilyFacts } from '../fact.js';
import { DAY_MS, HOUR_MS, POLL_BASE_MS, UNKNOWN } from '../quantities.js';

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
    fallbacks: { model: MODEL, resolution: '720p', audio: true },
    billed: () => ({ 'million-tokens': UNKNOWN }),
  },
};
