// Without a bucket a column that takes URLs alone is fed by the service's own URL, and those of earlier renders age.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type RowRecord, retouchedText, sharesText } from '../../src/domain/outcome.js';
import type { Row } from '../../src/domain/row.js';
import { intent } from '../home/support/examples.js';
import { png } from '../manifest/media-samples.js';
import { checkText } from '../manifest/support.js';
import { rowRecord } from '../support/row-record.js';
import { type SeededHome, seededHome } from './seeded-home.js';

const HOUR_MS = 3_600_000;
const MANIFEST = `id,kind,model,prompt,width,height,first_frame
hero,svc/image,svc-alpha.2-klein-4b,a bird,512,512,
clip,vendor-d/video,,it flies,,,@hero
`;

/** What the record of a row says whose image lies in the batch's folder. */
async function imageOf({ folder }: SeededHome, { id, kind, hash: rowHash }: Row, finishedAtMs: number) {
  const bytes = png(512, 512);
  mkdirSync(join(folder, 'out/shots/media'), { recursive: true });
  writeFileSync(join(folder, `out/shots/media/${id}.png`), bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const files = [{ file: `media/${id}.png`, contentType: 'image/png', bytes: bytes.length, sha256 }];
  return { id, kind, files, finishedAtMs, rowHash, attempts: 1, seenStates: 2 };
}

async function seedImage(home: SeededHome, batch: string, row: Row, atMs: number, record: Partial<RowRecord> = {}) {
  const ref = { batch, id: row.id, n: 1 };
  const made = { atMs, rowHash: row.hash, kind: row.kind, generation: 'g', index: 0 };
  await home.ledger.claim(ref, intent(made));
  const outputs = [{ url: 'https://files.example/hero.png' }];
  await home.ledger.append(ref, { state: 'done', atMs, outputs, facts: {} });
  await home.ledger.close(ref);
  await home.records.writeRecord('shots', rowRecord({ ...(await imageOf(home, row, atMs)), ...record }));
}

/** A plan for the film of an image that was rendered so long ago. */
async function planned(ageMs: number, record: Partial<RowRecord> = {}) {
  const home = await seededHome('shots', []);
  const hero = (await checkText(MANIFEST, { urlCovers: () => true })).passed[0];
  if (hero === undefined) throw new Error('the manifest has no good row');
  await seedImage(home, record.reusedFrom?.split('/')[0] ?? 'shots', hero, Date.now() - ageMs, record);
  writeFileSync(join(home.folder, 'shots.csv'), MANIFEST);
  const planned = await home.run('plan', 'shots.csv', '--no-network', '--errors', 'problems.csv');
  return { ...planned, errors: readFileSync(join(home.folder, 'problems.csv'), 'utf8') };
}

test.each([
  ['rendered here', {}],
  ['taken over from another batch', { reusedFrom: 'before/hero', attempts: 0 }],
])('an image that was %s feeds while its URL lives', async (_, record) => {
  const fresh = await planned(HOUR_MS, record);
  expect(fresh.stdout + fresh.stderr).toContain('1 to run, 1 finished');
  expect(fresh.exitCode).toBe(0);
  const old = await planned(24 * HOUR_MS, record);
  expect(old.stderr).toContain("shots.csv:3:1: B72 row 'clip': @hero was rendered before, and the URL");
  expect(old.stderr).toContain('1 input has no URL that the service could read: nothing was submitted');
  expect(old.exitCode).toBe(2);
  expect(old.errors).toMatch(/shots\.csv,3,1,B72,clip,,.*@hero was rendered before, and the URL/);
});

test('a copy of an image is at the URL of the one that it was made of, while that lives', async () => {
  const hero = MANIFEST.split('\n')[1] ?? '';
  const manifest = MANIFEST.replace(hero, `${hero}\n${hero.replace('hero', 'twin')}`).replace('@hero', '@twin');
  const copied = async (ageMs: number) => {
    const home = await seededHome('shots', []);
    const [first, twin] = (await checkText(manifest, { urlCovers: () => true })).passed;
    if (first === undefined || twin === undefined) throw new Error('the manifest has no good rows');
    const atMs = Date.now() - ageMs;
    await seedImage(home, 'shots', first, atMs);
    const own = { attempts: 0, seenStates: 0, warnings: [sharesText('hero')] };
    await home.records.writeRecord('shots', rowRecord({ ...(await imageOf(home, twin, atMs)), ...own }));
    writeFileSync(join(home.folder, 'shots.csv'), manifest);
    return home.run('plan', 'shots.csv', '--no-network', '--share-identical');
  };
  expect((await copied(HOUR_MS)).exitCode).toBe(0);
  const old = await copied(24 * HOUR_MS);
  expect(old.stderr).toContain("shots.csv:4:1: B72 row 'clip': @twin was rendered before, and the URL");
  expect(old.exitCode).toBe(2);
});

test('an image that a person changed is not at the URL of what was rendered', async () => {
  const changed = await planned(HOUR_MS, { warnings: [retouchedText('media/hero.png')] });
  expect(changed.stderr).toContain(
    "shots.csv:3:1: B72 row 'clip': @hero was changed after it was rendered, and the URL",
  );
  expect(changed.exitCode).toBe(2);
});

test('a row that is not run, since another feeder of it has failed, is not refused for the one that is old', async () => {
  const home = await seededHome('shots', []);
  const [head = '', hero = '', clip = ''] = MANIFEST.split('\n');
  const film = `${clip.replace('vendor-d/', 'vendor-e/')},@end,4`;
  const second = hero.replace('hero', 'end').replace('bird', 'cloud');
  const manifest = `${head},last_frame,duration\n${hero},,\n${second},,\n${film}\n`;
  const [first, end] = (await checkText(manifest, { urlCovers: () => true })).passed;
  if (first === undefined || end === undefined) throw new Error('the manifest has no good rows');
  await seedImage(home, 'shots', first, Date.now() - 24 * HOUR_MS);
  const failed = {
    id: end.id,
    kind: end.kind,
    rowHash: end.hash,
    status: 'failed',
    reasonCode: 'render_failed',
  } as const;
  await home.records.writeRecord('shots', rowRecord({ ...failed, files: [] }));
  writeFileSync(join(home.folder, 'shots.csv'), manifest);
  const { stdout, stderr, exitCode } = await home.run('plan', 'shots.csv', '--no-network');
  expect(stderr).not.toContain('B72');
  expect(stdout).toContain('2 finished');
  expect(exitCode).toBe(0);
});

test('an image that is left alone for a file of somebody else is at no URL of the service', async () => {
  const home = await seededHome('others', []);
  mkdirSync(join(home.folder, 'out/shots/media'), { recursive: true });
  writeFileSync(join(home.folder, 'out/shots/media/hero.png'), png(512, 512));
  writeFileSync(join(home.folder, 'shots.csv'), MANIFEST);
  const skipped = await home.run('plan', 'shots.csv', '--no-network', '--out', 'out', '--on-exists', 'skip');
  expect(skipped.stderr).toContain(
    "shots.csv:3:1: B72 row 'clip': @hero is left alone for the file that is there, of which the service has given no URL",
  );
  expect(skipped.exitCode).toBe(2);
});

test('an image whose answer carries its bytes alone has no URL that feeds: nothing is submitted', async () => {
  const home = await seededHome('others', []);
  writeFileSync(join(home.folder, 'shots.csv'), MANIFEST);
  const refused = await home.run('run', 'shots.csv', '--no-network', '--out', 'out', '--response-format', 'b64_json');
  expect(refused.stderr).toContain('shots.csv:3:7: B72 first_frame: @hero (line 2, svc/image) cannot feed it');
  expect(refused.stderr).toContain('with --response-format b64_json images have none');
  expect(refused.exitCode).toBe(2);
});
