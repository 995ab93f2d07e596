// Who gets an answer from the page's server, and what kind of one.
import { statSync } from 'node:fs';
import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccess } from '../../src/dashboard/access.js';
import { createApi } from '../../src/dashboard/api.js';
import type { RowsReader } from '../../src/dashboard/batch-rows.js';
import { mediaAnswer } from '../../src/dashboard/media.js';
import { commandOf, type DashboardSource } from '../../src/dashboard/source.js';
import type { Store } from '../../src/store/port.js';
import { type SeededHome, seededHome } from '../cli/seeded-home.js';
import { smallPng } from '../support/small-png.js';
import { type ServedHome, serveHome } from './dashboard-rig.js';

const FILES = [
  { file: 'media/one.png', contentType: 'image/png', bytes: smallPng().length, sha256: 'a' },
  { file: 'media/one.svg', contentType: 'image/svg+xml', bytes: smallPng().length, sha256: 'b' },
];
let home: SeededHome;
let served: ServedHome;
let token: string;

beforeAll(async () => {
  home = await seededHome('b', [{ id: 'one', states: [], record: { files: FILES } }, { id: 'two' }]);
  const out = home.home.readBatch('b').then((bound) => bound?.out);
  const { mkdirSync, writeFileSync } = await import('node:fs');
  mkdirSync(`${await out}/b/media`, { recursive: true });
  for (const { file } of FILES) writeFileSync(`${await out}/b/${file}`, smallPng());
  served = await serveHome(home);
  token = await tokenFor(served.url);
});
afterAll(() => served?.stop());

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(`${served.origin}${path}`, { method: 'POST', body: JSON.stringify(body), headers });
const get = (path: string, headers: Record<string, string> = { 'x-callsheet-session': token }) =>
  fetch(`${served.origin}${path}`, { headers });
const codeOf = (url: string) => url.split('#code=')[1] ?? '';
async function tokenFor(url: string): Promise<string> {
  return ((await (await post('/api/session', { code: codeOf(url) })).json()) as { token: string }).token;
}
/** As no browser of this machine would ask: the Host is whatever it is given. */
const rawStatus = (headers: Record<string, string>) =>
  new Promise((resolve, reject) => {
    request(`${served.origin}/api/batches`, { headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on('error', reject)
      .end();
  });

test('no token, or a wrong one: 403 with a sentence', async () => {
  for (const headers of [{}, { 'x-callsheet-session': 'x' }]) {
    const answer = await get('/api/batches', headers);
    expect(answer.status).toBe(403);
    expect(await answer.json()).toEqual({ message: expect.stringContaining('callsheet dashboard --url') });
  }
  expect((await get('/api/batches')).status).toBe(200);
});

test('a code is good once', async () => {
  const answer = await post('/api/session', { code: codeOf(served.url) });
  expect([answer.status, await answer.json()]).toEqual([403, { message: expect.stringContaining('used already') }]);
});

test('a code is good for ten minutes', () => {
  let nowMs = 0;
  const access = createAccess(() => nowMs);
  const [early, late] = [access.newCode(), access.newCode()];
  nowMs = 599_999;
  expect(access.exchange(early)).toBeDefined();
  nowMs = 600_000;
  expect(access.exchange(late)).toBeUndefined();
});

test('another Host: 403, with a token too', async () => {
  const { host } = new URL(served.origin);
  expect(await rawStatus({ host: 'evil.example', 'x-callsheet-session': token })).toBe(403);
  expect(await rawStatus({ host: `evil.example:${host.split(':')[1]}`, 'x-callsheet-session': token })).toBe(403);
  expect(await rawStatus({ host, 'x-callsheet-session': token })).toBe(200);
});

test('another Origin, and a POST from another site: 403, and nothing is answered across origins', async () => {
  const foreign = { origin: 'http://127.0.0.1:1', 'x-callsheet-session': token };
  expect((await get('/api/batches', foreign)).status).toBe(403);
  const posted = await post('/api/batches/b/orders', { order: 'pause' }, { ...foreign, 'content-type': 'text/plain' });
  expect([posted.status, posted.headers.get('access-control-allow-origin')]).toEqual([403, null]);
  const untold = await post('/api/batches/b/orders', { order: 'pause' });
  expect(untold.status).toBe(403);
});

test('`dashboard --url` gives a further address, from a record that is the user’s own', async () => {
  const { stdout } = await home.run('dashboard', '--url', '--json');
  const { url } = JSON.parse(stdout) as { url: string };
  expect(url).not.toBe(served.url);
  expect(await tokenFor(url)).toBeDefined();
  expect(statSync(`${home.folder}/data/dashboard-seeded.json`).mode & 0o777).toBe(0o600);
  expect((await post('/control/url', {}, { 'x-callsheet-control': 'guessed' })).status).toBe(403);
});

test('media: signed, in ranges, by its type and never as markup', async () => {
  const { rows } = (await (await get('/api/batches/b/rows')).json()) as { rows: { files: { url: string }[] }[] };
  const [png = '', svg = ''] = (rows[0]?.files ?? []).map(({ url }) => url);
  const whole = await get(png, {});
  expect(Buffer.from(await whole.arrayBuffer())).toEqual(Buffer.from(smallPng()));
  expect([whole.headers.get('content-type'), whole.headers.get('x-content-type-options')]).toEqual([
    'image/png',
    'nosniff',
  ]);
  const part = await get(png, { range: 'bytes=2-5' });
  expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 2-5/${smallPng().length}`]);
  expect(Buffer.from(await part.arrayBuffer())).toEqual(Buffer.from(smallPng().subarray(2, 6)));
  expect((await get(png, { range: 'bytes=999999-' })).status).toBe(416);
  expect((await get(svg, {})).headers.get('content-type')).toBe('application/octet-stream');
  expect((await get(png.replace('one.png', 'two.png'), {})).status).toBe(403);
  expect((await get(png.split('?')[0] ?? '', {})).status).toBe(403);
});

test('HEAD opens no stream: nobody would end it', async () => {
  let looks = 0;
  const list = async () => ({ look: ++looks });
  const access = createAccess(Date.now);
  const api = createApi({ list } as unknown as DashboardSource, access, {} as RowsReader);
  const headers = { 'x-callsheet-session': access.exchange(access.newCode()) ?? '' };
  expect((await api.app.request('/events', { method: 'HEAD', headers })).status).toBe(200);
  expect(looks).toBe(0);
  await (await api.app.request('/events', { headers })).body?.cancel();
  expect(looks).toBe(1);
  api.close();
});

test('of a file that is sought the store is asked for that part alone, and by HEAD for nothing', async () => {
  const asked: unknown[] = [];
  const store = {
    size: async () => 1_000,
    read: async (...what: unknown[]) => {
      asked.push(what);
      return (async function* () {
        yield new Uint8Array(10);
      })();
    },
  } as unknown as Store;
  const file = { file: 'a.mp4', contentType: 'video/mp4', bytes: 1_000, sha256: 'a' };
  const answer = await mediaAnswer(store, 'b/a.mp4', file, { range: 'bytes=900-909', isHead: false });
  expect([answer.status, (await answer.arrayBuffer()).byteLength]).toEqual([206, 10]);
  const head = await mediaAnswer(store, 'b/a.mp4', file, { range: undefined, isHead: true });
  expect([head.status, head.headers.get('content-length')]).toEqual([200, '1000']);
  expect(asked).toEqual([['b/a.mp4', { start: 900, end: 909 }]]);
});

test('the answer of a page has a policy without inline script', async () => {
  const answer = await get('/', {});
  const policy = answer.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'; script-src 'self';");
  expect(policy).not.toContain('unsafe');
  expect(await answer.text()).not.toMatch(/<script(?![^>]* src=)|https?:/);
});

test('what a person types is never a flag of the command', () => {
  const { words, flags } = commandOf('b', { order: 'attach-handle', id: 'one', handle: '--home=/tmp/x', why: '--yes' });
  expect(words).toEqual(['review', 'attach-handle', '--yes', '--why=--yes']);
  expect(flags).toEqual(['--', 'b', 'one', '--home=/tmp/x']);
});

test('a body of more than 64 KB: 413 with a sentence', async () => {
  const body = { order: 'mark-lost', id: 'one', why: 'x'.repeat(65_536), isNotBilled: true };
  const answer = await post('/api/batches/b/orders', body, { 'x-callsheet-session': token });
  expect([answer.status, await answer.json()]).toEqual([413, { message: 'a request may have at most 64 KB' }]);
});

test.each(['_one', '-one', '--yes'])('a row that a manifest may call %s is named by orders too', async (id) => {
  const answer = await post('/api/batches/b/orders', { order: 'resubmit', id }, { 'x-callsheet-session': token });
  const { message } = (await answer.json()) as { message: string };
  expect([answer.status, message]).toEqual([409, expect.stringContaining(`batch 'b' has no attempt of a row '${id}'`)]);
});

test('an order is the command line that it says', () => {
  const limits = commandOf('b', { order: 'limits', concurrency: '4', priority: '-2' });
  expect(limits).toEqual({ words: ['limits', '--json', '--concurrency=4', '--priority=-2'], flags: ['--', 'b'] });
  expect(commandOf('b', { order: 'account-limits', rpm: '90' })).toEqual({
    words: ['limits', '--json', '--rpm=90'],
    flags: [],
  });
  const inputs = commandOf('b', { order: 'retry', reason: 'input_changed', acceptInputs: true });
  expect(inputs.words).toEqual(['retry', '--yes', '--json', '--class=input_changed', '--accept-inputs']);
  const rerun = commandOf('b', { order: 'rerun', id: 'one', withDependents: true });
  expect(rerun).toEqual({ words: ['rerun', '--yes', '--with-dependents'], flags: ['--', 'b', 'one'] });
  const unpriced = commandOf('b', { order: 'approve' });
  expect(unpriced.words).toEqual(['approve', '--yes', '--json', '--unpriced']);
  const seen = commandOf('b', { order: 'approve', maxCredits: '3', generation: '0a1b' });
  expect(seen.words).toEqual(['approve', '--yes', '--json', '--max-credits=3', '--generation=0a1b']);
  const group = commandOf('b', { order: 'settle-group' });
  expect(group).toEqual({ words: ['review', 'settle-group', '--yes'], flags: ['--', 'b'] });
});

test.each([
  [{ order: 'retry', reason: '--home=x' }, 'not the name of a batch, a row or a reason'],
  [{ order: 'resubmit', id: 'x/../y' }, 'not the name of a batch, a row or a reason'],
  [{ order: 'format' }, 'this is no order'],
  [{ order: 'approve', maxCredits: '1e3' }, 'credits must be a positive number such as 12.5'],
  [{ order: 'attach-handle', id: 'one', handle: '' }, 'a handle has 1 to 2,000 characters'],
  [{ order: 'mark-lost', id: 'one', why: 'x'.repeat(501), isNotBilled: true }, 'at most 500 characters'],
])('an order that is none is refused in one sentence: %j', async (order, sentence) => {
  const answer = await post('/api/batches/b/orders', order, { 'x-callsheet-session': token });
  expect([answer.status, await answer.json()]).toEqual([400, { message: expect.stringContaining(sentence) }]);
});
