import type { DownloadResult } from '../contract/activities.js';
import type { ReasonCode } from '../domain/failure.js';
import type { DownloadError } from '../service/download.js';
import type { OutputRefused } from '../store/outputs.js';
import type { Adapter } from '../vendors/adapter.js';
import { type Tries, triedOf, triedText } from './download-tries.js';
import { tryAgain } from './failures.js';

/** When a download is tried again, when its URL counts as gone, and when the output is lost. */

/** Wrong bytes, or a refusal, this often are what the URL serves. */
export const BAD_BYTES_MAX = 6;
/** Where no life of the URL is documented: the shortest that the service names anywhere, ms. */
const URL_LIFE_MS = 3_600_000;
/** How often a fresh URL is asked for: where the documents promise one, and where the job can at least be polled. */
const FRESH_URLS = { promised: 10, possible: 2 } as const;
/** Refusals that may pass: time-out, too early, too many requests. */
const PASSING_STATUSES = new Set([408, 425, 429]);

/** What the end of a try is judged by. */
export interface Given {
  tries: Tries;
  adapter: Adapter;
  /** When the URL was told. */
  resultAtMs: number;
  nowMs(): number;
  timeScale: number;
}

/** An output that cannot be had from where it is; `text` says for people what was tried. */
export type Lost =
  | Extract<DownloadResult, { outcome: 'expired' }>
  | { outcome: 'rejected'; reason: ReasonCode; text: string };

/** A page of a proxy or a cut file may be better at the next try; the same bytes again and again will not. */
export function afterRefusedBytes(given: Given, { reason, message }: OutputRefused): Lost {
  given.tries.wrong += 1;
  if (given.tries.wrong >= BAD_BYTES_MAX) return rejected(given, reason, undefined, message);
  throw tryAgain('download.interrupted', reason);
}

/** Nothing is given up before the URL's life is over: until then each try may be the one that gets through. */
export function afterRefusedDownload(given: Given, error: DownloadError): Lost {
  const { reason, status, message } = error;
  switch (reason) {
    case 'expired':
      return expired(given, reason, status);
    case 'forbidden_address':
    case 'too_large':
      return rejected(given, reason, status, message);
    default: {
      if (status !== undefined && status < 500 && !PASSING_STATUSES.has(status)) given.tries.wrong += 1;
      const isSpent = given.tries.tries >= BAD_BYTES_MAX && isLifeOver(given);
      if (isSpent || given.tries.wrong >= BAD_BYTES_MAX) return expired(given, reason, status);
      throw tryAgain('download.interrupted', reason);
    }
  }
}

function isLifeOver({ adapter, resultAtMs, nowMs, timeScale }: Given): boolean {
  return nowMs() - resultAtMs > (adapter.urlLifeMs ?? URL_LIFE_MS) / timeScale;
}

/** Only a job with a handle can be asked for a fresh URL. */
function expired({ tries, adapter }: Given, why: string, status: number | undefined): Lost {
  const fresh = adapter.flow === 'sync' ? 0 : adapter.freshUrlOnPoll ? FRESH_URLS.promised : FRESH_URLS.possible;
  return { outcome: 'expired', freshUrls: fresh, tried: triedOf(tries, why, status) };
}

function rejected({ tries, nowMs }: Given, why: string, status: number | undefined, message: string): Lost {
  const text = `${message}; ${triedText(triedOf(tries, why, status), nowMs())}`;
  return { outcome: 'rejected', reason: 'output_rejected', text };
}
