// A lost answer that was settled long ago explains nothing of the balance any more (design 3, the open index).

import { expect, test } from 'vitest';
import { settleActivities } from '../../activities/settle.js';
import { bookVerdict } from '../../src/books/charges.js';
import { slotUntilMs } from '../../src/books/waits.js';
import { NANO_PER_CREDIT } from '../../src/domain/money.js';
import type { PriceRule } from '../../src/domain/price.js';
import type { Row } from '../../src/domain/row.js';
import { accountAtHand, MINUTE_MS, plainRow, readAccount } from '../activities/support/account-at-hand.js';
import { intent } from '../home/support/examples.js';

const KIND = 'vendor-a/text2video' as const;
const EARLIER = plainRow('earlier', { kind: KIND });
const LATER = plainRow('later', { kind: KIND, index: 1 });
const PRICES: PriceRule[] = [{ kind: KIND, components: [{ unit: 'request', credits: '0.2' }] }];
const PRICE_NANO = 0.2 * NANO_PER_CREDIT;
const HALF_A_DAY = 14 * 60;

test.each(['billed', 'undecided'] as const)(
  '3-R4: a lost answer is settled by the balance though another ended %s half a day before',
  async (verdict) => {
    const { deps, clock, refOf, generation } = await accountAtHand([EARLIER, LATER], PRICES);
    const startMs = clock.nowMs;
    const read = (minute: number, credits: number) => {
      clock.nowMs = startMs + minute * MINUTE_MS;
      return readAccount(deps, credits);
    };
    const lose = async ({ id, hash: rowHash, index }: Row, minute: number) => {
      const atMs = startMs + minute * MINUTE_MS;
      const expected = { lo: PRICE_NANO, hi: PRICE_NANO };
      const ref = { batch: 'b', id, n: 1 };
      await deps.ledger.claim(ref, intent({ atMs, rowHash, kind: KIND, generation, index, expected }));
      await deps.ledger.append(ref, { state: 'unknown', atMs, evidence: { rule: 'T11', message: 'reset' } });
      return ref;
    };
    const ref = await lose(EARLIER, 0);
    await deps.ledger.append(ref, { state: 'verdict', atMs: clock.nowMs, verdict, sentence: 'as it was' });
    const attempt = (await deps.ledger.readAttempt(ref)) ?? { n: 1, states: [], torn: true };
    const endedAtMs = slotUntilMs(deps, attempt, KIND, EARLIER);
    await bookVerdict(deps.books, EARLIER, ref, { attempt, endedAtMs, verdict, goneMs: null });

    await read(HALF_A_DAY - 1, 20);
    await lose(LATER, HALF_A_DAY);
    for (const minute of [1, 2, 3]) await read(HALF_A_DAY + minute, 19.8);
    const settled = await settleActivities(deps).settle({ row: refOf(LATER), n: 1 });
    expect(settled).toMatchObject({ outcome: 'verdict', verdict: 'billed' });
    expect(await deps.ledger.isListed(ref)).toBe(false);
  },
);
