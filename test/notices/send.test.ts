// A notice that goes to a command of the user.
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { runCommand } from '../../src/notices/send.js';

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test.skipIf(process.platform === 'win32').each([
  ['takes too long', 1_000],
  ['nobody waits for any more', 60_000],
])('a command that %s is ended with what it started', async (_, timeoutMs) => {
  const file = join(mkdtempSync(join(tmpdir(), 'callsheet-send-')), 'pid');
  const left = new AbortController();
  const ended = runCommand(`sleep 654 & echo $! > '${file}'; wait; true`, '', left.signal, timeoutMs);
  await vi.waitUntil(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n'), { timeout: 10_000 });
  const pid = Number(readFileSync(file, 'utf8'));
  expect(isAlive(pid)).toBe(true);
  if (timeoutMs > 1_000) left.abort();
  expect(await ended).toBe('ended with SIGKILL');
  await vi.waitUntil(() => !isAlive(pid), { timeout: 10_000 });
});

test('one that ends in time says how', async () => {
  expect(await runCommand('exit 3', '')).toBe('ended with 3');
  expect(await runCommand('exit 0', 'unread')).toBeUndefined();
});
