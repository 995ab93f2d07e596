import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makePng } from '../emulator/media/media-png.js';
import { type BenchOptions, type BenchOutcome, createMeasures, say } from './lib/bench.js';
import { freshCheck } from './lib/fresh-check.js';
import { MEDIA_FILES, mixedManifest } from './lib/manifests.js';
import { benchFolder } from './lib/stand.js';

/** How long the check of a large manifest of many kinds takes whose rows name local media, and how the memory grows. */

const SMALL_ROWS = 1_000;
const LARGE_ROWS = 100_000;
/** What 99,000 further rows may take, MB: the memory does not follow the rows. */
const GROWTH_MAX_MB = 150;
const FILE_BYTES = 100_000;

export async function validateMedia({ runs }: BenchOptions): Promise<BenchOutcome> {
  const measures = createMeasures();
  const folder = await benchFolder();
  const pathOf = (rows: number): string => join(folder, `rows-${rows}.csv`);
  try {
    await writeMedia(join(folder, 'media'));
    for (const rows of [SMALL_ROWS, LARGE_ROWS]) await writeFile(pathOf(rows), mixedManifest(rows));
    for (let run = 1; run <= runs; run += 1) {
      const small = await freshCheck(pathOf(SMALL_ROWS), SMALL_ROWS);
      const large = await freshCheck(pathOf(LARGE_ROWS), LARGE_ROWS);
      measures.add(`${LARGE_ROWS} rows`, 's', large.seconds);
      measures.add(`${SMALL_ROWS} rows, peak of memory`, 'MB', small.rssPeakMb);
      measures.add(`${LARGE_ROWS} rows, more memory`, 'MB', large.rssPeakMb - small.rssPeakMb, GROWTH_MAX_MB);
      say(`validate-media ${run} of ${runs}: ${LARGE_ROWS} rows in ${large.seconds.toFixed(2)} s`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const settings = { rows: 'eight kinds, CSV', files: MEDIA_FILES, fileBytes: FILE_BYTES };
  return { name: 'validate-media', settings, measures: measures.all() };
}

/** Every file has a content of its own. */
async function writeMedia(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (let at = 0; at < MEDIA_FILES; at += 1) {
    const image = await makePng({ width: 640, height: 480, look: 'bench', tag: String(at) });
    const padding = Buffer.alloc(Math.max(0, FILE_BYTES - image.length));
    await writeFile(join(folder, `${at}.png`), Buffer.concat([image, padding]));
  }
}
