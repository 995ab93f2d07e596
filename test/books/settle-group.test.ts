// What a person settles by its count is what `if-proved` would have settled (design 3, Interchangeable attempts; F31, F52).
import { expect, test } from 'vitest';
import { countAttempts } from '../../src/books/groups.js';
import type { Row } from '../../src/domain/row.js';
import type { Discount } from '../../src/service/account.js';
import { accountAtHand, MINUTE_MS, plainRow, readAccount } from '../activities/support/account-at-hand.js';

const CREDIT = 1_000_000_000;

/** Two answers at one credit each, lost together a minute after the account was read. */
async function twoLost(change: Partial<Row>) {
  const rows = ['a', 'b'].map((id, index) => plainRow(id, { index, ...change }));
  const kind = change.kind ?? 'svc/image';
  const at = await accountAtHand(rows, [{ kind, components: [{ unit: 'request', credits: '1' }] }]);
  const { deps, clock, generation } = at;
  const read = (credits: number) => {
    const plan = { rpm: null, concurrent: null, plan: null };
    const time = { askedMs: clock.nowMs, atMs: clock.nowMs };
    return deps.home.addCheckpoint({ ...time, balanceNano: credits * CREDIT, ...plan });
  };
  await readAccount(deps, 100);
  clock.nowMs += MINUTE_MS;
  const refs = rows.map(({ id }) => ({ batch: 'b', id, n: 1 }));
  for (const [index, ref] of refs.entries()) {
    const place = { kind, generation, part: 0, index, rowHash: `hash-${ref.id}` };
    const expected = { lo: CREDIT, hi: CREDIT };
    await deps.ledger.claim(ref, { state: 'intent', atMs: clock.nowMs, nonce: ref.id, expected, ...place });
    const evidence = { rule: 'T11', message: 'reset' };
    await deps.ledger.append(ref, { state: 'unknown', atMs: clock.nowMs + 1_000, evidence });
  }
  const count = async () => {
    const [counted] = await countAttempts(deps.books, refs);
    return counted?.isUnpriced ? 'unpriced' : (counted?.group?.billed.length ?? 'unknown');
  };
  return { ...at, read, count };
}

test('two jobs at a discount that nobody has read yet are not one at the whole price', async () => {
  const counted = async (discounts: Discount[]) => {
    const { deps, clock, read, count } = await twoLost({});
    for (let minute = 0; minute < 80; minute += 1) {
      clock.nowMs += MINUTE_MS;
      await read(99);
    }
    const before = await count();
    await deps.books.discounts.keep(discounts);
    return [before, await count()];
  };
  expect(await counted([])).toEqual(['unpriced', 1]);
  const half = { entrypoint: 'svc', multiplierPpb: 500_000_000, effectiveFromMs: 0, effectiveToMs: null };
  expect(await counted([half])).toEqual(['unpriced', 'unknown']);
});
