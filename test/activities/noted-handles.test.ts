// A handle that a callback names while its case is at its last look is never lost (design 3, Recovering a lost handle).
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { settleActivities } from '../../activities/settle.js';
import { noteAsked } from '../../src/books/settle-case.js';
import type { LateHandleInput } from '../../src/contract/workflows.js';
import { NANO_PER_CREDIT } from '../../src/domain/money.js';
import { intent } from '../home/support/examples.js';
import { accountAtHand, MINUTE_MS, plainRow, readAccount } from './support/account-at-hand.js';

const KIND = 'vendor-a/text2video' as const;
const ROW = plainRow('r', { kind: KIND, cells: { prompt: 'a' } });
const REF = { batch: 'b', id: 'r', n: 1 };

/** A lost answer that the balance shows to be billed. */
async function billed() {
  const price = { kind: KIND, components: [{ unit: 'request' as const, credits: '0.2' }] };
  const { deps, clock, refOf, generation } = await accountAtHand([ROW], [price]);
  const late: string[] = [];
  deps.messenger.confirmLate = async ({ row, n }: LateHandleInput) => void late.push(`${row.id}/${n}`);
  await readAccount(deps, 20);
  const expected = { lo: 0.2 * NANO_PER_CREDIT, hi: 0.2 * NANO_PER_CREDIT };
  const callbackToken = randomBytes(32).toString('base64url');
  const atMs = clock.nowMs + 1_000;
  const claim = intent({ atMs, rowHash: ROW.hash, kind: KIND, generation, index: 0, expected, callbackToken });
  await deps.ledger.claim(REF, claim);
  await deps.ledger.append(REF, { state: 'unknown', atMs, evidence: { rule: 'T11', message: 'reset' } });
  const goOn = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      clock.nowMs += MINUTE_MS;
      await readAccount(deps, 19.8);
    }
  };
  await goOn(1);
  return {
    deps,
    late,
    goOn,
    note: (handle: string) => deps.callbacks.noteHandle(claim, handle, clock.nowMs),
    settle: () => settleActivities(deps).settle({ row: refOf(ROW), n: 1, ambiguity: 'if-proved' }),
  };
}

test('without one the verdict comes at once', async () => {
  const { settle, late } = await billed();
  expect(await settle()).toMatchObject({ outcome: 'verdict', verdict: 'billed' });
  expect(late).toEqual([]);
});

test('a verdict waits for a handle that came and was not asked after', async () => {
  const { deps, goOn, note, settle } = await billed();
  noteAsked(deps.books, REF, 0);
  await note('8123');
  expect(await settle()).toMatchObject({ outcome: 'wait', hinted: true });
  await goOn(16);
  noteAsked(deps.books, REF, 0);
  expect(await settle()).toMatchObject({ outcome: 'wait', hinted: true });
  noteAsked(deps.books, REF, 1);
  expect(await settle()).toMatchObject({ outcome: 'verdict', verdict: 'billed' });
});

test('one that comes while the verdict is written is asked after all the same', async () => {
  const { deps, note, settle, late } = await billed();
  const { append } = deps.ledger;
  deps.ledger.append = async (ref, state, ...rest) => {
    if (state.state === 'verdict') await note('8123');
    return append.call(deps.ledger, ref, state, ...rest);
  };
  expect(await settle()).toMatchObject({ outcome: 'verdict', verdict: 'billed' });
  expect(late).toEqual(['r/1']);
});
