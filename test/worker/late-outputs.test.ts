// A paid output is fetched on after its row has ended (design 5, F40).
import { expect, test } from 'vitest';
import { createMessenger } from '../../src/worker/messenger.js';

test('F40: the output of an attempt that was paid again is fetched beside that of the earlier one', async () => {
  const started: string[] = [];
  const workflow = {
    start: async (_: string, { workflowId }: { workflowId: string }) => void started.push(workflowId),
  };
  const messenger = createMessenger({ workflow } as never, 'a', 1);
  const row = { batch: 'b', generation: 'g', part: 0, index: 0, id: 'r', kind: 'svc/image' as const };
  const before = { tries: 9, sinceMs: 0, asks: 0, askedAtMs: 0 };
  // The earlier one waits for up to ten minutes before it sees that nobody wants its output any more.
  for (const n of [1, 2, 2]) await messenger.fetchLate({ account: 'a', row, n, timeScale: 1, before });
  expect(new Set(started).size).toBe(2);
});
