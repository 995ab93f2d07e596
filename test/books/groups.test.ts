// Interchangeable attempts are settled by their count, by the policy of their own batches (design 3).

import { expect, test } from 'vitest';
import { attemptsSince } from '../../src/books/attempts.js';
import { gatherEvidence } from '../../src/books/evidence.js';
import { finishBooks } from '../../src/books/finish-books.js';
import { countAttempts, isSameCount, recordGroup, settleTogether } from '../../src/books/groups.js';
import type { Attempt } from '../../src/domain/attempt.js';
import { NANO_PER_CREDIT } from '../../src/domain/money.js';
import { writeBatchOptions, writeBatchOrder } from '../../src/home/batch-order.js';
import { createRowsWriter } from '../../src/home/rows-writer.js';
import type { Group } from '../../src/home/verdicts.js';
import { StoreError } from '../../src/store/port.js';
import { accountAtHand, MINUTE_MS, plainRow } from '../activities/support/account-at-hand.js';
import { intent } from '../home/support/examples.js';

type Policy = 'hold' | 'if-proved' | 'always';

const ROW = plainRow('r');
const PRICES = [{ kind: ROW.kind, components: [{ unit: 'request' as const, credits: '0.2' }] }];
const PRICE_NANO = 0.2 * NANO_PER_CREDIT;
const NEVER: Attempt = { n: 1, states: [], torn: true };
const LOST = { rule: 'T11', message: 'reset' };

/** One lost answer in each batch, all at one price, a minute apart; batch `b` is the first. */
async function lostIn(policies: Record<string, Policy | 'unknown'>) {
  const { deps, clock } = await accountAtHand([ROW], PRICES);
  const options = { out: '/out', onExists: 'fail', responseFormat: 'url', manifestFolder: '/in' } as const;
  for (const [batch, ambiguity] of Object.entries(policies)) {
    await writeBatchOptions(deps.home, batch, { schema: 1, ...options, maxOutputBytes: 1e9 });
    const writer = createRowsWriter(deps.home.store, 'a', batch);
    await writer.add({ row: ROW, raw: {} });
    const { generation } = await writer.finish({ columns: [], passthroughColumns: [], createdAtMs: 1 });
    if (ambiguity !== 'unknown') {
      const limits = { maxCreditsNano: null, maxFailures: null };
      await writeBatchOrder(deps.home, batch, { limits, policy: { ambiguity, retries: 0, wasteMaxNano: 0 } });
    }
    const ref = { batch, id: 'r', n: 1 };
    const expected = { lo: PRICE_NANO, hi: PRICE_NANO };
    await deps.ledger.claim(
      ref,
      intent({ atMs: clock.nowMs, rowHash: ROW.hash, kind: ROW.kind, generation, index: 0, expected }),
    );
    await deps.ledger.append(ref, { state: 'unknown', atMs: clock.nowMs, evidence: LOST });
    clock.nowMs += MINUTE_MS;
  }
  const equalsOf = async (batch: string) => {
    const ref = { batch, id: 'r', n: 1 };
    const attempt = await deps.ledger.readAttempt(ref);
    const mayGroup = policies[batch] !== 'hold';
    const { equals, rivals } = await gatherEvidence(
      deps.books,
      ROW.kind,
      ref,
      attempt ?? { n: 1, states: [], torn: true },
      {
        mayGroup,
      },
    );
    return { equals: equals.sort(), rivals: rivals.length };
  };
  return { deps, clock, equalsOf };
}

test('a lost answer under `hold` is in no group of another batch, and is weighed all the same', async () => {
  const { equalsOf } = await lostIn({ b: 'if-proved', held: 'hold', c: 'always', old: 'unknown' });
  expect(await equalsOf('b')).toEqual({ equals: ['c/r/1'], rivals: 3 });
  expect(await equalsOf('c')).toEqual({ equals: ['b/r/1'], rivals: 3 });
  expect(await equalsOf('held')).toEqual({ equals: [], rivals: 3 });
});

test('the time of a group counts from its own first member', async () => {
  const { equalsOf, deps } = await lostIn({ held: 'hold', b: 'if-proved', c: 'if-proved' });
  // Three hours, in which a group is open, are a minute and a half here.
  deps.settings.timeScale = 120;
  expect(await equalsOf('b')).toEqual({ equals: ['c/r/1'], rivals: 2 });
});

const group: Group = {
  ...{ schema: 1, id: 'g1', members: ['b/r/1', 'c/r/1', 'd/r/1'], billed: ['c/r/1'] },
  ...{ sentence: 'one of three', atMs: 1 },
};
const THREE = { b: 'hold', c: 'hold', d: 'hold' } as const;
const refs = Object.keys(THREE).map((batch) => ({ batch, id: 'r', n: 1 }));

test('a home that fails while a group is recorded: the same again goes on and ends the same', async () => {
  const { deps } = await lostIn(THREE);
  const { append } = deps.ledger;
  let writes = 0;
  const failing = async (...said: Parameters<typeof append>) => {
    writes += 1;
    if (writes === 2) throw new StoreError('FULL', 'no room');
    return append(...said);
  };
  await expect(recordGroup({ ...deps.books, ledger: { ...deps.ledger, append: failing } }, group)).rejects.toThrow(
    'no room',
  );
  const counted = await countAttempts(deps.books, refs);
  expect(counted.map(({ members, group: of }) => [members.map(({ name }) => name), of])).toEqual([
    [['c/r/1', 'd/r/1'], { ...group, byPerson: true }],
  ]);
  for (const { group: of } of counted) expect(of && (await recordGroup(deps.books, of))).toBe(true);
  const verdicts = await Promise.all(refs.map(async (ref) => (await deps.ledger.readAttempt(ref))?.states.at(-1)));
  expect(verdicts).toMatchObject([{ verdict: 'not_billed' }, { verdict: 'billed' }, { verdict: 'not_billed' }]);
  expect(await countAttempts(deps.books, refs)).toEqual([]);
});

test('a charge of the group can be that of its first member, whichever counts as the billed one', async () => {
  const { deps, clock } = await lostIn(THREE);
  const firstMs = clock.nowMs - 3 * MINUTE_MS;
  await recordGroup(deps.books, { ...group, sinceMs: firstMs, billed: ['d/r/1'] });
  const { known } = await attemptsSince(deps.books, 0);
  const billed = known.find(({ name, end }) => name === 'd/r/1' && end === 'billed');
  expect(billed?.claimedAtMs).toBe(firstMs);
});

test('a later group counts with an earlier one that may still be given back, whole and by labels', async () => {
  const { deps, clock } = await lostIn({ b: 'if-proved', c: 'if-proved', d: 'if-proved', e: 'if-proved' });
  await recordGroup(deps.books, { ...group, untilMs: clock.nowMs });
  const ref = { batch: 'e', id: 'r', n: 1 };
  const judgedOf = async () => {
    const attempt = (await deps.ledger.readAttempt(ref)) ?? NEVER;
    const { judged } = await gatherEvidence(deps.books, ROW.kind, ref, attempt, { mayGroup: true });
    return judged && [judged.cases.map(({ name }) => name).sort(), judged.billed];
  };
  expect(await judgedOf()).toEqual([group.members, 1]);
  // None of a batch whose lost answers are a person's.
  const limits = { maxCreditsNano: null, maxFailures: null };
  await writeBatchOrder(deps.home, 'c', { limits, policy: { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 } });
  expect(await judgedOf()).toBeUndefined();
});

test('an attempt that is settled while the home is read is seen, as it was or as it is', async () => {
  const { deps } = await lostIn(THREE);
  const each: typeof deps.book.each = async function* (sinceMs) {
    yield* deps.book.each(sinceMs);
    await recordGroup(deps.books, group);
  };
  const seen = await attemptsSince({ ...deps.books, book: { ...deps.book, each } }, 0);
  expect(seen.cases.map(({ name }) => name).sort()).toEqual(group.members);
});

test('a verdict that a crash cut off from its entry is open until its row ends, and entered then', async () => {
  const { deps, clock } = await lostIn({ b: 'hold' });
  const ref = { batch: 'b', id: 'r', n: 1 };
  await deps.ledger.append(ref, { state: 'verdict', atMs: clock.nowMs, verdict: 'billed', sentence: 'it fell' });
  expect((await attemptsSince(deps.books, 0)).cases.map(({ name }) => name)).toEqual(['b/r/1']);
  await finishBooks(deps.books, ref, (await deps.ledger.readAttempt(ref)) ?? NEVER);
  const { cases, known } = await attemptsSince(deps.books, 0);
  expect([cases, known.map(({ name, end }) => [name, end])]).toEqual([[], [['b/r/1', 'billed']]]);
});

test('what was settled with others meanwhile is not settled as it was shown', async () => {
  const { deps } = await lostIn(THREE);
  const shown = await countAttempts(deps.books, refs);
  expect(isSameCount(shown, await countAttempts(deps.books, refs))).toBe(true);
  await deps.groups.write({ batch: 'b', id: 'r', n: 1 }, { ...group, id: 'g2', members: ['b/r/1', 'c/r/1'] });
  expect(isSameCount(shown, await countAttempts(deps.books, refs))).toBe(false);
  expect(await recordGroup(deps.books, group)).toBe(false);
  expect((await deps.ledger.readAttempt({ batch: 'd', id: 'r', n: 1 }))?.states).toHaveLength(2);
});

test('an answer that comes while a person is asked changes the count', async () => {
  const { deps, clock } = await lostIn(THREE);
  const shown = await countAttempts(deps.books, refs);
  const handle = { state: 'created', atMs: clock.nowMs, handle: 'late' } as const;
  await deps.ledger.append({ batch: 'd', id: 'r', n: 1 }, handle);
  expect(isSameCount(shown, await countAttempts(deps.books, refs))).toBe(false);
});

test("a damaged record of a group: its first member is a person's, and nothing is decided in its place", async () => {
  const { deps, clock } = await lostIn({ b: 'if-proved', c: 'if-proved' });
  await deps.groups.write({ batch: 'b', id: 'r', n: 1 }, group);
  const key = deps.home.keys.group({ batch: 'b', id: 'r', n: 1 });
  await deps.home.store.put(key, Buffer.from('{"schema":1,"id":'));
  const ref = { batch: 'b', id: 'r', n: 1 };
  const attempt = await deps.ledger.readAttempt(ref);
  const evidence = await gatherEvidence(deps.books, ROW.kind, ref, attempt ?? { n: 1, states: [], torn: true }, {
    mayGroup: true,
  });
  const counted = { outcome: 'group', billed: 1, goneMs: clock.nowMs, sentence: 'one of two' } as const;
  expect(await settleTogether(deps.books, evidence, counted)).toMatchObject({
    verdict: 'undecided',
    sentence: expect.stringContaining('cannot be read'),
  });
});
