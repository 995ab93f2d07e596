import type { Attempt, AttemptRef, Intent } from '../../src/domain/attempt.js';
import type { AwaitedCall } from '../../src/domain/price.js';
import { nameOf } from '../../src/home/attempts.js';
import type { Dependencies } from '../dependencies.js';

/** The paid requests of this worker: those that are under way, and claims of which only it knows that nothing was sent. */

export function isUnderWay({ calls }: Dependencies, ref: AttemptRef): boolean {
  return calls.underWay.has(nameOf(ref));
}

export function noteUnderWay({ calls }: Dependencies, ref: AttemptRef, by: 1 | -1): void {
  const name = nameOf(ref);
  const count = (calls.underWay.get(name) ?? 0) + by;
  if (count > 0) calls.underWay.set(name, count);
  else {
    calls.underWay.delete(name);
    calls.awaited.delete(name);
  }
}

/** From now until the attempt is no longer under way its answer is waited for, also by a worker that ends. */
export function noteAwaited({ calls }: Dependencies, ref: AttemptRef, call: AwaitedCall): void {
  calls.awaited.set(nameOf(ref), call);
}

/** The answer of an attempt is there, and the home does not take it. */
export function noteUnwritten({ calls }: Dependencies, ref: AttemptRef): void {
  const call = calls.awaited.get(nameOf(ref));
  if (call) call.isAnswered = true;
}

export function awaitedCalls({ calls }: Dependencies): AwaitedCall[] {
  return [...calls.awaited.values()];
}

export function endClaims({ calls }: Dependencies): void {
  calls.isEnding = true;
}

export function mayClaim({ calls }: Dependencies): boolean {
  return !calls.isEnding;
}

/**
 * Reads the row's attempts; a claim of this one that is ours and was never sent is first recorded as refused (T1): the
 * store went away before it answered. Only this worker knows that; after its death the claim is a case like any other.
 */
export async function readAttempts(deps: Dependencies, ref: AttemptRef): Promise<Attempt[]> {
  const attempts = await deps.ledger.read(ref.batch, ref.id);
  const nonces = deps.calls.unsent.get(nameOf(ref));
  const claimed = attempts.find(({ n }) => n === ref.n);
  const [intent, ...later] = claimed?.states ?? [];
  if (nonces === undefined || intent?.state !== 'intent' || !nonces.has(intent.nonce) || later.length > 0) {
    return attempts;
  }
  const message = 'the home did not confirm the claim, and nothing was sent';
  await deps.ledger.append(ref, { state: 'refused', atMs: deps.now(), rule: 'T1', next: 'retry_backoff', message });
  await deps.ledger.close(ref);
  deps.calls.unsent.delete(nameOf(ref));
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
    const { unsent } = deps.calls;
    unsent.set(nameOf(ref), new Set(unsent.get(nameOf(ref))).add(intent.nonce));
    deps.log.error({ ...ref, error: String(error) }, 'the claim could not be written; nothing was sent');
    return 'no_record';
  }
}
