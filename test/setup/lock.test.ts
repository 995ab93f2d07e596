import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { isAlive, startMark } from '../../scripts/lib/live-process.mjs';
import { tryLock, withLock } from '../../scripts/lib/lock.mjs';

const lockModule = new URL('../../scripts/lib/lock.mjs', import.meta.url).href;

function runNode(code: string) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return { child, ended: new Promise((resolve) => child.once('exit', resolve)) };
}

test('one process at a time has the lock', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-lock-'));
  const counter = join(folder, 'counter');
  writeFileSync(counter, '0');
  // Without the lock, reading, waiting and writing loses most of the increments.
  const code = `
    import { withLock } from ${JSON.stringify(lockModule)};
    import { readFileSync, writeFileSync } from 'node:fs';
    for (let i = 0; i < 3; i++) await withLock(${JSON.stringify(join(folder, 'lock'))}, async () => {
      const n = Number(readFileSync(${JSON.stringify(counter)}, 'utf8'));
      await new Promise((resolve) => setTimeout(resolve, 10));
      writeFileSync(${JSON.stringify(counter)}, String(n + 1));
    });`;
  const codes = await Promise.all([1, 2, 3, 4, 5].map(() => runNode(code).ended));
  expect(codes).toEqual([0, 0, 0, 0, 0]);
  expect(readFileSync(counter, 'utf8')).toBe('15');
  expect(readdirSync(join(folder, 'lock'))).toEqual([]);
});

test('a killed holder holds it no longer', async () => {
  const above = mkdtempSync(join(tmpdir(), 'callsheet-lock-'));
  const [folder, held] = [join(above, 'lock'), join(above, 'held')];
  const { child, ended } = runNode(`
    import { writeFileSync } from 'node:fs';
    import { tryLock } from ${JSON.stringify(lockModule)};
    tryLock(${JSON.stringify(folder)});
    writeFileSync(${JSON.stringify(held)}, '');
    setInterval(() => undefined, 1000);`);
  // Who looks before the holder has looked itself makes it step back.
  while (!existsSync(held)) await sleep(20);
  expect(tryLock(folder)).toEqual({ holder: child.pid });
  await expect(withLock(folder, async () => 'mine', { timeoutMs: 100 })).rejects.toThrow(`process ${child.pid}`);
  child.kill('SIGKILL');
  await ended;
  expect(await withLock(folder, async () => 'mine')).toBe('mine');
});

test('a process is known by its start, not by its number alone', () => {
  const mark = startMark(process.pid);
  expect(mark).toBeDefined();
  expect(isAlive(process.pid, mark ?? '')).toBe(true);
  expect(isAlive(process.pid, 'another')).toBe(false);
  const folder = join(mkdtempSync(join(tmpdir(), 'callsheet-lock-')), 'lock');
  const first = tryLock(folder);
  expect('release' in first).toBe(true);
  if ('release' in first) first.release();
  // A reboot gave our number to somebody else.
  writeFileSync(join(folder, `${process.pid}.1.abc`), '');
  expect('release' in tryLock(folder)).toBe(true);
});

test("3-R14: another machine's lock is never stale, and the sentence says so", () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'callsheet-lock-')), 'lock');
  const mine = tryLock(folder);
  expect(mine).toHaveProperty('release');
  const [name = ''] = readdirSync(folder);
  if ('release' in mine) mine.release();
  const [, , host, boot, namespace] = name.split('.');
  const put = (place: string) => writeFileSync(join(folder, `4194303.1.${place}.abc`), '');
  put(`elsewhere.another.${namespace}`);
  expect(tryLock(folder)).toMatchObject({ holder: 4194303, foreign: expect.stringContaining("machine 'elsewhere'") });
  rmSync(join(folder, `4194303.1.elsewhere.another.${namespace}.abc`));
  put(`${host}.${boot}.pid1`);
  expect(tryLock(folder)).toMatchObject({ foreign: expect.stringContaining('another container') });
  rmSync(join(folder, `4194303.1.${host}.${boot}.pid1.abc`));
  // The machine has got another name since, and its engine was killed.
  put(`its-name-before.${boot}.${namespace}`);
  expect(tryLock(folder)).toHaveProperty('release');
  expect(readdirSync(folder).filter((name) => name.includes('its-name-before'))).toEqual([]);
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  // This machine was started anew since: whoever held it is gone.
  writeFileSync(join(folder, `${process.pid}.${startMark(process.pid)}.${host}.earlier.${namespace}.abc`), '');
  expect(tryLock(folder)).toHaveProperty('release');
});
