import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { isReadOnce, keyOrigin, readApiKey } from '../../src/config/api-key.js';

const KEY = 'sk-svc-abc123';
const cwd = mkdtempSync(join(tmpdir(), 'callsheet-key-'));
const nothing = () => Promise.resolve('');

function keyFile(text: string, mode: number): string {
  const path = join(cwd, `key-${Math.random().toString(36).slice(2)}`);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

test('from the environment, a file, or standard input', async () => {
  const fromEnvironment = await readApiKey({ env: { CALLSHEET_API_KEY: KEY }, cwd, readStdin: nothing });
  expect(fromEnvironment.secret.reveal()).toBe(KEY);
  const file = keyFile(`${KEY}\n`, 0o600);
  const fromFile = await readApiKey({ env: { CALLSHEET_API_KEY: 'other' }, cwd, keyFile: file, readStdin: nothing });
  expect([fromFile.secret.reveal(), fromFile.file]).toEqual([KEY, file]);
  const fromStdin = await readApiKey({ env: {}, cwd, keyFile: '-', readStdin: () => Promise.resolve(`${KEY}\r\n`) });
  expect(fromStdin.secret.reveal()).toBe(KEY);
});

test('what can be read once is no file for an engine to read again', async () => {
  const pipe = join(cwd, 'pipe');
  execFileSync('sh', ['-c', 'mkfifo -m 600 "$0"', pipe]);
  const writing = writeFile(pipe, `${KEY}\n`);
  const piped = await readApiKey({ env: {}, cwd, keyFile: pipe, readStdin: nothing });
  await writing;
  expect([piped.secret.reveal(), piped.file, piped.origin]).toEqual([KEY, undefined, '--api-key-file']);
  const once = (name: string): boolean => isReadOnce(name, cwd);
  expect(['-', pipe, '/dev/stdin', '/dev/fd/63'].filter((name) => !once(name))).toEqual([]);
  expect([keyFile(KEY, 0o600), 'absent', '/dev/shm/absent'].filter(once)).toEqual([]);
});

test('it never prints', async () => {
  const key = await readApiKey({ env: { CALLSHEET_API_KEY: KEY }, cwd, readStdin: nothing });
  expect(`${key.secret} ${JSON.stringify(key)} ${inspect(key)}`).not.toContain('abc123');
});

test.each([
  ['', /^B49 API key missing: set CALLSHEET_API_KEY/],
  ['"sk-svc-abc"', /^B49 API key has the wrong form in CALLSHEET_API_KEY/],
  ['sk-svc-abc\n', /^B49 API key has the wrong form/],
  ['sk-other-abc', /^B49 API key has the wrong form/],
])('%j in the environment is refused without showing it', async (text, message) => {
  const reading = readApiKey({ env: { CALLSHEET_API_KEY: text }, cwd, readStdin: nothing });
  await expect(reading).rejects.toThrow(message);
  await expect(reading).rejects.not.toThrow(/abc/);
});

test('files that others can read, that are absent or no key', async () => {
  const read = (file: string) => readApiKey({ env: {}, cwd, keyFile: file, readStdin: nothing });
  await expect(read(keyFile(KEY, 0o644))).rejects.toThrow(/can be read by every user of this machine: chmod 600/);
  await expect(read('absent')).rejects.toThrow(/^B49 .* cannot be read: no such file$/);
  await expect(read(keyFile('', 0o600))).rejects.toThrow(/is empty/);
  await expect(read(keyFile('x'.repeat(5000), 0o600))).rejects.toThrow(/too large/);
  await expect(read(cwd)).rejects.toThrow(/must name a file|EISDIR|every user/);
});

test('where it would come from', () => {
  expect(keyOrigin({}, undefined)).toBeUndefined();
  expect(keyOrigin({ CALLSHEET_API_KEY: KEY }, undefined)).toBe('environment CALLSHEET_API_KEY');
  expect(keyOrigin({ CALLSHEET_API_KEY: KEY }, 'f')).toBe('--api-key-file');
});
