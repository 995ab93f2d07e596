// `callsheet report`: the page beside results.csv, its pictures, and the one for a client.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createPosters } from '../../src/report/posters.js';
import { createFolderStore } from '../../src/store/folder.js';
import type { Store } from '../../src/store/port.js';
import { canMount, mountDisk } from '../support/small-disk.js';
import { smallPng } from '../support/small-png.js';
import { until } from '../support/until.js';
import { type SeededHome, type SeededRow, seededHome } from './seeded-home.js';

const fileOf = (name: string, contentType: string, bytes: Buffer, durationSeconds?: number) => ({
  ...{
    file: `media/${name}`,
    contentType,
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  },
  ...(durationSeconds === undefined ? {} : { durationSeconds }),
});

const soon = (): number => performance.now() + 60_000;

function film(folder: string): Buffer {
  const path = join(folder, 'film.mp4');
  const args = [
    '-v',
    'error',
    '-f',
    'lavfi',
    '-i',
    'testsrc=duration=1:size=640x360:rate=10',
    '-pix_fmt',
    'yuv420p',
    path,
  ];
  expect(spawnSync('ffmpeg', args).status).toBe(0);
  return readFileSync(path);
}

/** A batch of a picture, a film and a failure, with their files where the record says. */
async function batch(): Promise<SeededHome & { page(name?: string): string }> {
  const rows: SeededRow[] = [
    { id: 'picture', record: { files: [fileOf('picture.png', 'image/png', smallPng())] } },
    { id: 'film' },
    { id: 'gone', record: { status: 'failed', reasonCode: 'render_failed', reason: 'no faces' } },
  ];
  const home = await seededHome('shots', rows);
  const media = join(home.folder, 'out', 'shots', 'media');
  mkdirSync(media, { recursive: true });
  const bytes = film(home.folder);
  writeFileSync(join(media, 'picture.png'), smallPng());
  writeFileSync(join(media, 'film.mp4'), bytes);
  await home.records.writeRecord('shots', {
    ...{ schema: 1, kind: 'vendor-f/video', status: 'done', flags: [], warnings: [], attempts: 1, id: 'film' },
    files: [fileOf('film.mp4', 'video/mp4', bytes, 1)],
    ...{ creditsBasis: 'unknown', finishedAtMs: 5, rowHash: 'hash-film' },
  });
  return { ...home, page: (name = 'report.html') => readFileSync(join(home.folder, 'out', 'shots', name), 'utf8') };
}

test('a picture and a frame of a film stand in the page; it says how to go on', async () => {
  const home = await batch();
  const { exitCode, stdout } = await home.run('report', 'shots');
  expect([exitCode, stdout]).toEqual([0, 'out/shots/report.html\n']);
  const page = home.page();
  expect(page).toContain(`data:image/png;base64,${smallPng().toString('base64')}`);
  expect(page).toContain('data:image/jpeg;base64,/9j/');
  expect(page).toContain('aria-label="Play film"');
  expect(page).toContain('callsheet retry shots --class render_failed');
  expect(page).not.toContain('sk-svc-');
});

test('the one for a client is another file; --json says where', async () => {
  const home = await batch();
  const { stdout } = await home.run('report', 'shots', '--public', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ schema: 1, rows: 3, file: 'out/shots/report-public.html' });
  expect(home.page('report-public.html')).toContain('film');
  expect(home.page('report-public.html')).not.toMatch(/credit|failed|render_failed|seeded|film film/);
});

test('without ffmpeg, or with a damaged film, a film has a tile with its link', async () => {
  const home = await batch();
  const store = createFolderStore(join(home.folder, 'out'));
  const file = fileOf('film.mp4', 'video/mp4', Buffer.from('x'), 1);
  expect(
    await createPosters('no-such-ffmpeg').postersOf(store, [{ key: 'shots/media/film.mp4', file }], soon()),
  ).toEqual([undefined]);
  const linked = { ...fileOf('png.png', 'image/png', Buffer.from('x'), 1), file: 'media/link.png' };
  symlinkSync('/etc/passwd', join(home.folder, 'out/shots/media/link.png'));
  expect(await createPosters().postersOf(store, [{ key: 'shots/media/link.png', file: linked }], soon())).toEqual([
    undefined,
  ]);
  writeFileSync(join(home.folder, 'out/shots/media/film.mp4'), '#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n');
  await home.run('report', 'shots');
  expect(home.page()).not.toContain('data:image/jpeg');
  expect(home.page()).toMatch(/<a href="\.\/media\/film\.mp4" aria-label="Play film"><span class="tile"/);
});

test('one damaged film takes no poster from those that are made with it', async () => {
  const home = await batch();
  const store = createFolderStore(join(home.folder, 'out'));
  const bytes = readFileSync(join(home.folder, 'film.mp4'));
  const asked = ['a', 'damaged', 'b'].map((name) => {
    const content = Buffer.concat([name === 'damaged' ? Buffer.alloc(9) : bytes, Buffer.from(name)]);
    writeFileSync(join(home.folder, 'out/shots/media', `${name}.mp4`), content);
    return { key: `shots/media/${name}.mp4`, file: fileOf(`${name}.mp4`, 'video/mp4', content, 1) };
  });
  const posters = createPosters();
  const made = await posters.postersOf(store, asked, soon());
  expect(made.map((poster) => poster?.contentType)).toEqual(['image/jpeg', undefined, 'image/jpeg']);
  expect(await posters.postersOf(store, asked.toReversed(), soon())).toEqual(made.toReversed());
});

test.skipIf(!canMount())(
  'without room for a copy of a film that lies in a bucket it has a tile, and its picture later',
  async () => {
    const home = await batch();
    const disk = join(home.folder, 'disk');
    mkdirSync(disk);
    mountDisk(disk, '4k');
    const store = { ...createFolderStore(join(home.folder, 'out')), location: 's3://films/may' };
    const file = fileOf('film.mp4', 'video/mp4', readFileSync(join(home.folder, 'film.mp4')), 1);
    const posters = createPosters();
    const made = () => posters.postersOf(store, [{ key: 'shots/media/film.mp4', file }], soon());
    vi.stubEnv('TMPDIR', disk);
    try {
      expect(await made()).toEqual([undefined]);
    } finally {
      vi.unstubAllEnvs();
      execFileSync('umount', [disk]);
    }
    expect(await made()).toEqual([expect.objectContaining({ contentType: 'image/jpeg' })]);
  },
);

test('where the temporary folder takes nothing a film in a bucket has a tile, and its picture later', async () => {
  const home = await batch();
  const folder = createFolderStore(join(home.folder, 'out'));
  const temporary = join(home.folder, 'temporary');
  mkdirSync(temporary);
  // As a program does that clears the folder of what it takes for left over.
  const read = (key: string) => {
    for (const name of readdirSync(temporary)) rmSync(join(temporary, name), { recursive: true });
    return folder.read(key);
  };
  const file = fileOf('film.mp4', 'video/mp4', readFileSync(join(home.folder, 'film.mp4')), 1);
  const posters = createPosters();
  const made = (store: Pick<Store, 'read'>) => {
    const bucket = { ...folder, location: 's3://films/may', ...store };
    return posters.postersOf(bucket, [{ key: 'shots/media/film.mp4', file }], soon());
  };
  vi.stubEnv('TMPDIR', join(home.folder, 'nowhere'));
  try {
    expect(await made(folder)).toEqual([undefined]);
    vi.stubEnv('TMPDIR', temporary);
    expect(await made({ read })).toEqual([undefined]);
  } finally {
    vi.unstubAllEnvs();
  }
  expect(await made(folder)).toEqual([expect.objectContaining({ contentType: 'image/jpeg' })]);
});

test('--open hands the page to the browser of the system, without any secret', async () => {
  const home = await batch();
  const bin = join(home.folder, 'bin');
  const told = join(home.folder, 'told');
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'xdg-open'),
    `#!/bin/sh\necho "$1 $CALLSHEET_API_KEY$CALLSHEET_NOTIFY_SECRET" > ${told}.part\nmv ${told}.part ${told}\n`,
  );
  chmodSync(join(bin, 'xdg-open'), 0o755);
  vi.stubEnv('PATH', `${bin}${delimiter}${process.env.PATH}`);
  vi.stubEnv('CALLSHEET_API_KEY', 'sk-svc-secret');
  vi.stubEnv('CALLSHEET_NOTIFY_SECRET', 'what signs webhooks');
  await home.run('report', 'shots', '--open');
  vi.unstubAllEnvs();
  await until(() => statSync(told, { throwIfNoEntry: false }) !== undefined);
  expect(readFileSync(told, 'utf8')).toBe(`${join(home.folder, 'out/shots/report.html')} \n`);
});

test('a batch that nobody ran is named', async () => {
  const { exitCode, stderr } = await (await batch()).run('report', 'shot');
  expect(exitCode).toBe(2);
  expect(stderr).toContain("did you mean 'shots'?");
});
