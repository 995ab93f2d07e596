// Claims of a batch whose budget was lowered go one after the other; a claim that waited for its turn is no old one.
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { type Handed, openDependencies } from '../../activities/dependencies.js';
import { submitActivities } from '../../activities/submit.js';
import { writeBatchOrder } from '../../src/home/batch-order.js';
import { accountAtHand, plainRow, readAccount } from './support/account-at-hand.js';

const CREDIT = 1_000_000_000;

test('a claim is as fresh as it is, however long it waited for those before it', async () => {
  const rows = Array.from({ length: 20 }, (_, index) => plainRow(`r${index}`, { index }));
  const at = await accountAtHand(rows, [{ kind: 'svc/image', components: [{ unit: 'request', credits: '0.01' }] }]);
  let [sent, tooOld] = [0, 0];
  const send = async (_request: unknown, { beforeSend }: { beforeSend: () => void }) => {
    try {
      beforeSend();
      sent += 1;
    } catch {
      tooOld += 1;
    }
    return { outcome: 'not_sent', phase: 'connect', code: 'ECONNREFUSED', message: 'away', tookMs: 0 };
  };
  const { book } = at.deps;
  const deps = openDependencies({
    ...at.deps,
    transport: { send },
    // The sum over a long batch takes a second: of 50,000 ended rows, or of a week of a home in a bucket.
    book: {
      ...book,
      endedOf: async (batch: string) => {
        at.clock.nowMs += 1_000;
        return book.endedOf(batch);
      },
    },
  } as unknown as Handed);
  await readAccount(deps, 100);
  await writeBatchOrder(deps.home, 'b', {
    limits: { maxCreditsNano: 10 * CREDIT, maxFailures: null },
    policy: { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 },
    isBudgetLowered: true,
    retry: null,
  });
  const submits = rows.map((row) => {
    const input = { row: at.refOf(row), n: 1, grant: null, sinceMs: 0, upToNano: CREDIT };
    return new MockActivityEnvironment().run(submitActivities(deps).submit, input);
  });
  await Promise.all(submits);
  expect({ sent, tooOld }).toEqual({ sent: 20, tooOld: 0 });
});
