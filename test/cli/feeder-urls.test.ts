// Without a bucket a column that takes URLs alone is fed by the service's own URL, and those of earlier renders age.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type RowRecord, retouchedText } from '../../src/domain/outcome.js';
import { intent } from '../home/support/examples.js';
import { png } from '../manifest/media-samples.js';
import { checkText } from '../manifest/support.js';
import { rowRecord } from '../support/row-record.js';
import { seededHome } from './seeded-home.js';

const HOUR_MS = 3_600_000;
const MANIFEST = `id,kind,model,prompt,width,height,first_frame
hero,svc/image,svc-alpha.2-klein-4b,a bird,512,512,
clip,vendor-d/video,,it flies,,,@hero
`;

/** A plan for the film of an image that was rendered so long ago. */
async function planned(ageMs: number, record: Partial<RowRecord> = {}) {
  const home = await seededHome('shots', []);
  const hero = (await checkText(MANIFEST, { urlCovers: () => true })).passed[0];
  if (hero === undefined) throw new Error('the manifest has no good row');
  const atMs = Date.now() - ageMs;
  const bytes = png(512, 512);
  mkdirSync(join(home.folder, 'out/shots/media'), { recursive: true });
  writeFileSync(join(home.folder, 'out/shots/media/hero.png'), bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const files = [{ file: 'media/hero.png', contentType: 'image/png', bytes: bytes.length, sha256 }];
  const { hash: rowHash, kind } = hero;
  const batch = record.reusedFrom?.split('/')[0] ?? 'shots';
  const ref = { batch, id: 'hero', n: 1 };
  await home.ledger.claim(ref, intent({ atMs, rowHash, kind, generation: 'g', index: 0 }));
  const outputs = [{ url: 'https://files.example/hero.png' }];
  await home.ledger.append(ref, { state: 'done', atMs, outputs, facts: {} });
  await home.ledger.close(ref);
  const ended = { id: 'hero', kind, files, finishedAtMs: atMs, rowHash, attempts: 1, seenStates: 2 };
  await home.records.writeRecord('shots', rowRecord({ ...ended, ...record }));
  writeFileSync(join(home.folder, 'shots.csv'), MANIFEST);
  return home.run('plan', 'shots.csv', '--no-network');
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
});

test('an image that a person changed is not at the URL of what was rendered', async () => {
  const changed = await planned(HOUR_MS, { warnings: [retouchedText('media/hero.png')] });
  expect(changed.stderr).toContain(
    "shots.csv:3:1: B72 row 'clip': @hero was changed after it was rendered, and the URL",
  );
  expect(changed.exitCode).toBe(2);
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
