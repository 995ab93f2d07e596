import { setTimeout as sleep } from 'node:timers/promises';
import type { Requests } from '../../activities/dependencies.js';
import type { AccountSettings } from '../contract/account.js';
import type { Log } from '../domain/log.js';
import type { KeyProof } from '../engine/registration.js';
import { CREDITS_REQUEST } from '../service/account.js';
import { createTransport } from '../service/transport.js';
import { createKeySource, type KeyOrigin, type KeySource, keyNow } from './key-source.js';

/** Asks the service for the balance with a key that was handed over, before it replaces one that works. */
async function proveKey({ baseUrl, userAgent }: AccountSettings, key: string): Promise<KeyProof> {
  const transport = createTransport({ baseUrl, userAgent, key: () => key });
  try {
    const exchange = await transport.send(CREDITS_REQUEST);
    if (exchange.outcome !== 'answered') return 'unknown';
    const { status } = exchange.answer;
    return status === 200 ? 'good' : status === 401 ? 'refused' : 'unknown';
  } finally {
    await transport.close();
  }
}

/** A command waits meanwhile, and less than for all that the worker says: a service that is away longer proves nothing. */
const AGAIN_AFTER_MS = [1_000, 2_000, 4_000];
const PROOF_MAX_MS = 8_000;

/** The same, also where the service is crowded or away for a moment. */
async function proveKeySoon(settings: AccountSettings, key: string, { turn, leaves }: Requests): Promise<KeyProof> {
  const startedMs = performance.now();
  const leftMs = () => Math.max(0, startedMs + PROOF_MAX_MS - performance.now());
  let proof: KeyProof = 'unknown';
  for (const gapMs of [0, ...AGAIN_AFTER_MS]) {
    await sleep(gapMs);
    const isCrowded = (await turn(leftMs())) > 0;
    // In a full minute one is kept free for what asks by itself.
    if (isCrowded) leaves(Number.NEGATIVE_INFINITY);
    proof = await proveKey(settings, key);
    if (proof !== 'unknown' || isCrowded || leftMs() === 0) return proof;
  }
  return proof;
}

/** A key that the service does not accept never replaces one that it may accept: it is taken where it is good. */
export async function offerKey(
  source: KeySource,
  settings: AccountSettings,
  offered: KeyOrigin,
  { log, requests }: { log: Log; requests: Requests },
): Promise<KeyProof> {
  const value = createKeySource(offered).current();
  // Whoever replaces a key may have removed the file of the one before.
  const proof = value === keyNow(source) ? 'good' : await proveKeySoon(settings, value, requests);
  if (proof === 'good') source.replace(offered);
  else log.warn({ account: settings.account, proof }, 'the key that was handed over is not used: the one before stays');
  return proof;
}
