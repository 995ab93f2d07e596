// From where a manifest may name media: what the account's batches wrote, and what a person names (design 2).
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { png } from '../manifest/media-samples.js';
import { seededHome } from './seeded-home.js';

const HEADER = 'id,kind,model,prompt,image,width,height';

/** A home whose batch `shots` wrote to `out`, and a manifest elsewhere with one medium. */
async function planned(image: (folder: string) => string, ...flags: string[]) {
  const home = await seededHome('shots', [{ id: 'a' }]);
  mkdirSync(join(home.folder, 'out', 'shots', 'media'), { recursive: true });
  mkdirSync(join(home.folder, 'work'));
  for (const path of ['out/shots/media/a.png', 'private.png']) {
    writeFileSync(join(home.folder, path), png(512, 512));
  }
  const row = `b,svc/edit,svc-beta-image-edit-2511,a boat,${image(home.folder)},512,512`;
  writeFileSync(join(home.folder, 'work', 'edits.csv'), `${HEADER}\n${row}\n`);
  return home.run('plan', 'work/edits.csv', '--no-network', ...flags);
}

const other = ['--out', 'elsewhere'];

test('a file below an --out of the account, which is another one now', async () => {
  const { exitCode, stderr } = await planned((folder) => join(folder, 'out/shots/media/a.png'), ...other);
  expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('B45')]);
});

test.each([
  ['a file that no batch wrote', (folder: string) => join(folder, 'private.png'), 'B45 image: '],
  ['an object that no batch wrote', () => 's3://private/a.png', "B44 image: 's3://private/a.png' is below no --out"],
])('never %s', async (_, image, text) => {
  const { exitCode, stdout, stderr } = await planned(image, ...other);
  expect([exitCode, stdout + stderr]).toEqual([2, expect.stringContaining(text)]);
});

test('a file whose very bytes were an input of the account before may lie anywhere, as failed.csv names it', async () => {
  const home = await seededHome('shots', [{ id: 'a' }]);
  const path = join(home.folder, 'private.png');
  mkdirSync(join(home.folder, 'work'));
  writeFileSync(path, png(512, 512));
  const row = (id: string) => `${id},svc/edit,svc-beta-image-edit-2511,a boat,${path},512,512\n`;
  writeFileSync(join(home.folder, 'work', 'failed.csv'), `${HEADER}\n${row('b')}${row('c')}`);
  const plan = () => home.run('plan', 'work/failed.csv', '--no-network', ...other);
  expect(await plan()).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('B45 image: ') });
  await home.home.putBlob(png(512, 512));
  expect(await plan()).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('B45') });
  // What it holds now was never given to the service.
  writeFileSync(path, png(512, 640));
  expect(await plan()).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('B45 image: ') });
});

test('an --input-root is a folder or an address of a bucket', async () => {
  const { exitCode, stderr } = await planned(() => 's3://private/a.png', '--input-root', 's3://BUCKET/x');
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringContaining(
      "--input-root must be a folder or s3://bucket/prefix, got 's3://BUCKET/x': a bucket has 3-63 of",
    ),
  ]);
});
