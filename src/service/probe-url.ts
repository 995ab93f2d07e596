/** Looks at the beginning of a media URL before a batch starts: its size and its first bytes, through the guards of downloads. */
import { Agent } from 'undici';
import { createVettedConnector } from './public-address.js';
import {
  DownloadError,
  discard,
  headerOf,
  type OpenAnswer,
  statusError,
  type VettedGet,
  vettedGet,
} from './vetted-request.js';

/** What the beginning of a file shows, or why it cannot be had. */
export type UrlProbe = { ok: true; totalBytes?: number; head: Uint8Array } | { ok: false; why: string };

export interface UrlProber {
  /** Never throws. `followsRedirects`: the service that will fetch the URL does. */
  probe(url: string, followsRedirects: boolean): Promise<UrlProbe>;
  close(): Promise<void>;
}

export interface UrlProberOptions {
  /** Loopback addresses too: for a loopback service. */
  allowLoopback: boolean;
  userAgent: string;
  /** For one URL, redirects included; default 15 s. */
  timeoutMs?: number;
}

/** Enough for the type and the pixels of every documented sort; a server that ignores the range is cut off here. */
const HEAD_BYTES = 64 * 1024;

/** One GET of at most 64 KB per URL, without key or cookie, to public addresses alone. */
export function createUrlProber({ allowLoopback, userAgent, timeoutMs = 15_000 }: UrlProberOptions): UrlProber {
  const dispatcher = new Agent({
    connect: createVettedConnector({ allowLoopback, connectTimeoutMs: 5_000, allowPlain: true }),
    allowH2: false,
  });
  return {
    probe: async (url, followsRedirects) => {
      const signal = AbortSignal.timeout(timeoutMs);
      const how: VettedGet = { dispatcher, userAgent, allowLoopback, allowPlain: true, signal };
      try {
        const range = { range: `bytes=0-${HEAD_BYTES - 1}` };
        return await readHead(url, await vettedGet(url, range, followsRedirects ? how : { ...how, redirectsMax: 0 }));
      } catch (error) {
        if (signal.aborted) return { ok: false, why: `${new URL(url).hostname} gave no answer in time` };
        return { ok: false, why: error instanceof DownloadError ? error.message : 'it broke off' };
      }
    },
    close: () => dispatcher.destroy(),
  };
}

async function readHead(url: string, answer: OpenAnswer): Promise<UrlProbe> {
  const { statusCode } = answer;
  if (statusCode !== 200 && statusCode !== 206) {
    discard(answer);
    return { ok: false, why: statusError(answer, new URL(url).hostname).message };
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer.body) {
    chunks.push(chunk as Buffer);
    length += (chunk as Buffer).length;
    if (length >= HEAD_BYTES) break;
  }
  discard(answer);
  const totalBytes = totalOf(answer);
  const head = Buffer.concat(chunks).subarray(0, HEAD_BYTES);
  return totalBytes === undefined ? { ok: true, head } : { ok: true, totalBytes, head };
}

/** The size of the whole file: behind the slash of a range, else the announced length. */
function totalOf(answer: OpenAnswer): number | undefined {
  const isPart = answer.statusCode === 206;
  const text = isPart
    ? /\/(\d{1,15})$/.exec(headerOf(answer, 'content-range') ?? '')?.[1]
    : headerOf(answer, 'content-length');
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
