// What the batch itself has rendered, once its manifest was edited: offered where no row of the manifest has it any more.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Row } from '../../src/domain/row.js';
import { rowHash } from '../../src/manifest/row-hash.js';
import { states } from '../home/support/examples.js';
import { rowOf, seededHome } from './seeded-home.js';

const MODEL = 'vendor-f-3.1-fast-generate-preview';
const SETTINGS = ['--no-network', '--json'];
const FILE = { file: 'media/x.mp4', contentType: 'video/mp4', bytes: 1, sha256: 'a'.repeat(64) };

const content = (prompt: string): Pick<Row, 'kind' | 'cells' | 'media'> => ({
  ...{ kind: 'vendor-f/video', media: {} },
  cells: { model: MODEL, prompt, duration: 4 },
});

/** A row that was rendered, or is at the service. */
function tried(id: string, prompt: string, isUnderWay = false) {
  const row = { ...rowOf(id, 0), ...content(prompt) };
  const hash = rowHash(row);
  const at = { id, intent: { rowHash: hash }, row: { ...content(prompt), hash } };
  if (isUnderWay) return { ...at, states: [states.created] };
  return { ...at, states: [states.created, states.rendered], record: recordOf(hash) };
}

const recordOf = (rowHash: string) => ({ files: [FILE], rowHash, creditsNano: 5 });

/** A row that was taken over from another batch: nothing was sent for it. */
function taken(id: string, prompt: string) {
  const { row, ...at } = tried(id, prompt);
  return {
    ...at,
    row,
    states: [],
    record: { ...recordOf(row.hash), reusedFrom: 'old/w', attempts: 0, creditsNano: 0 },
  };
}

async function planOf(before: ReturnType<typeof tried>[], now: [id: string, prompt: string][], ...flags: string[]) {
  const home = await seededHome('shots', before);
  const lines = now.map(([id, prompt]) => `${id},vendor-f/video,${MODEL},${prompt},4`);
  writeFileSync(join(home.folder, 'shots.csv'), ['id,kind,model,prompt,duration', ...lines, ''].join('\n'));
  const { stdout, stderr } = await home.run(
    'plan',
    'shots.csv',
    '--out',
    join(home.folder, 'out'),
    ...SETTINGS,
    ...flags,
  );
  expect(stdout, stderr).not.toBe('');
  return JSON.parse(stdout);
}

test('a row that was given another id is offered what it had rendered', async () => {
  const plan = await planOf([tried('a', 'waves')], [['b', 'waves']]);
  expect(plan).toMatchObject({
    rows: { toSubmit: 1 },
    earlier: { rows: 1, batches: [{ batch: 'shots', rows: 1 }] },
    leavingRows: 1,
  });
});

test('what a row of the manifest has is its own: a further take is rendered', async () => {
  const takes = ['t1', 't2'].map((id) => tried(id, 'waves'));
  const plan = await planOf(takes, [
    ['t1', 'waves'],
    ['t2', 'waves'],
    ['t3', 'waves'],
  ]);
  expect(plan).toMatchObject({ rows: { toSubmit: 1, finished: 2 }, earlier: { rows: 0 } });
});

test('a row that asks for something else now leaves what it had to another', async () => {
  const plan = await planOf(
    [tried('a', 'waves')],
    [
      ['a', 'a storm'],
      ['b', 'waves'],
    ],
    '--changed',
    'rerun=a',
  );
  expect(plan).toMatchObject({ rows: { toSubmit: 2 }, earlier: { rows: 1 } });
});

test('a row that was taken over and asks for something else since is offered the render of that', async () => {
  const plan = await planOf([taken('a', 'waves'), tried('s', 'a storm')], [['a', 'a storm']]);
  expect(plan).toMatchObject({ rows: { toSubmit: 1 }, earlier: { rows: 1, batches: [{ batch: 'shots' }] } });
});

test('what is under way for a row that left is said; for a row that stays it is that row alone', async () => {
  const plan = await planOf(
    [tried('a', 'waves', true), tried('c', 'rain', true)],
    [
      ['b', 'waves'],
      ['c', 'rain'],
      ['d', 'rain'],
    ],
  );
  expect(plan).toMatchObject({ rows: { underWay: 1, toSubmit: 2 }, earlier: { rows: 0, underWayElsewhere: 1 } });
});
