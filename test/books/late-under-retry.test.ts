// A row that fails by a late verdict was not meant by the retry that stood before (policy `hold`: a person decides).
import { expect, test } from 'vitest';
import { carryOut } from '../../src/books/carry-out.js';
import type { AttemptState } from '../../src/domain/attempt.js';
import { writeBatchOrder } from '../../src/home/batch-order.js';
import { orderedStanding, runOrder } from '../../src/home/run-order.js';
import { accountAtHand, plainRow } from '../activities/support/account-at-hand.js';
import { intent } from '../home/support/examples.js';
import { rowRecord } from '../support/row-record.js';

const ROW = plainRow('r');
const LOST: AttemptState = { state: 'unknown', atMs: 2, evidence: { rule: 'T11', message: 'reset' } };
const UNDECIDED: AttemptState = { state: 'verdict', atMs: 3, verdict: 'undecided', sentence: 'either' };
const UNBILLED: AttemptState = { state: 'verdict', atMs: 9, verdict: 'not_billed', sentence: 'quiet' };
const REVIEW = { status: 'review', reasonCode: 'answer_lost_undecided', rowHash: ROW.hash, seenStates: 3 } as const;

test.each([
  ['a retry that was ordered before does not send it', 'before', true],
  ['the next one does', 'next', false],
])('of a row that is found not billed after its end, %s', async (_, id, isEnded) => {
  const { deps, generation } = await accountAtHand([ROW]);
  Object.assign(deps.messenger, { rowFinished: async () => true });
  const ref = { batch: 'b', id: 'r', n: 1 };
  await deps.ledger.claim(ref, intent({ atMs: 1, rowHash: ROW.hash, kind: ROW.kind, generation, index: 0 }));
  for (const state of [LOST, UNDECIDED]) await deps.ledger.append(ref, state);
  await deps.records.writeRecord('b', rowRecord({ id: 'r', finishedAtMs: 4, ...REVIEW }));
  const limits = { maxCreditsNano: null, maxFailures: null };
  const policy = { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 } as const;
  const ordered = (retryId: string) =>
    writeBatchOrder(deps.home, 'b', { limits, policy, retry: { id: retryId, classes: [], beforeMs: 5 } });
  await ordered('before');
  await deps.ledger.append(ref, UNBILLED);
  const attempts = await deps.ledger.read('b', 'r');
  const [attempt] = attempts;
  if (attempt) await carryOut(deps.books, ref, attempt, { verdict: 'not_billed', sentence: 'quiet' });
  await ordered(id);
  const record = await deps.records.readRecord('b', 'r');
  expect(record).toMatchObject({ status: 'failed', reasonCode: 'answer_lost_unbilled' });
  const content = { hash: ROW.hash, mayRerun: false };
  expect(orderedStanding(record, attempts, await runOrder(deps, 'b', null), content).ended).toBe(isEnded);
});
