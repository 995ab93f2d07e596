import { randomBytes } from 'node:crypto';
import { expectedCredits } from '../src/books/credits.js';
import type { RowRef } from '../src/contract/workflows.js';
import type { Intent } from '../src/domain/attempt.js';
import { fedInputs } from '../src/home/feeders.js';
import type { RowWork } from '../src/home/row-work.js';
import type { CallbackOffer } from './callback-offer.js';
import type { Dependencies } from './dependencies.js';

/** What a claim says before its request leaves. `offer`: the URL that stands in the request. */
export async function intentFor(
  deps: Dependencies,
  { work, offer }: { work: RowWork; offer: CallbackOffer | undefined },
  rowRef: RowRef,
  atMs: number,
): Promise<Intent> {
  const reading = deps.books.latest;
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
    expected: await expectedCredits(deps.books, rowRef.batch, work.row),
    ...(reading && typeof balance === 'number' ? { balance: { nano: balance, atMs: reading.atMs } } : {}),
  };
}
