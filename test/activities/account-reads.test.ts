// Reads of the account that a command asked for (service document 1, Account).
import { expect, test } from 'vitest';
import { accountActivities } from '../../activities/account.js';
import { accountAtHand } from './support/account-at-hand.js';

test('an answer about the credits that cannot be read is handed to whoever asked, and is no reading', async () => {
  const { deps } = await accountAtHand([]);
  const body = Buffer.from('{"credits":"many"}');
  const answer = { status: 200, body, contentType: 'application/json' };
  Object.assign(deps, { transport: { send: async () => ({ outcome: 'answered', answer }) } });
  const { readForClient, readAccount } = accountActivities(deps);
  const { key } = await readForClient({ what: 'credits' });
  expect(Buffer.from((await deps.home.store.get(key)) ?? '')).toEqual(body);
  await expect(readAccount({ maxAgeMs: 0 })).rejects.toMatchObject({ type: 'service.unavailable' });
});

test('cases that are looked at together make one read of the balance (design 3, Reads)', async () => {
  const { deps, clock } = await accountAtHand([]);
  let sent = 0;
  let answerAll: () => void = () => undefined;
  const isSlow = new Promise<void>((resolve) => {
    answerAll = resolve;
  });
  const send = async () => {
    sent += 1;
    await isSlow;
    return { outcome: 'not_sent', phase: 'connect', code: 'ETIMEDOUT', message: 'slow', tookMs: 0 };
  };
  Object.assign(deps, { transport: { send } });
  const { readAccount } = accountActivities(deps);
  const reads = [1, 2, 3].map(() => readAccount({ maxAgeMs: 10_000 }));
  clock.nowMs += 11_000;
  // Whoever wants a newer one makes it.
  reads.push(readAccount({ maxAgeMs: 10_000 }));
  answerAll();
  const ends = await Promise.allSettled(reads);
  expect([sent, ends.map(({ status }) => status)]).toEqual([2, ['rejected', 'rejected', 'rejected', 'rejected']]);
  await expect(readAccount({ maxAgeMs: 10_000 })).rejects.toMatchObject({ type: 'service.unavailable' });
  expect(sent).toBe(3);
});
