// F49, F50, I14: a row whose job is gone before its end was recorded ends as that job would have ended it.
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { submitActivities } from '../../activities/submit.js';
import type { AttemptState } from '../../src/domain/attempt.js';
import { type BatchOrder, writeBatchOrder } from '../../src/home/batch-order.js';
import { statesOf } from '../../src/home/row-standing.js';
import { createTransport } from '../../src/service/transport.js';
import { serve, status } from '../download/broken-server.js';
import { rowRecord } from '../support/row-record.js';
import { accountAtHand, plainRow } from './support/account-at-hand.js';

const atMs = 1_700_000_000_001;
const LOST: AttemptState = { state: 'unknown', atMs, evidence: { rule: 'S2', message: 'lost' } };
const UNBILLED: AttemptState = { state: 'verdict', atMs, verdict: 'not_billed', sentence: 'nothing left the balance' };
const REFUSED: AttemptState = { state: 'refused', atMs, rule: 'T3', next: 'fail_row', status: 400, message: 'no' };
const AWAY: AttemptState = { state: 'refused', atMs, rule: 'T1', next: 'retry_backoff', message: 'no route' };
const CREATED: AttemptState = { state: 'created', atMs, handle: 'h' };
const ENDED: AttemptState = { state: 'ended', atMs, word: 'failed', message: 'GPU lost' };

/** What the second attempt of a row comes to of which the first ended so, and the requests that were sent. */
async function second(states: AttemptState[], policy: Partial<BatchOrder['policy']>, isRecorded = false) {
  const row = plainRow('r');
  const { deps, refOf, generation } = await accountAtHand([row]);
  await writeBatchOrder(deps.home, 'b', {
    limits: { maxCreditsNano: null, maxFailures: null },
    policy: { ambiguity: 'hold', retries: 0, wasteMaxNano: 0, ...policy },
    retry: null,
  });
  const ref = { batch: 'b', id: 'r', n: 1 };
  const place = { kind: row.kind, generation, part: 0, index: 0, expected: null };
  await deps.ledger.claim(ref, { state: 'intent', atMs, nonce: 'n', rowHash: row.hash, ...place });
  for (const state of states) await deps.ledger.append(ref, state);
  const seenStates = statesOf(await deps.ledger.read('b', 'r'));
  if (isRecorded)
    await deps.records.writeRecord('b', rowRecord({ id: 'r', status: 'failed', attempts: 1, seenStates }));
  const server = await serve(status(400));
  const transport = createTransport({ baseUrl: `http://127.0.0.1:${server.port}`, userAgent: 'x', key: () => 'k' });
  const { submit } = submitActivities({ ...deps, transport });
  const input = { row: refOf(row), n: 2, grant: null, sinceMs: atMs + 1 };
  const result = await new MockActivityEnvironment().run(submit, input);
  await transport.close();
  return { result, sent: server.requests.length };
}

test.each<[string, AttemptState[], Partial<BatchOrder['policy']>, string]>([
  ['was refused as invalid', [REFUSED], {}, 'invalid_request'],
  ['was found not billed, under `hold`', [LOST, UNBILLED], {}, 'answer_lost_unbilled'],
  ['was counted as not billed, before `hold`', [LOST, { ...UNBILLED, group: 'g' }], {}, 'answer_lost_unbilled'],
  ['failed at the service, without retries', [CREATED, ENDED], {}, 'render_failed'],
])('what %s is not sent again', async (_, states, policy, reason) => {
  expect(await second(states, policy)).toEqual({ result: { outcome: 'not_sent', reason }, sent: 0 });
});

test.each<[string, AttemptState[], Partial<BatchOrder['policy']>]>([
  ['never left this machine', [AWAY], {}],
  ['was found not billed, under `if-proved`', [LOST, UNBILLED], { ambiguity: 'if-proved' }],
  ['was counted as not billed, as a person ordered', [LOST, { ...UNBILLED, group: 'g', byPerson: true }], {}],
  ['failed at the service, with a retry left', [CREATED, ENDED], { retries: 1 }],
])('what %s is', async (_, states, policy) => {
  expect(await second(states, policy)).toMatchObject({ result: { n: 2 }, sent: 1 });
});

test('with its end recorded an order brought it here', async () => {
  for (const states of [[REFUSED], [LOST, UNBILLED], [CREATED, ENDED]]) {
    expect(await second(states, {}, true)).toMatchObject({ sent: 1 });
  }
});
