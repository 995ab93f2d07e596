// Workflows whose tasks are never answered: what a real server shows of them takes minutes (test/e2e/rescue.test.ts has
// histories that cannot be replayed).
import type { Client } from '@temporalio/client';
import { expect, it, vi } from 'vitest';
import { createRescue } from '../../src/worker/rescue.js';
import { silent } from '../support/silent-log.js';

const START_TO_CLOSE = 1;
const SCHEDULE_TO_START = 2;
const timedOut = (timeoutType = START_TO_CLOSE) => ({ workflowTaskTimedOutEventAttributes: { timeoutType } });
const signalled = { workflowExecutionSignaledEventAttributes: {} };
const completed = { eventId: '4', workflowTaskCompletedEventAttributes: {} };

/** One open workflow with these newest events, newest first; gives what was done to it by a look. */
async function look(type: string, newest: object[], attempt = 1) {
  const terminate = vi.fn();
  const resetWorkflowExecution = vi.fn();
  const ensureSemaphore = vi.fn();
  const client = {
    options: { namespace: 'default' },
    workflow: {
      async *list() {
        yield { workflowId: 'w', runId: 'r', type };
      },
      getHandle: () => ({ describe: async () => ({ raw: { pendingWorkflowTask: { attempt } } }), terminate }),
    },
    workflowService: {
      getWorkflowExecutionHistory: async () => ({ history: { events: [completed] } }),
      getWorkflowExecutionHistoryReverse: async () => ({ history: { events: newest } }),
      resetWorkflowExecution,
    },
  } as unknown as Client;
  await createRescue({ client, account: 'a', messenger: { ensureSemaphore }, log: silent }).look();
  return {
    startedOver: terminate.mock.calls.length + resetWorkflowExecution.mock.calls.length,
    semaphores: ensureSemaphore.mock.calls.length,
  };
}

const again = (times: number) => Array.from({ length: times }, () => [signalled, timedOut()]).flat();

it.each(['semaphore', 'batch', 'job'])('a %s whose task timed out ten times in a row starts over', async (type) => {
  const semaphores = type === 'semaphore' ? 1 : 0;
  expect(await look(type, [...again(10), completed])).toEqual({ startedOver: 1, semaphores });
});

it('also where only the first of the timeouts stands in its history', async () => {
  expect(await look('semaphore', [timedOut(), completed], 11)).toMatchObject({ startedOver: 1 });
});

it('one that timed out less often, or before a task that was answered, is left alone', async () => {
  expect(await look('semaphore', [...again(9), completed, ...again(9)])).toMatchObject({ startedOver: 0 });
});

it('tasks that waited for a worker do not count', async () => {
  const waited = Array.from({ length: 12 }, () => timedOut(SCHEDULE_TO_START));
  expect(await look('semaphore', [...waited, completed], 12)).toMatchObject({ startedOver: 0 });
});
