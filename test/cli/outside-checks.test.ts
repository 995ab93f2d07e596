// What `plan` and `run` ask of the world before anything is submitted: voices, hosts, media behind URLs.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../emulator/emulator.js';
import { jpeg, png } from '../manifest/media-samples.js';
import { cli, workFolder } from './harness.js';

let emulator: Emulator;
let server: Server;
let media: string;
let cwd: string;
const fetched: string[] = [];

const FILES: Record<string, Buffer> = {
  '/good.png': png(64, 64),
  '/small.png': png(63, 64),
  '/large.jpg': jpeg(640, 480, 10_000_001),
  '/page.png': Buffer.from('<!doctype html><html>not found</html>'),
};

beforeAll(async () => {
  emulator = await startEmulator({ balanceCredits: '12.5' });
  server = createServer((request, response) => {
    const path = request.url ?? '';
    fetched.push(path);
    if (path === '/moved.png') return response.writeHead(302, { location: '/good.png' }).end();
    const file = FILES[path];
    if (file === undefined) return response.writeHead(404).end();
    return response.writeHead(200, { 'content-length': file.length }).end(file);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  media = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await emulator.close();
});
beforeEach(() => {
  cwd = workFolder();
  fetched.length = 0;
});

function manifest(text: string): void {
  writeFileSync(join(cwd, 'shots.csv'), text);
}

const plan = (args: string[], env: NodeJS.ProcessEnv = {}) =>
  cli(['plan', 'shots.csv', ...args], {
    cwd,
    env: { CALLSHEET_BASE_URL: emulator.url, CALLSHEET_API_KEY: 'sk-svc-emulator', ...env },
  });

const SPOKEN = 'id,kind,avatar_id,script,voice_id\na,vendor-b/avatar,anna,Hello there,v-amber-en\n';
const MISTYPED = SPOKEN.replace('v-amber-en', 'v-ambr-en');

const voiceReads = () => emulator.truth().requests.filter(({ path }) => path.endsWith('/voices')).length;

test('an unknown voice is refused with the nearest one (service document 2, Avatar video; B42)', async () => {
  manifest(MISTYPED);
  const { exitCode, stderr } = await plan([]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("shots.csv:2:5: B42 unknown voice_id 'v-ambr-en'; did you mean 'v-amber-en'?");
});

test('voices are read once, kept in a home that is in use, and read again for a voice that is not among them', async () => {
  const home = join(cwd, 'data', 'home', `rehearsal-${emulator.port}`);
  manifest(SPOKEN + SPOKEN.split('\n')[1]?.replace(/^a/, 'b'));
  const before = voiceReads();
  expect((await plan([])).exitCode).toBe(0);
  expect(voiceReads()).toBe(before + 1);
  expect(existsSync(home)).toBe(false);
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'account.json'), JSON.stringify({ schema: 1, baseUrl: emulator.url }));
  await plan([]);
  expect(readFileSync(join(home, 'reads', 'known-voices.json'), 'utf8')).toContain('v-amber-en');
  await plan([]);
  expect(voiceReads()).toBe(before + 2);
  manifest(MISTYPED);
  expect((await plan([])).exitCode).toBe(2);
  expect(voiceReads()).toBe(before + 3);
});

test('--no-network asks nobody: neither voices nor the account', async () => {
  manifest(MISTYPED);
  const before = emulator.truth().requests.length;
  const { exitCode, stdout } = await plan(['--no-network']);
  expect([exitCode, emulator.truth().requests.length]).toEqual([0, before]);
  expect(stdout).toContain('balance   not read');
});

test('voices that cannot be read are a warning, no error of the manifest', async () => {
  emulator.setFaults([{ match: { route: 'voices' }, action: { do: 'refuse', code: 'invalid_api_key' } }]);
  manifest(MISTYPED);
  const { exitCode, stderr } = await plan([]);
  emulator.setFaults([]);
  expect(exitCode).toBe(0);
  expect(stderr).toContain('warning: voice_id is not checked: the service does not accept the API key');
});

const EDIT = 'id,kind,model,image,prompt,width,height\n';
const edit = (id: string, image: string): string => `${id},svc/edit,svc-beta-image-edit-2511,${image},brighter,64,64\n`;

test('--probe-urls looks at size and type behind URLs, once each, and follows no redirect of an edit source', async () => {
  manifest(
    EDIT +
      ['good.png', 'small.png', 'large.jpg', 'page.png', 'gone.png', 'moved.png', 'good.png']
        .map((file, at) => edit(`r${at}`, `${media}/${file}`))
        .join(''),
  );
  const { exitCode, stderr } = await plan(['--probe-urls']);
  expect(exitCode).toBe(2);
  const problems = stderr.split('\n').filter((line) => / B\d+ /.test(line));
  expect(problems).toEqual([
    'shots.csv:3:4: B45 image is 63x64, each side at least 64 px',
    'shots.csv:4:4: B45 image is 10.000001 MB, limit 10 MB',
    expect.stringMatching(/^shots\.csv:5:4: B40 image needs an image, the file is of no known type/),
    'shots.csv:6:4: B44 image url cannot be fetched: 127.0.0.1 answered 404',
    'shots.csv:7:4: B44 image url cannot be fetched: 127.0.0.1 redirects, which is not followed',
  ]);
  expect(fetched.filter((path) => path === '/good.png')).toHaveLength(1);
});

test('without the flag nothing behind a URL is asked for', async () => {
  manifest(EDIT + edit('a', `${media}/gone.png`));
  expect((await plan([])).exitCode).toBe(0);
  expect(fetched).toEqual([]);
});

test('both flags together are refused', async () => {
  manifest(SPOKEN);
  const { exitCode, stderr } = await plan(['--no-network', '--probe-urls']);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--probe-urls and --no-network exclude each other')]);
});
