import { settleActivities } from '../../../activities/settle.js';
import { bookEnd } from '../../../src/books/charges.js';
import { NANO_PER_CREDIT } from '../../../src/domain/money.js';
import type { PriceRule } from '../../../src/domain/price.js';
import type { Row } from '../../../src/domain/row.js';
import type { EndState } from '../../../src/home/attempts.js';
import { writeBatchOrder } from '../../../src/home/batch-order.js';
import { accountAtHand, MINUTE_MS, plainRow, readAccount } from '../../activities/support/account-at-hand.js';
import { intent } from '../../home/support/examples.js';

export const FILM = 'vendor-a/text2video' as const;
const cells = { model: 'vendor-a-v3', prompt: 'a bird', duration: '5' };
const PRICE_NANO = 0.2 * NANO_PER_CREDIT;
export const PRICE_OF_FILM: PriceRule[] = [{ kind: FILM, components: [{ unit: 'request', credits: '0.2' }] }];

export const filmsOf = (...ids: string[]): Row[] => ids.map((id, index) => plainRow(id, { kind: FILM, index, cells }));

/** An account whose batch `b` renders films of 0.2 credits under `if-proved`; 20 credits, read each minute. */
export async function filmsAtHand(rows: readonly Row[], prices = PRICE_OF_FILM) {
  const at = await accountAtHand(rows, prices);
  const { deps, clock, refOf, generation } = at;
  const startMs = clock.nowMs;
  await writeBatchOrder(deps.home, 'b', {
    limits: { maxCreditsNano: null, maxFailures: null },
    policy: { ambiguity: 'if-proved', retries: 0, wasteMaxNano: 0 },
  });
  Object.assign(deps.books.messenger, { reopen: async () => true, rowFinished: async () => true });
  const price = { lo: PRICE_NANO, hi: PRICE_NANO };
  let next = 0;

  const claim = async ({ id, hash: rowHash, index }: Row, n = 1, expected: typeof price | null = price) => {
    const ref = { batch: 'b', id, n };
    const told = { atMs: clock.nowMs, rowHash, kind: FILM, generation, index, expected };
    await deps.ledger.claim(ref, intent(told as never));
    return ref;
  };
  return {
    ...at,
    startMs,
    claim,
    /** Claims an attempt whose answer never comes. */
    async lose(row: Row, n = 1) {
      const evidence = { rule: 'T11', message: 'reset' } as const;
      await deps.ledger.append(await claim(row, n), { state: 'unknown', atMs: clock.nowMs, evidence });
    },
    /** The service says that the job of an attempt, of which a handle is known, is done. */
    async render(row: Row, n: number, claimedAtMs: number, createdAtMs = clock.nowMs) {
      const ref = { batch: 'b', id: row.id, n };
      const end: EndState = { state: 'rendered', atMs: clock.nowMs, outputs: [], facts: {} };
      await deps.ledger.append(ref, end);
      await bookEnd(deps.books, row, ref, end, { claimedAtMs, createdAtMs });
    },
    created: (row: Row, n: number, handle: string) =>
      deps.ledger.append({ batch: 'b', id: row.id, n }, { state: 'created', atMs: clock.nowMs, handle }),
    /** Reads the balance each minute from where it was read last; `spentAt` gives the credits spent by then. */
    async readUntil(minute: number, spentAt: (minute: number) => number = () => 0) {
      for (; next <= minute; next += 1) {
        clock.nowMs = startMs + next * MINUTE_MS;
        await readAccount(deps, Math.round((20 - spentAt(next)) * 10) / 10);
        clock.nowMs += 1_000;
      }
    },
    /** Nothing is read until this minute. */
    sleepUntil(minute: number) {
      next = minute;
    },
    settle: (row: Row) => settleActivities(deps).settle({ row: refOf(row), n: 1, ambiguity: 'if-proved' }),
  };
}
