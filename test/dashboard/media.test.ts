// Outputs that are no files any more, or never were: each is refused at once, in one sentence, and nothing is torn.
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type SeededHome, seededHome } from '../cli/seeded-home.js';
import { smallPng } from '../support/small-png.js';
import { type ServedHome, serveHome, sessionOf } from './dashboard-rig.js';

const NAMES = ['link.png', 'folder.png', 'pipe.png', 'up/../../x.png', 'gone.png'];
let home: SeededHome;
let served: ServedHome;
let urls: string[];
const defects = vi.spyOn(console, 'error');
beforeEach(() => void defects.mockReset());
afterEach(() => expect(defects).not.toHaveBeenCalled());

beforeAll(async () => {
  const files = NAMES.map((name) => ({ file: `media/${name}`, contentType: 'image/png', bytes: 5, sha256: 'a' }));
  home = await seededHome('b', [{ id: 'one', record: { files } }]);
  const media = join(home.folder, 'out', 'b', 'media');
  mkdirSync(join(media, 'folder.png'), { recursive: true });
  writeFileSync(join(home.folder, 'elsewhere.png'), smallPng());
  if (process.platform !== 'win32') {
    symlinkSync(join(home.folder, 'elsewhere.png'), join(media, 'link.png'));
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(media, 'pipe.png')]);
  }
  served = await serveHome(home);
  const headers = { 'x-callsheet-session': await sessionOf(served) };
  const answer = await fetch(`${served.origin}/api/batches/b/rows`, { headers });
  const { rows } = (await answer.json()) as { rows: { files: { url: string }[] }[] };
  urls = (rows[0]?.files ?? []).map(({ url }) => url);
});
afterAll(() => served?.stop());

test.skipIf(process.platform === 'win32').each([
  ['a link', 0, 'what has that name is no file'],
  ['a folder', 1, 'a folder has that name'],
  ['a pipe', 2, 'what has that name is no file'],
  ['a name that leads out of the batch', 3, 'not a safe name for a stored file'],
])('%s: 404 with one sentence', async (_, index, why) => {
  const answer = await fetch(`${served.origin}${urls[index]}`, { signal: AbortSignal.timeout(10_000) });
  const { message } = (await answer.json()) as { message: string };
  expect([answer.status, message]).toEqual([404, expect.stringMatching(`^this file cannot be shown: .*${why}`)]);
});

test('a file that is gone: 404', async () => {
  expect((await fetch(`${served.origin}${urls[4]}`)).status).toBe(404);
});
