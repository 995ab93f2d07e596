import { type Kind, type Provider, providerOf } from './kind.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * How long after its end a rendered output may still be had, ms of service time: the longer of its URL's life and of
 * the life of the handle that can be asked for another one. Only the giving up goes by it; what is fetched first goes by
 * the shorter `urlLifeMs` of the adapters.
 */
const LIVES_MS: Readonly<Record<Provider, number>> = {
  // "Generated images are kept for 7 days" (document 1). Of clips nothing is shown: taken to be kept as long.
  svc: 7 * DAY_MS,
  // The URL "expires within hours"; the handle after 7 days (document 2, Limits).
  'vendor-a': 7 * DAY_MS,
  // The URL "expires within hours" and no life of the handle is shown: a day is an assumption.
  'vendor-b': DAY_MS,
  // "The task id and the URL expire after 24 hours."
  'vendor-c': DAY_MS,
  'vendor-g': DAY_MS,
  // "Expires", and no life of the handle is shown: a day is an assumption.
  'vendor-d': DAY_MS,
  // "A task can be polled for 7 days", and each poll gives a fresh URL.
  'vendor-e': 7 * DAY_MS,
  // "About one hour after completion"; the half hour more is ours.
  'vendor-f': 1.5 * HOUR_MS,
};

export function outputLifeMs(kind: Kind): number {
  return LIVES_MS[providerOf(kind)];
}
