// F31: while an account rests nobody asks for its discounts; a batch is priced by those that its plan was made with.
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import type { Dependencies, Handed } from '../../activities/dependencies.js';
import { openDependencies } from '../../activities/dependencies.js';
import { slotActivities } from '../../activities/slots.js';
import { expectedCredits } from '../../src/books/credits.js';
import { accountAtHand, MINUTE_MS, plainRow } from './support/account-at-hand.js';

const HALF = { entrypoint: 'svc', multiplier: 0.5, effective_from: '2020-01-01T00:00:00Z', effective_to: null };

async function restedAccount(answer: () => Promise<unknown>) {
  const row = plainRow('r');
  const { deps, clock } = await accountAtHand(
    [row],
    [{ kind: 'svc/image', components: [{ unit: 'request', credits: '1' }] }],
  );
  await deps.books.discounts.keep([]);
  let begun = 0;
  const ensureSemaphore = async () => {
    begun += 1;
  };
  const all = openDependencies({
    ...deps,
    messenger: { ensureSemaphore },
    transport: { send: answer },
  } as unknown as Handed);
  const begin = (of: Dependencies) => new MockActivityEnvironment().run(slotActivities(of).ensureSemaphore);
  clock.nowMs += 20 * MINUTE_MS;
  await begin(all);
  return { begun, price: await expectedCredits(all.books, 'b', row) };
}

test('a discount that began meanwhile is known for the first rows', async () => {
  const body = Buffer.from(JSON.stringify({ discounts: [HALF] }));
  const answer = async () => ({ outcome: 'answered', tookMs: 1, answer: { status: 200, body } });
  expect(await restedAccount(answer)).toEqual({ begun: 1, price: { lo: 500_000_000, hi: 1_000_000_000 } });
});

test('a service that is away keeps no batch from its start', async () => {
  const away = async () => ({ outcome: 'not_sent', phase: 'connect', code: 'ECONNREFUSED', message: '', tookMs: 1 });
  expect(await restedAccount(away)).toEqual({ begun: 1, price: { lo: 1_000_000_000, hi: 1_000_000_000 } });
});
