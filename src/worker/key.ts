import type { AccountSettings } from '../contract/account.js';
import { CREDITS_REQUEST } from '../service/account.js';
import { createTransport } from '../service/transport.js';

/** What one free read says of a key: `unknown` when the service gave neither a 200 nor a 401. */
type KeyProof = 'good' | 'refused' | 'unknown';

/** Asks the service for the balance with a key that was handed over, before it replaces one that works. */
export async function proveKey({ baseUrl, userAgent }: AccountSettings, key: string): Promise<KeyProof> {
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
