// A row that ended while its job may still run keeps the slot for the longest render, and no longer (design 4, I5).
import { expect, test } from 'vitest';
import { noteUnderWay } from '../../activities/row/claims.js';
import { slotActivities } from '../../activities/slots.js';
import { attemptsSince } from '../../src/books/attempts.js';
import type { AttemptState } from '../../src/domain/attempt.js';
import type { RowRecord } from '../../src/domain/outcome.js';
import { accountAtHand, MINUTE_MS, plainRow } from './support/account-at-hand.js';

async function stand(states: (atMs: number) => AttemptState[], { hasRecord = true } = {}) {
  const row = plainRow('r', { kind: 'vendor-f/video', cells: { model: 'm', prompt: 'p' } });
  const { deps, clock, refOf } = await accountAtHand([row]);
  deps.messenger = { ...deps.messenger, areOpen: async () => [false] } as typeof deps.messenger;
  const ref = { batch: 'b', id: 'r', n: 1 };
  const { generation, part, index } = refOf(row);
  const intent = { state: 'intent', atMs: clock.nowMs, nonce: 'x', rowHash: row.hash, kind: row.kind } as const;
  await deps.ledger.claim(ref, { ...intent, generation, part, index, expected: null });
  for (const state of states(clock.nowMs)) await deps.ledger.append(ref, state);
  const record = { schema: 1, id: 'r', kind: row.kind, status: 'review', reasonCode: 'job_closed', flags: [] };
  const rest = { warnings: [], attempts: 1, files: [], creditsBasis: 'unknown', rowHash: row.hash };
  if (hasRecord)
    await deps.records.writeRecord('b', { ...record, ...rest, finishedAtMs: clock.nowMs + 1 } as RowRecord);
  const sweep = async () => (await slotActivities(deps).sweepHolders({ jobs: [{ batch: 'b', id: 'r' }] }))[0]?.action;
  const recover = async () => (await slotActivities(deps).recoverOpen({ from: 0 })).holders;
  return { clock, sweep, recover, deps, ref };
}

test.each<[string, (atMs: number) => AttemptState[]]>([
  ['accepted', (atMs) => [{ state: 'created', atMs, handle: 'h' }]],
  [
    'accepted and given up',
    (atMs) => [
      { state: 'created', atMs, handle: 'h' },
      { state: 'ruled', atMs, ruling: 'billed', by: { who: 'x' } },
    ],
  ],
  ['a case', (atMs) => [{ state: 'unknown', atMs, evidence: { rule: 'T11', message: 'cut' } }]],
])('the slot of an attempt that is %s goes back', async (_, states) => {
  const { clock, sweep, recover } = await stand(states);
  expect(await sweep()).toBe('keep');
  expect(await recover()).toMatchObject([{ releaseAtMs: expect.any(Number) }]);
  clock.nowMs += 65 * MINUTE_MS;
  expect(await sweep()).toBe('free');
  expect(await recover()).toEqual([]);
});

test.each<[string, (atMs: number) => AttemptState[], { hasRecord: boolean }]>([
  ['a bare claim, its row in review', () => [], { hasRecord: true }],
  ['a bare claim without a record', () => [], { hasRecord: false }],
  ['accepted, without a record', (atMs) => [{ state: 'created', atMs, handle: 'h' }], { hasRecord: false }],
  [
    'a case without a record',
    (atMs) => [{ state: 'unknown', atMs, evidence: { rule: 'T11', message: 'cut' } }],
    { hasRecord: false },
  ],
])('the slot of a job that is gone goes back: %s', async (_, states, record) => {
  const { clock, sweep } = await stand(states, record);
  expect(await sweep()).toBe('keep');
  clock.nowMs += 75 * MINUTE_MS;
  expect(await sweep()).toBe('free');
});

test('T12: a claim whose job is gone becomes a case, and one that is being sent stays as it is', async () => {
  const { sweep, deps, ref } = await stand(() => [], { hasRecord: false });
  noteUnderWay(deps, ref, 1);
  expect(await sweep()).toBe('keep');
  expect((await deps.ledger.readAttempt(ref))?.states).toHaveLength(1);
  noteUnderWay(deps, ref, -1);
  await sweep();
  expect((await deps.ledger.readAttempt(ref))?.states.at(-1)).toMatchObject({ evidence: { rule: 'T12' } });
});

test.each<[string, (atMs: number) => AttemptState[], string]>([
  ['done', (atMs) => [{ state: 'done', atMs, outputs: [{ url: 'https://x' }], facts: {} }], 'charged'],
  ['ended unbilled', (atMs) => [...created(atMs), { state: 'ended', atMs, word: 'failed', message: 'no' }], 'unbilled'],
  ['refunded', (atMs) => [{ state: 'refused', atMs, rule: 'S1', next: 'retry_sync', message: 'no' }], 'unbilled'],
])(
  'an attempt that was %s when its process died is in the books before it leaves the index',
  async (_, states, end) => {
    const { deps, ref, recover } = await stand(states, { hasRecord: false });
    expect(await attemptsSince(deps.books, 0)).toMatchObject({ cases: [], known: [{ name: 'b/r/1' }] });
    expect(await recover()).toEqual([]);
    expect(await deps.ledger.isListed(ref)).toBe(false);
    expect(await attemptsSince(deps.books, 0)).toMatchObject({ cases: [], known: [{ name: 'b/r/1', end }] });
  },
);

const created = (atMs: number): AttemptState[] => [{ state: 'created', atMs, handle: 'h' }];

test('a grant whose job is gone is given back by a message, unless it may have run or left something at the service', async () => {
  const grant = { grant: 7, expected: null };
  const job = { batch: 'b', id: 'r' };
  const told = async (states: (atMs: number) => AttemptState[], how: { isFresh?: true }) => {
    const { deps } = await stand(states);
    const withdrawn: unknown[] = [];
    deps.messenger = {
      ...deps.messenger,
      granted: async () => false,
      withdraw: async (one) => void withdrawn.push(one),
    };
    return [await slotActivities(deps).tellGrant({ job, message: grant, ...how }), withdrawn];
  };
  const unbilled = (atMs: number): AttemptState[] => [
    { state: 'refused', atMs, rule: 'S1', next: 'retry_sync', message: 'no' },
  ];
  expect(await told(unbilled, { isFresh: true })).toEqual([true, [job]]);
  expect(await told((atMs) => [{ state: 'created', atMs, handle: 'h' }], { isFresh: true })).toEqual([true, []]);
  expect(await told(unbilled, {})).toEqual([false, []]);
});
