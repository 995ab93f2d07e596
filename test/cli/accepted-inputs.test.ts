// `retry --accept-inputs` gives orders of `rerun` again that a changed file stood in the way of (design 9).
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAcceptedInputs } from '../../src/cli/batch/accepted-inputs.js';
import type { KnownBatch } from '../../src/cli/batch/known-batch.js';
import { noteReruns } from '../../src/home/row-orders.js';
import { png } from '../manifest/media-samples.js';
import { fed } from '../support/chain-rows.js';
import { rowOf, type SeededRow, seededHome } from './seeded-home.js';

const HERO = { file: 'media/hero.png', contentType: 'image/png', bytes: 3, sha256: 'as it was rendered' };
const AGAIN = { id: 'again', beforeMs: 7, classes: [] };

const kept = (id: string, feeder: string, at: number, rerunFailedFor: 'input_changed' | 'upstream_failed') => {
  const record = { flags: ['rerun_failed' as const], rerunFailedFor };
  return { id, row: { media: { image: [fed(feeder, at)] } }, record } satisfies SeededRow;
};

test('rows that stand before what feeds them are rendered again with it, and behind it', async () => {
  const seeded: SeededRow[] = [
    kept('film', 'clip', 1, 'upstream_failed'),
    kept('clip', 'edit', 2, 'upstream_failed'),
    kept('edit', 'hero', 3, 'input_changed'),
    { id: 'hero', record: { files: [HERO] } },
    kept('other', 'hero', 3, 'upstream_failed'),
  ];
  const home = await seededHome('b', seeded);
  await noteReruns(home.home, 'b', ['film', 'clip', 'edit', 'other']);
  const out = join(home.folder, 'out');
  mkdirSync(join(out, 'b', 'media'), { recursive: true });
  writeFileSync(join(out, 'b', HERO.file), png(64, 64));

  const order: string[] = [];
  const changeRecord: typeof home.records.changeRecord = (batch, id, next) => {
    order.push(id);
    return home.records.changeRecord(batch, id, next);
  };
  const access = { ...home, config: {}, records: { ...home.records, changeRecord } };
  const generation = await home.rows.generation('b', (await home.rows.currentGeneration('b')) ?? '');
  const session = { config: {}, origins: new Map(), terminal: { note: () => undefined } };
  const known = { session, access, batch: 'b', out, generation } as unknown as KnownBatch;
  const inputs = await createAcceptedInputs(known, AGAIN, ({ id }) => id !== 'nobody');
  for (const [index, { id, row }] of seeded.entries()) await inputs.look({ ...rowOf(id, index), ...row });

  const ids = seeded.map(({ id }) => id);
  const again = { rerunAtMs: AGAIN.beforeMs };
  expect(await inputs.access.records.readRecords('b', ids)).toMatchObject([again, again, again, {}, {}]);
  await inputs.accept();
  const [film, clip, edit, hero, other] = await home.records.readRecords('b', ids);
  expect([film, clip, edit]).toMatchObject([
    { ...again, rerunWith: ['clip'] },
    { ...again, rerunWith: ['edit'] },
    { ...again, rerunWith: [] },
  ]);
  expect(hero?.files[0]?.sha256).toBe(createHash('sha256').update(png(64, 64)).digest('hex'));
  // Its order failed for another reason than the file.
  expect(other?.rerunAtMs).toBeUndefined();
  expect(order).toEqual(['hero', 'edit', 'clip', 'film']);
});
