// What an earlier attempt comes to, late, takes nothing from a row that is done by a later one (G2): its handle turned up
// in a callback after the row had been paid again.
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { resultActivities } from '../../activities/results.js';
import type { AttemptState } from '../../src/domain/attempt.js';
import type { RowRecord } from '../../src/domain/outcome.js';
import { statesOf } from '../../src/home/row-standing.js';
import { intent } from '../home/support/examples.js';
import { rowRecord } from '../support/row-record.js';
import { accountAtHand, plainRow } from './support/account-at-hand.js';

const ROW = plainRow('r', { kind: 'vendor-a/text2video', cells: { prompt: 'a bird' } });
const FILE = { file: 'media/r.mp4', contentType: 'video/mp4', bytes: 9, sha256: 'two' };
const atMs = 1_700_000_000_001;
const LOST: AttemptState = { state: 'unknown', atMs, evidence: { rule: 'T11', message: 'reset' } };
const UNBILLED: AttemptState = { state: 'verdict', atMs, verdict: 'not_billed', sentence: 'nothing left the balance' };
const UNDECIDED: AttemptState = { state: 'verdict', atMs, verdict: 'undecided', sentence: 'either' };
const AGAIN: AttemptState = { state: 'overridden', atMs, cause: 'always', by: { who: 'policy' } };
const RULED: AttemptState = { state: 'ruled', atMs, ruling: 'not_billed', by: { who: 'ann' } };
const CREATED: AttemptState = { state: 'created', atMs, handle: 'one' };
const ENDED: AttemptState = { state: 'ended', atMs, word: 'failed', message: 'no face' };

async function doneBySecond(first: AttemptState[], change: Partial<RowRecord> = {}) {
  const { deps, refOf, generation } = await accountAtHand([ROW]);
  const claim = { atMs, rowHash: ROW.hash, kind: ROW.kind, generation, index: 0 };
  const attempts = [
    first,
    [
      { ...CREATED, handle: 'two' },
      { state: 'rendered', atMs, outputs: [], facts: {} },
    ],
  ];
  for (const [i, states] of attempts.entries()) {
    const ref = { batch: 'b', id: 'r', n: i + 1 };
    await deps.ledger.claim(ref, intent(claim));
    for (const state of states as AttemptState[]) await deps.ledger.append(ref, state);
  }
  const seenStates = statesOf(await deps.ledger.read('b', 'r')) - 2;
  const done = { id: 'r', kind: ROW.kind, rowHash: ROW.hash, attempts: 2, files: [FILE], seenStates };
  await deps.records.writeRecord('b', { ...rowRecord(done), ...change });
  const messenger = { ...deps.messenger, rowFinished: async () => true };
  const { finishRow } = resultActivities({ ...deps, messenger } as never);
  const end = { row: refOf(ROW), n: 1, status: 'failed', reason: 'render_failed' } as const;
  await new MockActivityEnvironment().run(finishRow, end);
  return deps.records.readRecord('b', 'r');
}

test.each([
  ['was paid again by the policy', [LOST, UNDECIDED, AGAIN]],
  ['was found not billed', [LOST, UNBILLED]],
  ['was ruled not billed', [LOST, RULED]],
])('the first attempt %s, and its job turns out to have failed', async (_, first) => {
  const record = await doneBySecond([...first, CREATED, ENDED]);
  expect(record).toMatchObject({ status: 'done', files: [FILE], attempts: 2, flags: [] });
  expect(record?.warnings).toEqual(['an earlier attempt of the row ended failed (render_failed: failed: no face)']);
});

test('a row that needs a person since there was another job keeps its file, too', async () => {
  const asked = { status: 'review', reasonCode: 'verdict_contradicted', reason: 'a late answer' } as const;
  const record = await doneBySecond([LOST, UNBILLED, CREATED, ENDED], asked);
  expect(record).toMatchObject({ ...asked, files: [FILE] });
});
