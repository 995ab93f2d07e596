// A retry runs the rows that the cancel before it ends late (design 10; service orders by the home alone).
import { expect, test } from 'vitest';
import { fedRowActivities } from '../../activities/fed-rows.js';
import { resultActivities } from '../../activities/results.js';
import { rowActivities } from '../../activities/rows.js';
import type { AttemptState } from '../../src/domain/attempt.js';
import { clearCancelled, clearStopped, markCancelled, markStopped } from '../../src/home/batch-marks.js';
import { writeBatchOrder } from '../../src/home/batch-order.js';
import { notOrdered, runOrder, takeBackCancel } from '../../src/home/run-order.js';
import { intent, wholeRecord } from '../home/support/examples.js';
import { accountAtHand, plainRow } from './support/account-at-hand.js';

const ROW = plainRow('r');
const COPY = plainRow('copy', { index: 1, hash: ROW.hash, shares: 0 });

/** A row whose job wrote its end, by a cancel, after the retry that outlives it had been ordered. */
async function endedLate(status: 'cancelled' | 'failed', of = ROW) {
  const { deps, clock, refOf } = await accountAtHand(of === ROW ? [ROW] : [ROW, of]);
  deps.messenger = { ...deps.messenger, areOpen: async () => [false] } as typeof deps.messenger;
  const reasonCode = status === 'cancelled' ? 'cancelled_by_user' : 'render_failed';
  const ended = { kind: of.kind, status, reasonCode, rowHash: of.hash, attempts: 0, seenStates: 0 } as const;
  await markCancelled(deps.home, 'b', clock.nowMs);
  const limits = { maxCreditsNano: null, maxFailures: null };
  const policy = { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 } as const;
  const retry = { beforeMs: clock.nowMs + 1, classes: [] };
  await writeBatchOrder(deps.home, 'b', { limits, policy, retry });
  await deps.records.writeRecord('b', wholeRecord(of.id, { ...ended, finishedAtMs: clock.nowMs + 500 }));
  clock.nowMs += 1_000;
  const row = refOf(of);
  const sent = { hash: of.hash, earlier: [], sinceMs: clock.nowMs };
  return {
    clear: () => clearCancelled(deps.home, 'b'),
    order: () => runOrder(deps, 'b', 'unsaid'),
    page: () => {
      const { part, generation } = row;
      const start = { part, index: 0 };
      return rowActivities(deps).pageRows({ batch: 'b', generation, cursor: start, limit: 5, retry, roomNano: null });
    },
    reopen: () => fedRowActivities(deps).reopenRow({ row, cursor: null }),
    refusal: () => notOrdered(deps, row, sent),
  };
}

test('6-O10: a row that a cancel ended after the retry was ordered is run again', async () => {
  const { clear, reopen, refusal } = await endedLate('cancelled');
  expect(await reopen()).toEqual({ outcome: 'nothing' });
  await clear();
  expect(await reopen()).toMatchObject({ outcome: 'restart', begins: 'submit', was: { status: 'cancelled' } });
  expect(await refusal()).toBeUndefined();
});

test('a row that shares a render is not begun as one that is paid', async () => {
  const { clear, reopen, page } = await endedLate('cancelled', COPY);
  await clear();
  expect(await reopen()).toEqual({ outcome: 'nothing' });
  expect(await page()).toMatchObject({ entries: [{ id: 'r' }], deferred: 1 });
});

test('6-O10: its page brings it too, where that comes after its end', async () => {
  const { clear, page } = await endedLate('cancelled');
  expect(await page()).toMatchObject({ entries: [], finished: { cancelled: 1 } });
  await clear();
  expect(await page()).toMatchObject({
    entries: [expect.objectContaining({ index: 0, id: 'r', begins: 'submit', attempts: 0, upToNano: null })],
    finished: {},
  });
  const failed = await endedLate('failed');
  await failed.clear();
  expect(await failed.page()).toMatchObject({ entries: [], finished: { failed: 1 } });
});

test('6-O10: one that failed after it stays failed', async () => {
  const { clear, reopen, refusal } = await endedLate('failed');
  await clear();
  expect(await reopen()).toEqual({ outcome: 'nothing' });
  expect(await refusal()).toEqual({ outcome: 'ended', status: 'failed' });
});

test('a job that ends late does so for what asked it last: a stop that was lifted, or the cancel that came after it', async () => {
  const endedAfter = async (...orders: ('stop' | 'resume' | 'cancel' | 'retry')[]) => {
    const { deps, refOf } = await accountAtHand([ROW]);
    deps.messenger = { ...deps.messenger, rowFinished: async () => true } as typeof deps.messenger;
    for (const order of orders) {
      if (order === 'stop') await markStopped(deps.home, 'b', 'budget_reached', { atMs: 1 });
      if (order === 'cancel') await markCancelled(deps.home, 'b', 2);
      if (order === 'retry') await takeBackCancel(deps.home, 'b');
      if (order === 'retry' || order === 'resume') await clearStopped(deps.home, 'b');
    }
    await resultActivities(deps).finishRow({ row: refOf(ROW), status: 'cancelled', reason: 'cancelled_by_user' });
    const record = await deps.records.readRecord('b', 'r');
    return [record?.status, record?.reasonCode];
  };
  const [forStop, forCancel] = [
    ['not_started', 'budget_reached'],
    ['cancelled', 'cancelled_by_user'],
  ];
  expect(await endedAfter('stop', 'resume')).toEqual(forStop);
  expect(await endedAfter('stop', 'retry')).toEqual(forStop);
  expect(await endedAfter('stop', 'cancel', 'retry')).toEqual(forStop);
  expect(await endedAfter('stop', 'resume', 'cancel', 'retry')).toEqual(forCancel);
});

test('what the service says late of a lost answer sends nothing for a batch that was cancelled; a person may (I19)', async () => {
  const lost = async (last: AttemptState) => {
    const { deps, clock, generation, refOf } = await accountAtHand([ROW]);
    const ref = { batch: 'b', id: 'r', n: 1 };
    await deps.ledger.claim(ref, intent({ rowHash: ROW.hash, kind: ROW.kind, generation }));
    const evidence = { rule: 'S2', phase: 'headers', message: 'cut' } as const;
    await deps.ledger.append(ref, { state: 'unknown', atMs: clock.nowMs, evidence });
    await deps.ledger.append(ref, { state: 'verdict', atMs: clock.nowMs, verdict: 'billed', sentence: 'billed' });
    const record = { status: 'lost_paid', reasonCode: 'answer_lost_billed', creditsNano: 5, seenStates: 3 } as const;
    await deps.records.writeRecord('b', wholeRecord('r', { ...record, kind: ROW.kind, rowHash: ROW.hash }));
    await markCancelled(deps.home, 'b', clock.nowMs);
    await deps.ledger.append(ref, last);
    clock.nowMs += 1_000;
    const row = refOf(ROW);
    const asked = { batch: 'b', generation, cursor: { part: 0, index: 0 }, limit: 5, retry: null, roomNano: null };
    const earlier = await deps.ledger.read('b', 'r');
    const { finished, entries } = await rowActivities(deps).pageRows(asked);
    const refusal = await notOrdered(deps, row, { hash: ROW.hash, earlier, sinceMs: clock.nowMs });
    return { finished, begins: entries.map((entry) => entry.begins), refusal };
  };
  const refused = { state: 'refused', atMs: 1, rule: 'S1', next: 'retry_sync', message: 'refunded' } as const;
  expect(await lost(refused)).toMatchObject({ finished: { lost_paid: 1 }, begins: [] });
  const person = await lost({ state: 'overridden', atMs: 1, cause: 'person', by: { who: 'ann' } });
  expect(person).toMatchObject({ finished: {}, begins: ['submit'], refusal: undefined });
});
