// What is seen of a batch whose workflow answers no question (F51: a worker that sleeps longer than a task may take).
import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { progressOf } from '../../src/temporal/look.js';

/** As a history looks that cannot be replayed: a query fails, the end stands. */
function clientWith(status: 'RUNNING' | 'COMPLETED'): Client {
  const handle = {
    query: () => Promise.reject(new Error('Nondeterminism error')),
    describe: async () => ({ status: { name: status } }),
    result: async () => ({ counts: {} }),
  };
  const connection = { withDeadline: (_: number, look: () => Promise<unknown>) => look() };
  return { connection, workflow: { getHandle: () => handle } } as unknown as Client;
}

test('F51: a batch that has ended is not waited for because it cannot be asked', async () => {
  expect(await progressOf(clientWith('COMPLETED'), 'default', 'b')).toBeUndefined();
});

test('F51: one that runs and cannot be asked is out of sight', async () => {
  await expect(progressOf(clientWith('RUNNING'), 'default', 'b')).rejects.toThrow('Nondeterminism error');
});
