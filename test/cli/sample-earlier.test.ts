// A plan of a sample says what was rendered before, as that of the whole manifest does: both are paid otherwise.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sampleOfRun } from '../../src/cli/batch/sample-run.js';
import { newFound } from '../../src/cli/reuse/found-renders.js';
import { DEFAULT_S3 } from '../../src/domain/s3.js';
import { writeSampleGate } from '../../src/home/batch-marks.js';
import { seededHome } from './seeded-home.js';

test('what was rendered before is told with the rows of a sample', async () => {
  const home = await seededHome('shots', [{ id: 'one' }, { id: 'two' }]);
  await writeSampleGate(home.home, 'shots', { ids: ['one'], atMs: 1 });
  const generation = await home.rows.generation('shots', (await home.rows.currentGeneration('shots')) ?? '');
  const seconds = { lambdaSeconds: 1, thetaSeconds: 1, syncMaxSeconds: 1, rhoSeconds: 1, renderMaxSeconds: {} };
  const place = { s3: DEFAULT_S3, home: join(home.folder, 'home'), out: join(home.folder, 'out') };
  const config = { ...place, account: { name: 'seeded' }, prices: [], waits: seconds };
  const earlier = { ...newFound('none'), rows: 2, creditsNano: 5 };
  const prepared = { earlier, leaving: new Set(), changed: [], skipped: [], finishedBefore: [false, false] };
  const session = { config, origins: new Map(), terminal: { note: () => undefined } };
  const run = { session, access: { ...home, config }, batch: 'shots', generation, prepared, retry: null };
  const sample = await sampleOfRun(run as unknown as Parameters<typeof sampleOfRun>[0], undefined);
  expect(sample?.rows).toMatchObject({ earlier: { rows: 2 }, finishedBefore: [false] });
});
