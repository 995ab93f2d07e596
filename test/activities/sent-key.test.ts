// F21: the mark of a key is that of the key by which the request was sent, though another came before its answer.
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { accountActivities } from '../../activities/account.js';
import { type Handed, openDependencies } from '../../activities/dependencies.js';
import { submitActivities } from '../../activities/submit.js';
import { accountAtHand, plainRow } from './support/account-at-hand.js';

/** The key is changed while each request is under way. */
async function stand(status: number, body: object) {
  const row = plainRow('r');
  const { deps, refOf } = await accountAtHand([row]);
  let key = 'old';
  const send = async () => {
    key = 'new';
    return { outcome: 'answered', tookMs: 1, answer: { status, body: Buffer.from(JSON.stringify(body)) } };
  };
  const settings = { ...deps.settings, limits: {} };
  const changed = { ...deps, settings, transport: { send }, keyMark: () => key, onCaps: () => undefined };
  return { deps: openDependencies(changed as unknown as Handed), ref: refOf(row) };
}

test('F21: a 401 marks the refused key, so that the new one ends the pause', async () => {
  const { deps, ref } = await stand(401, { error: { code: 'invalid_api_key', message: 'no' } });
  const { submit } = submitActivities(deps);
  const result = await new MockActivityEnvironment().run(submit, { row: ref, n: 1, grant: null, sinceMs: 0 });
  expect(result).toMatchObject({ outcome: 'refused', next: 'pause_key', keyMark: 'old' });
});

test('F21: a read of the account marks the key that was accepted, and says until when its balance is complete', async () => {
  const { deps } = await stand(200, {
    credits_remaining: 5,
    rpm_limit: 60,
    concurrent_limit: 5,
    plan_level: 'pro',
  });
  const reading = await accountActivities(deps).readAccount({ maxAgeMs: 0 });
  expect(reading).toMatchObject({ keyMark: 'old', shownUntilMs: deps.now() - deps.settings.waits.lambdaMs });
});
