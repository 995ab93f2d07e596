import { randomBytes } from 'node:crypto';
import type { RowRef } from '../src/contract/workflows.js';
import type { Intent } from '../src/domain/attempt.js';
import { lastReading } from './account.js';
import type { CallbackOffer } from './callback-offer.js';
import type { Dependencies } from './dependencies.js';
import { fedInputs } from './feeders.js';
import { expectedCredits } from './prices.js';
import type { RowWork } from './row-work.js';

/** What a claim says before its request leaves. `offer`: the URL that stands in the request. */
export async function intentFor(
  deps: Dependencies,
  { work, offer }: { work: RowWork; offer: CallbackOffer | undefined },
  rowRef: RowRef,
  atMs: number,
): Promise<Intent> {
  const reading = lastReading(deps);
  const balance = reading?.value.balanceNano;
  return {
    state: 'intent',
    atMs,
    nonce: randomBytes(32).toString('hex'),
    ...(offer ? { callbackToken: offer.token } : {}),
    rowHash: work.row.hash,
    ...(deps.callers.own === null ? {} : { caller: deps.callers.own }),
    kind: work.row.kind,
    generation: rowRef.generation,
    part: rowRef.part,
    index: rowRef.index,
    ...fedInputs(work),
    expected: await expectedCredits(deps, rowRef.batch, work.row, work.adapter),
    ...(reading && typeof balance === 'number' ? { balance: { nano: balance, atMs: reading.atMs } } : {}),
  };
}
