// I20: whoever orders it, nothing is paid beyond what the batch may cost.
import { expect, test } from 'vitest';
import type { AttemptState } from '../../src/domain/attempt.js';
import { DEFAULT_SLOT_TERMS } from '../../src/domain/batch.js';
import { readBatchOrder, writeBatchOrder } from '../../src/home/batch-order.js';
import { CREDIT, seededHome, T0 } from './seeded-home.js';

const LOST: AttemptState = { state: 'unknown', atMs: T0 + 5_000, evidence: { rule: 'T11', message: 'reset' } };
const UNDECIDED: AttemptState = {
  ...{ state: 'verdict', atMs: T0 + 600_000, verdict: 'undecided' },
  sentence: 'it can be either',
};

test.each([
  [
    0.7,
    /B52 row 'one' would be paid again up to 0\.4 credits beside 0\.4 of the batch before, and the batch's budget is 0\.7: `callsheet resume b --max-credits <n> .*` raises it; nothing was changed/,
  ],
  [0.8, /row 'one' would be paid again \(up to 0\.4 credits\): say --yes/],
])('a person pays a row again within a budget of %d credits alone', async (budget, told) => {
  const home = await seededHome('b', [
    { id: 'one', states: [LOST, UNDECIDED], record: { status: 'review', reasonCode: 'answer_lost_undecided' } },
  ]);
  await writeBatchOrder(home.home, 'b', {
    limits: { maxCreditsNano: budget * CREDIT, maxFailures: null },
    policy: { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 },
    slots: DEFAULT_SLOT_TERMS,
    prices: [{ kind: 'vendor-f/video', components: [{ unit: 'request', credits: '0.4' }] }],
  });
  await home.book.append({
    ...{ batch: 'b', id: 'one', n: 1, kind: 'vendor-f/video', end: 'undecided', lo: 0, hi: 0.4 * CREDIT },
    ...{ claimedAtMs: T0, endedAtMs: T0 + 600_000 },
  });
  const { exitCode, stderr } = await home.run('review', 'resubmit', 'b', 'one');
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(told)]);
});

test.each([
  ['rerun', 'done'],
  ['review resubmit', 'lost'],
])('%s gives the batch the prices by which it was agreed to, since its worker knows no others', async (command, id) => {
  const CREATED: AttemptState = { state: 'created', atMs: T0 + 5_000, handle: 'h' };
  const RENDERED: AttemptState = { state: 'rendered', atMs: T0 + 9_000, outputs: [], facts: {} };
  const home = await seededHome('b', [
    { id: 'done', states: [CREATED, RENDERED], record: {} },
    { id: 'lost', states: [LOST, UNDECIDED], record: { status: 'review', reasonCode: 'answer_lost_undecided' } },
  ]);
  home.stopEngine(0);
  await writeBatchOrder(home.home, 'b', {
    limits: { maxCreditsNano: 40 * CREDIT, maxFailures: null },
    policy: { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 },
  });
  const prices = [{ kind: 'vendor-f/video', components: [{ unit: 'request', credits: '0.5' }] }];
  const order = [...command.split(' '), 'b', id, '--prices', JSON.stringify(prices)];
  expect((await home.run(...order)).stderr).toContain('say --yes');
  expect((await readBatchOrder(home.home, 'b'))?.prices).toBeUndefined();
  await home.run(...order, '--yes');
  expect((await readBatchOrder(home.home, 'b'))?.prices).toEqual(prices);
});
