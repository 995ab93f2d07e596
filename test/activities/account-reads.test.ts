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
