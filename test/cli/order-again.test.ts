import { expect, test } from 'vitest';
import type { AttemptState } from '../../src/domain/attempt.js';
import { rowStanding } from '../../src/home/row-standing.js';
import { seededHome, T0 } from './seeded-home.js';

const LOST: AttemptState = { state: 'unknown', atMs: T0 + 5_000, evidence: { rule: 'T11', message: 'reset' } };
const UNDECIDED: AttemptState = { state: 'verdict', atMs: T0 + 6_000, verdict: 'undecided', sentence: 'either' };
const BY_POLICY: AttemptState = { state: 'overridden', atMs: T0 + 7_000, cause: 'always', by: { who: 'policy' } };
const REVIEW = { status: 'review', reasonCode: 'answer_lost_undecided' } as const;

/** The engine was stopped by order: commands record and start nothing. */
async function restingHome(states: AttemptState[]) {
  const home = await seededHome('b', [{ id: 'one', states, record: REVIEW }]);
  home.stopEngine();
  const standing = async () =>
    rowStanding(await home.records.readRecord('b', 'one'), await home.ledger.read('b', 'one'), null);
  return { home, standing };
}

test.each([
  ['resubmit', ['--yes'], 'submit'],
  ['mark-lost', [], 'case'],
  ['mark-lost', ['--not-billed'], 'case'],
])('review %s %s opens a row again that a policy let be paid again', async (command, flags, begins) => {
  const { home, standing } = await restingHome([LOST, UNDECIDED, BY_POLICY]);
  expect(await standing()).toMatchObject({ ended: true, status: 'review' });
  expect(await home.run('review', command, 'b', 'one', ...flags)).toMatchObject({ exitCode: 0 });
  expect(await standing()).toMatchObject({ ended: false, begins });
});

test('a person who gives the same order twice opens the row twice', async () => {
  const { home, standing } = await restingHome([LOST, UNDECIDED]);
  await home.run('review', 'resubmit', 'b', 'one', '--yes');
  const record = await home.records.readRecord('b', 'one');
  // As its job ends it where the budget has no room: nothing was sent.
  if (record) await home.records.writeRecord('b', { ...record, seenStates: 4 });
  expect(await standing()).toMatchObject({ ended: true });
  expect(await home.run('review', 'resubmit', 'b', 'one', '--yes')).toMatchObject({ exitCode: 0 });
  expect(await standing()).toMatchObject({ ended: false, begins: 'submit' });
});
