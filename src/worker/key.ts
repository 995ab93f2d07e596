import type { AccountSettings } from '../contract/account.js';
import type { Log } from '../domain/log.js';
import { CREDITS_REQUEST } from '../service/account.js';
import { createTransport } from '../service/transport.js';
import { createKeySource, type KeyOrigin, type KeySource, keyNow } from './key-source.js';

/** What one free read says of a key: `unknown` when the service gave neither a 200 nor a 401. */
type KeyProof = 'good' | 'refused' | 'unknown';

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

/** A key that the service does not accept never replaces one that it may accept; true where it was taken. */
export async function offerKey(
  source: KeySource,
  settings: AccountSettings,
  offered: KeyOrigin,
  log: Log,
): Promise<boolean> {
  const value = createKeySource(offered).current();
  // Whoever replaces a key may have removed the file of the one before.
  const proof = value === keyNow(source) ? 'good' : await proveKey(settings, value);
  if (proof === 'good') source.replace(offered);
  else log.warn({ account: settings.account, proof }, 'the key that was handed over is not used: the one before stays');
  return proof === 'good';
}
