// `--listen`: another address is served only with a secret, and with every protection of 127.0.0.1.
import { chmodSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { boundAddresses, knownPlaces, otherUrls } from '../../src/dashboard/places.js';
import { type SeededHome, seededHome } from '../cli/seeded-home.js';
import { type ServedHome, serveHome } from './dashboard-rig.js';

const SECRET = 'k'.repeat(32);
let home: SeededHome;
let served: ServedHome;
let port: string;

beforeAll(async () => {
  home = await seededHome('b', [{ id: 'one' }]);
  const flags = ['--secret-file', secretFile(`${SECRET}\n`), '--host', 'Films.example.com'];
  served = await serveHome(home, '--listen', '0.0.0.0', ...flags);
  port = new URL(served.url).port;
});
afterAll(() => served?.stop());

function secretFile(text: string, mode = 0o600): string {
  const file = join(home.folder, 'secret');
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

interface Answer {
  status: number | undefined;
  headers: Record<string, unknown>;
  body: Record<string, unknown>;
}

/** As it arrives from another machine: the Host is a name, the Origin may be that of a proxy with TLS. */
function ask(path: string, headers: Record<string, string>, body?: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request({ port, path, headers, method: body ? 'POST' : 'GET' }, (answer) => {
      let text = '';
      answer.on('data', (part) => {
        text += String(part);
      });
      answer.on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, body: JSON.parse(text) }));
    });
    asked.on('error', reject).end(body && JSON.stringify(body));
  });
}

const FROM_TLS = { host: 'films.example.com', origin: 'https://films.example.com' };

test.each([
  [['--listen', '10.0.0.1'], 2, 'name by --secret-file the file of a secret'],
  [['--listen', 'films.example.com', '--secret-file', 'x'], 2, '--listen must be an IP address of this machine'],
  [['--listen', '0.0.0.0', '--secret-file', 'x'], 2, 'name by --host what browsers open'],
  [['--listen', '10.0.0.1', '--secret-file', 'x', '--host', 'a/b'], 2, '--host must be a name'],
  [['--secret-file', 'x'], 2, '--secret-file goes with --listen ADDRESS'],
  [['--host', 'x'], 2, '--host goes with --listen ADDRESS'],
  [['--listen', '10.0.0.1', '--secret-file', 'none'], 4, 'the file of --secret-file cannot be read: no such file'],
  [['--listen', '10.0.0.1', '--secret-file', '.'], 4, '--secret-file must name a file'],
])('%j is refused with exit %i', async (flags, exitCode, sentence) => {
  const { exitCode: got, stderr } = await home.run('dashboard', ...flags);
  expect([got, stderr.trim().split('\n')]).toEqual([exitCode, [expect.stringContaining(sentence)]]);
});

test('a secret that is short, or that others can read, is refused with one sentence', async () => {
  const run = async (file: string) => {
    const { exitCode, stderr } = await home.run('dashboard', '--listen', '10.0.0.1', '--secret-file', file);
    return [exitCode, stderr.trim()];
  };
  expect(await run(secretFile('k'.repeat(31)))).toEqual([4, expect.stringMatching(/less than 32 characters: openssl/)]);
  expect(await run(secretFile(`${SECRET} ${SECRET}`))).toEqual([4, expect.stringContaining('one line without blanks')]);
  if (process.platform === 'win32') return;
  expect(await run(secretFile(SECRET, 0o640))).toEqual([4, expect.stringContaining('chmod 600 it')]);
  expect((await run(secretFile(SECRET))).join()).not.toContain('kkkk');
});

test.skipIf(process.platform === 'win32')('an address of another machine is refused by what to do', async () => {
  const { exitCode, stderr } = await home.run(
    'dashboard',
    '--listen',
    '192.0.2.1',
    '--secret-file',
    secretFile(SECRET),
  );
  expect([exitCode, stderr]).toEqual([4, expect.stringContaining('--listen must be an address of this machine')]);
});

test('it says where it is served, that plain HTTP belongs behind TLS, and never the secret', () => {
  const [line = ''] = served
    .told()
    .split('\n')
    .filter((one) => one.startsWith('{'));
  const { url, otherUrls: others } = JSON.parse(line);
  expect([url.split('#')[0], others]).toEqual([`http://127.0.0.1:${port}/`, [`http://Films.example.com:${port}/`]]);
  expect(served.told()).toContain('behind TLS');
  expect(served.told()).not.toContain(SECRET);
});

test('the secret opens a session, also behind a proxy with TLS; nothing else does', async () => {
  expect((await ask('/api/session', FROM_TLS)).body).toEqual({ asksForSecret: true });
  const wrong = await ask('/api/session', FROM_TLS, { secret: `${SECRET}k` });
  expect([wrong.status, wrong.body.message]).toEqual([403, expect.stringContaining('--secret-file')]);
  for (const body of [{}, { secret: '' }, { code: SECRET }, { secret: null }]) {
    expect((await ask('/api/session', FROM_TLS, body)).status).toBe(403);
  }
  const { body, headers } = await ask('/api/session', FROM_TLS, { secret: SECRET });
  expect(String(headers['content-security-policy'])).toContain("default-src 'none'");
  const session = { 'x-callsheet-session': String(body.token) };
  expect((await ask('/api/batches', { ...FROM_TLS, ...session })).status).toBe(200);
  expect((await ask('/api/batches', FROM_TLS)).status).toBe(403);
  for (const host of [`films.example.com:${port}`, `FILMS.example.com:${port}`, `127.0.0.1:${port}`]) {
    expect([host, (await ask('/api/batches', { host, ...session })).status]).toEqual([host, 200]);
  }
  for (const host of ['evil.example', `0.0.0.0:${port}`, `films.example.com.evil:${port}`, 'films.example.com:1']) {
    expect([host, (await ask('/api/batches', { host, ...session })).status]).toEqual([host, 403]);
  }
  for (const origin of ['https://evil.example', 'null', 'https://films.example.com:1']) {
    expect((await ask('/api/batches', { ...FROM_TLS, ...session, origin })).status).toBe(403);
  }
});

test('on 127.0.0.1 alone no secret opens anything', async () => {
  const local = await serveHome(home);
  const answer = await fetch(`${local.origin}/api/session`);
  expect(await answer.json()).toEqual({ asksForSecret: false });
  for (const secret of [SECRET, 'undefined', '']) {
    const given = await fetch(`${local.origin}/api/session`, { method: 'POST', body: JSON.stringify({ secret }) });
    expect(given.status).toBe(403);
  }
  await local.stop();
});

test('one address is served beside 127.0.0.1, all of them instead of it', () => {
  const one = { address: '10.0.0.1', names: ['films.example.com:8443'] };
  expect([boundAddresses(undefined), boundAddresses(one), boundAddresses({ address: '::', names: ['x'] })]).toEqual([
    ['127.0.0.1'],
    ['127.0.0.1', '10.0.0.1'],
    ['::'],
  ]);
  expect(otherUrls(80, one)).toEqual(['http://10.0.0.1:80/', 'https://films.example.com:8443/']);
  expect([...knownPlaces(80, { address: 'fe80::1', names: [] }).keys()]).toEqual([
    ...['127.0.0.1:80', '127.0.0.1', 'localhost:80', 'localhost', '[fe80::1]:80', '[fe80::1]'],
  ]);
  expect(knownPlaces(80, undefined).get('localhost:80')).toEqual(['http://localhost:80']);
});

test('a Host and an Origin are known also as browsers write them', () => {
  expect(knownPlaces(80, undefined).get('127.0.0.1')).toEqual(['http://127.0.0.1']);
  expect([...knownPlaces(443, undefined).keys()]).toEqual(['127.0.0.1:443', 'localhost:443']);
  const other = { address: '2001:DB8:0:0::1', names: ['films.example.com:443', 'a..b:99999'] };
  const places = knownPlaces(8790, other);
  expect(places.get('[2001:db8::1]:8790')?.[0]).toBe('http://[2001:db8::1]:8790');
  expect(places.get('films.example.com')?.[1]).toBe('https://films.example.com');
});
