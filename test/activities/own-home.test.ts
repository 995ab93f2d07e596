// A home that is not the one any more, by what a batch's outputs tell (design 2: compared again at each claim).
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { pollActivities } from '../../activities/poll.js';
import { isOwnHome, refreshMarks } from '../../activities/row/home-marks.js';
import { submitActivities } from '../../activities/submit.js';
import { readBatchOrder, writeBatchOrder } from '../../src/home/batch-order.js';
import { newClaimer, writeHomeMark } from '../../src/home/home-mark.js';
import { createFolderStore } from '../../src/store/folder.js';
import { temporaryFolder } from '../store/support/temporary.js';
import { accountAtHand, plainRow } from './support/account-at-hand.js';

const LOOKED_AT_FOR_MS = 2_000;

/** A batch whose outputs can be marked by another home, and what of it was sent or paused. */
async function batchAtHand() {
  const row = plainRow('r');
  const { deps, clock, refOf } = await accountAtHand([row]);
  await deps.home.bindBaseUrl('https://service.example');
  const out = createFolderStore(temporaryFolder());
  const sent: unknown[] = [];
  const paused: string[] = [];
  Object.assign(deps, { openStore: () => out, transport: { send: async (request: unknown) => sent.push(request) } });
  Object.assign(deps.messenger, { pauseBatch: async (batch: string) => paused.push(batch) });
  const limits = { maxCreditsNano: null, maxFailures: null };
  const policy = { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 } as const;
  await writeBatchOrder(deps.home, 'b', { limits, policy, retry: null });
  // A note that this home does not hold: its copy goes on with the batch.
  const copyGoesOn = async () => {
    await writeHomeMark(out, deps.home, { batch: 'b', claimer: newClaimer(), atMs: clock.nowMs });
    await deps.home.store.removeAll('a/claims');
  };
  return { deps, clock, ref: refOf(row), sent, paused, copyGoesOn };
}

test('3-R15: nothing is claimed nor sent once a copy of the home has gone on with the batch, which is paused', async () => {
  const { deps, clock, ref, sent, paused, copyGoesOn } = await batchAtHand();
  expect(await isOwnHome(deps, 'b')).toBe(true);
  await copyGoesOn();
  clock.nowMs += LOOKED_AT_FOR_MS;
  const input = { row: ref, n: 1, grant: 1, sinceMs: clock.nowMs };
  const { submit } = submitActivities(deps);
  expect(await new MockActivityEnvironment().run(submit, input as never)).toEqual({ outcome: 'held' });
  expect([sent, paused, await deps.ledger.read('b', 'r')]).toEqual([[], ['b'], []]);
  expect(await readBatchOrder(deps.home, 'b')).toMatchObject({ isPaused: true });
});

test('an attempt that the home at hand lacks is waited for while its outputs tell of another home', async () => {
  const { deps, ref, copyGoesOn } = await batchAtHand();
  const input = { row: ref, n: 1, grant: null, expected: null, timeScale: 1 };
  const { poll } = pollActivities(deps);
  const own = new MockActivityEnvironment().run(poll, input);
  expect(await own).toMatchObject({ outcome: 'review', reason: 'record_damaged' });
  await copyGoesOn();
  deps.now = () => Date.now();
  await expect(new MockActivityEnvironment().run(poll, input)).rejects.toMatchObject({ type: 'records.unavailable' });
});

test('a mark that another home wrote is not written over by what is told later', async () => {
  const { deps, clock, copyGoesOn } = await batchAtHand();
  expect(await isOwnHome(deps, 'b')).toBe(true);
  expect(await isOwnHome(deps, 'b')).toBe(true);
  await copyGoesOn();
  await refreshMarks(deps);
  clock.nowMs += LOOKED_AT_FOR_MS;
  expect(await isOwnHome(deps, 'b')).toBe(false);
});

test('a place of outputs that cannot be read says nothing against the home', async () => {
  const { deps } = await batchAtHand();
  deps.openStore = () => {
    throw new Error('the bucket does not answer');
  };
  expect(await isOwnHome(deps, 'b')).toBe(true);
});
