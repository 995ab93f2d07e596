import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createFolderStore } from '../../src/store/folder.js';
import { findLeftovers } from '../../src/store/leftovers.js';
import { findPassed, makePassingFolder } from '../../src/store/passing.js';
import { collect, streamOf, temporaryFolder } from './support/temporary.js';

const OLD_MS = Date.now() - 7_200_000;
const HOUR_AGO_MS = Date.now() - 3_600_000;

function write(path: string, text: string, atMs = OLD_MS): void {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  utimesSync(path, atMs / 1_000, atMs / 1_000);
}

describe('what killed processes leave behind', () => {
  test('parts, temporary files and broken checks are found; media, records and links are not', async () => {
    const root = temporaryFolder();
    const store = createFolderStore(root);
    await store.put('b/records/aa/a.json', Buffer.from('{}'));
    await store.putStream('b/media/a.mp4', streamOf('clip'), { attemptName: 'a-1', ifExists: 'fail' });
    write(join(root, 'b/media/.part-a-1-0123456789ab-0123456789ab'), 'part');
    write(join(root, 'b/media/0001/.part-b-1-0123456789ab-0123456789ab'), 'more');
    write(join(root, 'b/attempts/aa/.tmp-012345678901234567'), 'torn');
    write(join(root, 'b/media/.hidden'), 'not ours');
    write(join(root, 'b/rows/incoming-0123456789abcdef/000000.jsonl'), 'rows');
    utimesSync(join(root, 'b/rows/incoming-0123456789abcdef'), OLD_MS / 1_000, OLD_MS / 1_000);
    const outside = temporaryFolder();
    write(join(outside, '.part-x'), 'of others');
    symlinkSync(outside, join(root, 'b/media/linked'));
    const found = await collect(findLeftovers(join(root, 'b'), HOUR_AGO_MS));
    expect(found.map(({ path }) => path.slice(root.length + 3)).sort()).toEqual([
      'attempts/aa/.tmp-012345678901234567',
      'media/.part-a-1-0123456789ab-0123456789ab',
      'media/0001/.part-b-1-0123456789ab-0123456789ab',
      'rows/incoming-0123456789abcdef',
    ]);
    expect(found.every(({ bytes }) => bytes === 4)).toBe(true);
    for (const { remove } of found) await remove();
    expect(await collect(findLeftovers(join(root, 'b'), Date.now()))).toEqual([]);
    expect(await collect(store.list(''))).toEqual(['b/media/a.mp4', 'b/records/aa/a.json']);
    expect(readdirSync(outside)).toEqual(['.part-x']);
  });

  test('the attempts and outputs of rows that are named like a broken check stay', async () => {
    const root = temporaryFolder();
    const id = 'incoming-0123456789abcdef';
    write(join(root, `attempts/aa/${id}/0001.000.json`), 'a claim');
    write(join(root, `media/${id}/a.mp4`), 'clip');
    for (const folder of ['attempts/aa', 'media']) utimesSync(join(root, folder, id), OLD_MS / 1_000, OLD_MS / 1_000);
    expect(await collect(findLeftovers(root, Date.now()))).toEqual([]);
  });

  test('what was touched a moment ago may be under way and stays', async () => {
    const root = temporaryFolder();
    write(join(root, 'b/.tmp-1'), 'now', Date.now());
    write(join(root, 'b/rows/incoming-0123456789abcdef/000000.jsonl'), 'now', Date.now());
    expect(await collect(findLeftovers(root, HOUR_AGO_MS))).toEqual([]);
    expect(await collect(findLeftovers(join(root, 'nowhere'), HOUR_AGO_MS))).toEqual([]);
  });
});

describe("what only passed through this machine's temporary folder", () => {
  afterEach(() => vi.unstubAllEnvs());

  test('is found when its process is gone, or long forgotten; what another process still sends is not', async () => {
    const folder = temporaryFolder();
    vi.stubEnv('TMPDIR', folder);
    const { pid: gone } = spawnSync(process.execPath, ['--version']);
    const nowMs = Date.now();
    const name = (pid: number, n: number) => `callsheet-upload-${pid}-${String(n).padStart(24, '0')}`;
    write(join(folder, name(gone, 1)), 'dead', nowMs);
    write(join(folder, name(process.pid, 2)), 'sent just now', nowMs - 3_600_000);
    write(join(folder, name(process.pid, 3)), 'days old', nowMs - 90_000_000);
    write(join(folder, `callsheet-upload-${gone}`), 'not ours', nowMs);
    symlinkSync(join(folder, name(process.pid, 2)), join(folder, name(gone, 4)));
    const found = await collect(findPassed(nowMs));
    const listed = found.map(({ path, bytes }) => [path, bytes]).sort();
    expect(listed).toEqual(
      [
        [join(folder, name(gone, 1)), 4],
        [join(folder, name(process.pid, 3)), 8],
      ].sort(),
    );
    for (const { remove } of found) await remove();
    expect(readdirSync(folder)).toHaveLength(3);
  });

  test('whoever needs such a folder removes those of processes that were killed', async () => {
    const folder = temporaryFolder();
    vi.stubEnv('TMPDIR', folder);
    const { pid: gone } = spawnSync(process.execPath, ['--version']);
    const left = join(folder, `callsheet-frame-${gone}-${'1'.repeat(24)}`);
    write(join(left, 'film'), 'half a film', Date.now());
    expect(await collect(findPassed(Date.now()))).toMatchObject([{ path: left, bytes: 11 }]);
    const made = await makePassingFolder('poster');
    expect(readdirSync(folder)).toEqual([basename(made)]);
  });
});
