// What commands said of an account, as the next engine of the data folder finds it.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AccountSettings } from '../../src/contract/account.js';
import { keepSettings, settingsAsBefore } from '../../src/worker/kept-settings.js';

const KEY = 'sk-svc-the-users-own';
const asked = {
  account: 'a',
  exclusive: true,
  limits: { concurrency: 2, rpm: null },
  waits: { lambdaMs: 1, thetaMs: 1, rhoMs: 1, syncMaxMs: 1, renderMaxMs: { default: 1 } },
} as unknown as AccountSettings;
const target = (to: string, secret: string | null = null) => ({ to, isOwn: true, secret, isKept: true });

let folder: string;
let logged: unknown[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'callsheet-kept-'));
  logged = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

/** What an engine that starts anew serves the account with, for a command that names nobody. */
function next(key: string | undefined = KEY, isOpen = false): Promise<AccountSettings> {
  const log = { warn: (facts: unknown) => void logged.push(facts) };
  const bare: AccountSettings = { ...asked, limits: { concurrency: null, rpm: null }, notices: [] };
  return settingsAsBefore(folder, { asked: bare, key, isOpen: async () => isOpen, log });
}
const targets = async (key?: string) => (await next(key)).notices;

test('whom --notify named is told by the next engine, with its secret, whether batches are open or not', async () => {
  const named = [target('https://hooks.example/x', 'word'), target('command:wall')];
  keepSettings(folder, { ...asked, notices: named }, KEY);
  expect(await next(KEY, true)).toMatchObject({ limits: { concurrency: 2 }, notices: named });
  expect(await next(KEY, false)).toMatchObject({ limits: { concurrency: null }, notices: named });
  expect(logged).toEqual([]);
});

test('targets of settings, which say them again, are not kept', async () => {
  keepSettings(folder, { ...asked, notices: [{ ...target('command:wall'), isKept: false }] }, KEY);
  expect(await targets()).toEqual([]);
});

test('the file is the user’s alone and has no key', () => {
  keepSettings(folder, { ...asked, notices: [target('https://hooks.example/x')] }, KEY);
  expect(statSync(place()).mode & 0o777).toBe(0o600);
  expect(readFileSync(place(), 'utf8')).not.toContain(KEY);
});

test('a file that came with somebody else’s folder names nobody, which is logged', async () => {
  keepSettings(folder, { ...asked, notices: [target('command:touch x')] }, 'sk-svc-somebody-elses');
  expect(await next(KEY, true)).toMatchObject({ limits: { concurrency: 2 }, notices: [] });
  expect(logged).toEqual([{ account: 'a' }]);
});

test.each(['to', 'secret'])('a target whose %s was changed in the file names nobody', async (field) => {
  keepSettings(folder, { ...asked, notices: [target('https://hooks.example/x', 'word')] }, KEY);
  const file = JSON.parse(readFileSync(place(), 'utf8'));
  file.notices.targets[0][field] = 'command:touch x';
  writeFileSync(place(), JSON.stringify(file));
  expect(await targets()).toEqual([]);
});

test('what another key sealed stays for that key, until this one keeps targets of its own', async () => {
  const named = [target('https://hooks.example/x')];
  keepSettings(folder, { ...asked, notices: named }, KEY);
  keepSettings(folder, { ...asked, notices: [] }, 'sk-svc-mistyped');
  keepSettings(folder, { ...asked, notices: named }, undefined);
  expect(await targets()).toEqual(named);
  keepSettings(folder, { ...asked, notices: [target('command:wall')] }, 'sk-svc-next');
  expect([await targets(), await targets('sk-svc-next')]).toEqual([[], [target('command:wall')]]);
});

test('of many targets the latest are kept', async () => {
  const many = Array.from({ length: 120 }, (_, at) => target(`https://hooks.example/${at}`));
  keepSettings(folder, { ...asked, notices: many }, KEY);
  expect(await targets()).toEqual(many.slice(0, 100));
});

test('a file of an earlier build names nobody', async () => {
  const { account: _, ...earlier } = asked;
  writeFileSync(place(), JSON.stringify({ schema: 1, ...earlier }));
  expect(await next(KEY, true)).toMatchObject({ limits: { concurrency: 2 }, notices: [] });
  expect(logged).toEqual([]);
});

function place(): string {
  return join(folder, 'a.json');
}
