import { type AsyncFacts, DAY_MS, type FamilyFacts, knownOr, lasting, POLL_BASE_MS, UNKNOWN } from '../fact.js';

const common = {
  flow: 'async',
  entrypoint: null,
  // One address takes the submits of both (service document 2, Endpoints).
  route: 'vendor-c/video',
  charge: 'unknown',
  output: 'video',
  pollBaseMs: POLL_BASE_MS,
  // "The task id and the URL expire after 24 hours" (service document 2).
  handleLifeMs: DAY_MS,
  outputLifeMs: DAY_MS,
  urlLifeMs: DAY_MS,
  ownUrlLifeMs: DAY_MS,
  freshUrlOnPoll: false,
  usualUnit: 'second',
  fallbacks: { resolution: '1080P', duration: 5 },
  asked: ({ duration }) => lasting(duration),
  billed: (_, { seconds }) => ({ second: knownOr(seconds, UNKNOWN) }),
} as const satisfies AsyncFacts;

export const vendorCAndGFacts: FamilyFacts = {
  'vendor-c/video': { ...common, fallbacks: { ...common.fallbacks, watermark: false } },
  'vendor-g/video': { ...common, fallbacks: { ...common.fallbacks, watermark: true } },
};
