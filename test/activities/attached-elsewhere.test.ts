// T8: a handle that a person gave a row, and that turns out to be another row's, confirms nothing: the row stands as before.
import { expect, test } from 'vitest';
import { settleActivities } from '../../activities/settle.js';
import type { AttemptState } from '../../src/domain/attempt.js';
import { handleOf, standingOf } from '../../src/domain/standing.js';
import { takeName } from '../../src/home/handles.js';
import { statesOf } from '../../src/home/row-standing.js';
import { intent } from '../home/support/examples.js';
import { accountAtHand, plainRow } from './support/account-at-hand.js';

const ROW = plainRow('two', { kind: 'vendor-a/text2video', cells: { prompt: 'a' } });
const LOST: AttemptState = { state: 'unknown', atMs: 1, evidence: { rule: 'T11', message: 'reset' } };
const UNDECIDED: AttemptState = { state: 'verdict', atMs: 1, verdict: 'undecided', sentence: 'either' };
const CREATED: AttemptState = { state: 'created', atMs: 1, handle: 'op-0' };
const ATTACHED: AttemptState = { state: 'attached', atMs: 1, handle: 'op-1', by: { who: 'ann' } };

/** The row after a person gave it a handle whose name another attempt has, and its job has looked. */
async function givenTo(owner: string, before: AttemptState[]) {
  const { deps, refOf, generation } = await accountAtHand([ROW]);
  const ref = { batch: 'b', id: ROW.id, n: 1 };
  await deps.ledger.claim(ref, intent({ rowHash: ROW.hash, kind: ROW.kind, generation, index: 0 }));
  for (const state of [...before, ATTACHED]) await deps.ledger.append(ref, state);
  await takeName(deps.home, 'op-1', { batch: 'b', id: owner, n: 2 });
  await settleActivities(deps).inspectAttempt({ row: refOf(ROW), n: 1 });
  const attempt = (await deps.ledger.readAttempt(ref)) ?? { n: 1, states: [], torn: true };
  return { standing: standingOf(attempt), handle: handleOf(attempt), told: statesOf([attempt]) };
}

test('of another row: a verdict stands again, and tells the row nothing new', async () => {
  expect(await givenTo('one', [LOST, UNDECIDED])).toEqual({ standing: 'undecided', handle: undefined, told: 3 });
});

test('of another row: an open case goes on', async () => {
  expect(await givenTo('one', [LOST])).toMatchObject({ standing: 'open_case', handle: undefined });
});

test('of another row: a job that was accepted keeps its own handle', async () => {
  expect(await givenTo('one', [CREATED])).toMatchObject({ standing: 'created', handle: 'op-0' });
});

test('of another attempt of the same row: it is fetched for that row, and for no other', async () => {
  expect(await givenTo('two', [LOST, UNDECIDED])).toMatchObject({ standing: 'created', handle: 'op-1' });
});
