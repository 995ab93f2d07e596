// After a batch was handed over, whether its key is still refused is asked for once; nobody has to answer.
import { WorkflowNotFoundError } from '@temporalio/client';
import { beforeEach, expect, test } from 'vitest';
import { type BatchPlace, openHomeAccess } from '../../src/cli/access/home-access.js';
import type { WorkAccess } from '../../src/cli/access/work-access.js';
import { refusedKeyTold, tryRefusedKey } from '../../src/cli/batch/batch-source.js';
import type { Session } from '../../src/cli/session.js';
import { temporaryFolder } from '../store/support/temporary.js';

const noWorker = Object.assign(new Error('no poller seen for task queue recently, worker may be down'), {
  name: 'ServiceError',
});
let asked: string[] = [];

beforeEach(() => {
  asked = [];
});

const batchAtHand = (): BatchPlace => {
  const session = { config: { home: temporaryFolder(), account: { name: 'a' }, s3: {} } } as unknown as Session;
  return { session, access: openHomeAccess(session.config), batch: 'b' };
};

/** A Temporal whose semaphore answers so, and whose read of the account ends so. */
function workAtHand(query: () => unknown, read: () => unknown = () => undefined): WorkAccess {
  const handle = {
    query: async () => query(),
    result: async () => read(),
    signal: async () => void asked.push('signal'),
  };
  const workflow = {
    getHandle: () => handle,
    start: async () => {
      asked.push('read');
      return handle;
    },
  };
  const connection = { withDeadline: (_deadline: number, look: () => unknown) => look() };
  return { isShared: true, temporal: { client: { workflow, connection } } } as unknown as WorkAccess;
}

const fails = (error: Error) => () => {
  throw error;
};
const keyPaused = () => ({ pauses: [{ reason: 'key', sinceMs: 1 }] });

test('an order to a batch stands while no worker serves its account: nobody can say what holds it back', async () => {
  expect(await tryRefusedKey(batchAtHand(), workAtHand(fails(noWorker)))).toBeUndefined();
  const absent = workAtHand(fails(new WorkflowNotFoundError('none', 'semaphore', undefined)));
  expect(await tryRefusedKey(batchAtHand(), absent)).toBeUndefined();
  expect(
    await tryRefusedKey(
      batchAtHand(),
      workAtHand(() => ({ pauses: [] })),
    ),
  ).toBeUndefined();
  expect(asked).toEqual([]);
});

test('a defect is not taken for a worker that is away', async () => {
  await expect(tryRefusedKey(batchAtHand(), workAtHand(fails(new TypeError('no'))))).rejects.toThrow('no');
  await expect(refusedKeyTold(batchAtHand(), workAtHand(fails(new TypeError('no'))))).rejects.toThrow('no');
});

test('whoever follows a batch is told of a read without an answer, and follows on', async () => {
  const unread = workAtHand(keyPaused, () => ({ key: 'reads/credits.json' }));
  expect(await refusedKeyTold(batchAtHand(), unread)).toContain('the answer of the service is not in');
  const broken = workAtHand(keyPaused, fails(noWorker));
  expect(await refusedKeyTold(batchAtHand(), broken)).toBeUndefined();
  expect(asked).toEqual(['read', 'read']);
});
