// Whom `dashboard --url` asks: a dashboard that lives, as long as one does, and nobody who only has its port.
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type SeededHome, seededHome } from '../cli/seeded-home.js';
import { serveHome } from './dashboard-rig.js';

let home: SeededHome;
let record: string;
let server: Server | undefined;

beforeEach(async () => {
  home = await seededHome('b', [{ id: 'one' }]);
  record = join(home.folder, 'data', 'dashboard-seeded.json');
});
afterEach(() => void server?.close());

const ask = () => home.run('dashboard', '--url');
const asked = async () => new URL((await ask()).stdout.trim()).origin;
const records = () => readdirSync(join(home.folder, 'data')).filter((name) => name.startsWith('dashboard-'));

/** Somebody else has the port of a dashboard that was killed. */
async function someoneElse(answer: (origin: string) => string): Promise<string> {
  const other = createServer((_, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ url: answer(origin) }));
  });
  server = other;
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  mkdirSync(join(home.folder, 'data'), { recursive: true });
  writeFileSync(record, JSON.stringify({ address: origin, controlSecret: 'word' }));
  return origin;
}

test("a data folder that it makes is its user's alone, as whoever else makes it", async () => {
  const served = await serveHome(home);
  const { mode } = statSync(join(home.folder, 'data'));
  await served.stop();
  expect((mode & 0o777).toString(8)).toBe('700');
});

test('of two dashboards the one that lives is found, whichever ends first', async () => {
  const first = await serveHome(home);
  const second = await serveHome(home);
  expect(await asked()).toBe(first.origin);
  await first.stop();
  expect(await asked()).toBe(second.origin);
  const third = await serveHome(home);
  await second.stop();
  expect(await asked()).toBe(third.origin);
  await third.stop();
  expect([(await ask()).exitCode, records()]).toEqual([2, []]);
});

test.each([
  ['another host', () => 'http://evil.example/#code=abc'],
  ['another port', () => 'http://127.0.0.1:1/#code=abc'],
  ['what a terminal would obey', (origin: string) => `${origin}/#code=\u001b]0;x\u0007`],
  ['more than a code', (origin: string) => `${origin}/#code=abc/#code=abc`],
])('who has the port of a killed dashboard and answers with %s is not believed', async (_, answer) => {
  await someoneElse(answer);
  const { exitCode, stdout, stderr } = await ask();
  expect([exitCode, stdout, stderr]).toEqual([2, '', expect.stringContaining('no dashboard runs')]);
  const served = await serveHome(home);
  expect([await asked(), records()]).toEqual([served.origin, ['dashboard-seeded.json']]);
  await served.stop();
});

test('a record that cannot be kept: exit 4 with a sentence', async () => {
  mkdirSync(record, { recursive: true });
  const { exitCode, stderr } = await home.run('dashboard');
  expect([exitCode, stderr.trim().split('\n')]).toEqual([
    4,
    [expect.stringMatching(/keeps its address in .*dashboard-seeded\.json, which cannot be .*EISDIR/)],
  ]);
  rmSync(record, { recursive: true });
  const served = await serveHome(home);
  rmSync(record);
  await served.stop();
  expect(existsSync(record)).toBe(false);
});
