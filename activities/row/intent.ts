import { randomBytes } from 'node:crypto';
import { expectedCredits } from '../../src/books/credits.js';
import type { RowRef } from '../../src/contract/workflows.js';
import { callbackUrl, type Intent } from '../../src/domain/attempt.js';
import { fedInputs } from '../../src/home/feeders.js';
import type { RowWork } from '../../src/home/row-work.js';
import type { Dependencies } from '../dependencies.js';

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

/** The URL that one attempt's status updates may be posted to. */
export interface CallbackOffer {
  /** Never the claim's nonce: that one proves whose claim it is and is told to nobody. */
  token: string;
  url: string;
}

/** A URL that nobody can guess, for a kind whose submit takes one and only where the settings say how to be reached. */
export function newCallbackOffer({ settings }: Dependencies, { adapter }: RowWork): CallbackOffer | undefined {
  const { url } = settings.callbacks;
  if (url === null || adapter.flow !== 'async' || adapter.takesCallback !== true) return undefined;
  const token = randomBytes(32).toString('base64url');
  return { token, url: callbackUrl(url, token) };
}
