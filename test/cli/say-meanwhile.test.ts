// What takes long says so on standard error; what is quick says nothing.
import { afterEach, expect, test, vi } from 'vitest';
import { sayMeanwhile } from '../../src/cli/terminal.js';

afterEach(() => {
  vi.useRealTimers();
});

test('a line after a second, then one every five with the time; nothing once it has ended, however it ends', async () => {
  vi.useFakeTimers();
  const said: string[] = [];
  const terminal = { note: (line: string) => void said.push(line) };
  const taking = (ms: number, end: () => number) =>
    sayMeanwhile(terminal, 'counting rows', async () => {
      await new Promise((resolve) => setTimeout(resolve, ms));
      return end();
    });
  const quick = taking(900, () => 1);
  await vi.advanceTimersByTimeAsync(2_000);
  expect([await quick, said]).toEqual([1, []]);
  const failing = taking(11_000, () => {
    throw new Error('no');
  });
  const failed = expect(failing).rejects.toThrow('no');
  await vi.advanceTimersByTimeAsync(30_000);
  await failed;
  expect(said).toEqual(['counting rows', 'counting rows (5 s)', 'counting rows (10 s)']);
});
