// A row that ended while its job may still run keeps the slot for the longest render, and no longer (design 4, I5).
import { expect, test } from 'vitest';
import { slotActivities } from '../../src/activities/slots.js';
import type { AttemptState } from '../../src/domain/attempt.js';
import type { RowRecord } from '../../src/domain/outcome.js';
import { accountAtHand, MINUTE_MS, plainRow } from './support/account-at-hand.js';

async function stand(states: (atMs: number) => AttemptState[]) {
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
  await deps.records.writeRecord('b', { ...record, ...rest, finishedAtMs: clock.nowMs + 1 } as RowRecord);
  const sweep = async () => (await slotActivities(deps).sweepHolders({ jobs: [{ batch: 'b', id: 'r' }] }))[0]?.action;
  const recover = async () => (await slotActivities(deps).recoverOpen({ from: 0 })).holders;
  return { clock, sweep, recover };
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
