import type { Attempt, AttemptRef, Intent } from '../src/domain/attempt.js';
import type { Dependencies } from './dependencies.js';
import { nameOf } from './running.js';

/**
 * Claims that were written without a word that they were: the store went away before it answered. Who asked for one has
 * sent nothing for it, and only this worker knows that; after its death the claim is a case like any other.
 */
const unsent = new WeakMap<Dependencies, Map<string, Set<string>>>();

function rememberUnsent(deps: Dependencies, ref: AttemptRef, nonce: string): void {
  const known = unsent.get(deps) ?? new Map<string, Set<string>>();
  unsent.set(deps, known);
  known.set(nameOf(ref), new Set(known.get(nameOf(ref))).add(nonce));
}

/** Reads the row's attempts; a claim of this one that is ours and was never sent is first recorded as refused (T1). */
export async function readAttempts(deps: Dependencies, ref: AttemptRef): Promise<Attempt[]> {
  const attempts = await deps.ledger.read(ref.batch, ref.id);
  const nonces = unsent.get(deps)?.get(nameOf(ref));
  const claimed = attempts.find(({ n }) => n === ref.n);
  const [intent, ...later] = claimed?.states ?? [];
  if (nonces === undefined || intent?.state !== 'intent' || !nonces.has(intent.nonce) || later.length > 0) {
    return attempts;
  }
  const message = 'the home did not confirm the claim, and nothing was sent';
  await deps.ledger.append(ref, { state: 'refused', atMs: deps.now(), rule: 'T1', next: 'retry_backoff', message });
  await deps.ledger.close(ref);
  unsent.get(deps)?.delete(nameOf(ref));
  return deps.ledger.read(ref.batch, ref.id);
}

/** Writes the claim of an attempt; where that fails, nothing of it was sent. */
export async function claim(
  deps: Dependencies,
  ref: AttemptRef,
  intent: Intent,
): Promise<'claimed' | 'taken' | 'no_record'> {
  try {
    return (await deps.ledger.claim(ref, intent)) ? 'claimed' : 'taken';
  } catch (error) {
    rememberUnsent(deps, ref, intent.nonce);
    deps.log.error({ ...ref, error: String(error) }, 'the claim could not be written; nothing was sent');
    return 'no_record';
  }
}
