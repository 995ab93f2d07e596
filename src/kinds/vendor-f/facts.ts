import { isJsonObject } from '../../domain/json.js';
import { type FamilyFacts, HOUR_MS, knownOr, lasting, POLL_BASE_MS, UNKNOWN } from '../fact.js';

const common = {
  entrypoint: 'vendor-f',
  // "About one hour after completion"; the half hour more is ours.
  outputLifeMs: 1.5 * HOUR_MS,
} as const;

export const vendorFFacts: FamilyFacts = {
  'vendor-f/video': {
    ...common,
    flow: 'async',
    // Reserved at submit by the document; when the balance shows it is believed only once it was seen.
    charge: 'unknown',
    output: 'video',
    pollBaseMs: POLL_BASE_MS,
    // "Use client timeouts of 10 minutes or more".
    answerMaxMs: HOUR_MS / 6,
    renderMaxMs: 0.5 * HOUR_MS,
    handleLifeMs: null,
    urlLifeMs: HOUR_MS,
    freshUrlOnPoll: false,
    usualUnit: 'second',
    fallbacks: { resolution: '720p', duration: 8 },
    asked: ({ duration }) => lasting(duration),
    billed: (_, { seconds }) => ({ second: knownOr(seconds, UNKNOWN) }),
  },
  'vendor-f/interaction': {
    ...common,
    flow: 'sync',
    takesNoSlot: true,
    charge: 'at-success',
    output: 'any',
    urlLifeMs: null,
    usualUnit: 'request',
    hasOwnBody: true,
    selects: ({ body }) => (isJsonObject(body) && typeof body.model === 'string' ? body.model : undefined),
  },
};
