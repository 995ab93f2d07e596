// After a cancel nothing is sent, however late the word reaches the job (I19; service document 2: there is no cancel).
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { submitActivities } from '../../activities/submit.js';
import { markCancelled } from '../../src/home/batch-marks.js';
import { createTransport } from '../../src/service/transport.js';
import { serve, status } from '../download/broken-server.js';
import { accountAtHand, plainRow } from './support/account-at-hand.js';

/** A worker with one row to submit, and a service that counts requests. */
async function stand() {
  const row = plainRow('r');
  const { deps, refOf } = await accountAtHand([row]);
  const server = await serve(status(400));
  const transport = createTransport({ baseUrl: `http://127.0.0.1:${server.port}`, userAgent: 'x', key: () => 'k' });
  const { submit } = submitActivities({ ...deps, transport });
  return {
    home: deps.home,
    requests: server.requests,
    close: () => transport.close(),
    attempts: () => deps.ledger.read('b', 'r'),
    submit: (sinceMs: number) =>
      new MockActivityEnvironment().run(submit, { row: refOf(row), n: 1, grant: null, sinceMs }),
  };
}

test('I19: a job that began before its batch was cancelled claims nothing and sends nothing', async () => {
  const one = await stand();
  await markCancelled(one.home, 'b', 1_000);
  expect(await one.submit(999)).toEqual({ outcome: 'not_sent', reason: 'cancelled_by_user' });
  expect(one.requests).toEqual([]);
  expect(await one.attempts()).toEqual([]);
  await one.close();
});

test('a job that was opened after the cancel, as a person asked for, is sent', async () => {
  const one = await stand();
  await markCancelled(one.home, 'b', 1_000);
  expect(await one.submit(1_001)).toMatchObject({ outcome: 'standing', standing: 'open_case' });
  expect(one.requests).toHaveLength(1);
  await one.close();
});
