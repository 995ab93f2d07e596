// `callsheet clean`: what it takes of a finished batch, and what it leaves to downloads that go on after its end.
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RowRecord } from '../../src/domain/outcome.js';
import { seededHome } from './seeded-home.js';

const PART = '.part-film-1-0-0123456789ab-0123456789ab';

/** Whether the part of the row's download is there after `clean`. */
async function keepsPart(record: Partial<RowRecord>, minutesOld: number): Promise<boolean> {
  const { folder, run } = await seededHome('shots', [{ id: 'film', record }]);
  const media = join(folder, 'out', 'shots', 'media');
  mkdirSync(media, { recursive: true });
  const part = join(media, PART);
  writeFileSync(part, 'half a film');
  const atS = Date.now() / 1_000 - minutesOld * 60;
  utimesSync(part, atS, atS);
  expect((await run('clean', 'shots')).exitCode).toBe(0);
  return existsSync(part);
}

test('a part of a finished batch goes at once', async () => {
  expect(await keepsPart({ status: 'done' }, 1)).toBe(false);
});

test('an output that is fetched on after the end of its batch keeps its part while it is written to', async () => {
  const pending = { status: 'review', reasonCode: 'output_pending' } as const;
  expect(await keepsPart(pending, 1)).toBe(true);
  expect(await keepsPart(pending, 61)).toBe(false);
});
