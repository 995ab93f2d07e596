// A row whose manifest was changed and changed back: its attempts for the other content are no attempts of this one.
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { resultActivities } from '../../activities/results.js';
import { submitActivities } from '../../activities/submit.js';
import type { AttemptState } from '../../src/domain/attempt.js';
import { rowStanding } from '../../src/home/row-standing.js';
import { createTransport } from '../../src/service/transport.js';
import { serve, status } from '../download/broken-server.js';
import { accountAtHand, plainRow } from './support/account-at-hand.js';

const REFUSED: AttemptState = { state: 'refused', atMs: 2, rule: 'T3', next: 'fail_row', message: 'no' };
const LOST: AttemptState = { state: 'unknown', atMs: 2, evidence: { rule: 'T11', message: 'reset' } };

/** A row with its first content again: attempt 1 was made for that and `ended` so, attempt 2 for other content was refused. */
async function contentBack(...ended: AttemptState[]) {
  const row = plainRow('r');
  const { deps, refOf, generation } = await accountAtHand([row]);
  const attempt = async (n: number, rowHash: string, states: AttemptState[]) => {
    const ref = { batch: 'b', id: 'r', n };
    const place = { kind: row.kind, generation, part: 0, index: 0, expected: null };
    await deps.ledger.claim(ref, { state: 'intent', atMs: n, nonce: `n${n}`, rowHash, ...place });
    for (const state of states) await deps.ledger.append(ref, state);
  };
  await attempt(1, row.hash, ended);
  await attempt(2, 'hash-other', [REFUSED]);
  return { deps, row, ref: refOf(row) };
}

test('its next attempt is numbered after all of them', async () => {
  const { deps, row } = await contentBack(REFUSED);
  const attempts = await deps.ledger.read('b', 'r');
  const content = { hash: row.hash, mayRerun: true };
  expect(rowStanding(undefined, attempts, null, content)).toEqual({ ended: false, begins: 'submit', attempts: 2 });
});

test('a case that ended unbilled is followed by an attempt of its own, never by what the other content came to', async () => {
  const { deps, ref } = await contentBack(LOST, {
    state: 'verdict',
    atMs: 3,
    verdict: 'not_billed',
    sentence: 'the balance',
  });
  const server = await serve(status(400));
  const transport = createTransport({ baseUrl: `http://127.0.0.1:${server.port}`, userAgent: 'x', key: () => 'k' });
  const { submit } = submitActivities({ ...deps, transport });
  const send = (n: number) => new MockActivityEnvironment().run(submit, { row: ref, n, grant: null, sinceMs: 10 });
  expect(await send(2)).toEqual({ outcome: 'standing', n: 2, standing: 'void' });
  expect(server.requests).toHaveLength(0);
  expect(await send(3)).toMatchObject({ n: 3 });
  expect(server.requests).toHaveLength(1);
  await transport.close();
});

test('a case that nothing decides ends the row as one of its own content, for a person to rule on', async () => {
  const { deps, row, ref } = await contentBack(LOST, {
    state: 'verdict',
    atMs: 3,
    verdict: 'undecided',
    sentence: 'the balance',
  });
  const { finishRow } = resultActivities({
    ...deps,
    messenger: { ...deps.messenger, rowFinished: async () => true },
  });
  await finishRow({ row: ref, status: 'review', n: 1, reason: 'answer_lost_undecided' });
  const record = await deps.records.readRecord('b', 'r');
  expect(record).toMatchObject({ status: 'review', reasonCode: 'answer_lost_undecided', rowHash: row.hash });
});
