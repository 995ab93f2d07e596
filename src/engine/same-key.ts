/** Whether an engine has the key that a command was given, told without showing either. */
import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ask } from './ask.js';
import type { KeyQuestion } from './control.js';
import { enginePlaces } from './places.js';
import type { AccountRegistration } from './registration.js';

const replyTimeoutMs = 5_000;

/** Asks the engine; false where none runs, where it does not serve the account, or where it is of an older build. */
export async function isEngineKey(dataFolder: string, account: string, key: string): Promise<boolean> {
  const nonce = randomBytes(16).toString('hex');
  const question = { account, nonce, proof: proofOf(key, nonce) };
  const reply = await ask(enginePlaces(dataFolder), { cmd: 'same-key', question }, replyTimeoutMs);
  return reply !== 'none' && reply !== 'silent' && reply.ok;
}

export function answersTo(key: AccountRegistration['key'] | undefined, { nonce, proof }: KeyQuestion): boolean {
  if (key === undefined) return false;
  try {
    const value = 'value' in key ? key.value : readFileSync(key.file, 'utf8').trim();
    return proofOf(value, nonce) === proof;
  } catch {
    return false;
  }
}

function proofOf(key: string, nonce: string): string {
  return createHmac('sha256', nonce).update(key).digest('hex');
}
