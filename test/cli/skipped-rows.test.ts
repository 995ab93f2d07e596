import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { HomeAccess } from '../../src/cli/access/home-access.js';
import { recordSkipped } from '../../src/cli/plan/kept-rows.js';
import { exitCodeOf } from '../../src/cli/views/counts.js';
import { noCounts } from '../../src/domain/outcome.js';
import { DEFAULT_S3 } from '../../src/domain/s3.js';
import { cli, workFolder } from './harness.js';
import { type SeededRow, seededHome, T0 } from './seeded-home.js';

const SETTINGS = ['--no-network', '--on-exists', 'skip'];
const film = (id: string, prompt = `film ${id}`) =>
  `${id},vendor-f/video,vendor-f-3.1-fast-generate-preview,${prompt},4\n`;
const manifestOf = (...rows: string[]) => `id,kind,model,prompt,duration\n${rows.join('')}`;

function strangers(folder: string, ...files: string[]): void {
  const media = join(folder, 'out', 'b', 'media');
  mkdirSync(media, { recursive: true });
  for (const file of files) writeFileSync(join(media, file), 'of someone else');
}

const film4 = (name: string) => ({ file: `media/${name}.mp4`, contentType: 'video/mp4', bytes: 15, sha256: 'x' });

const skippedRow = (id: string, index: number) => ({
  row: { id, kind: 'vendor-f/video' as const, hash: `hash-${id}`, index },
  file: `media/${id}.mp4`,
  isRecorded: false,
});

interface PlanJson {
  rows: { total: number; toSubmit: number; shared: number; finished: number; skipped: number };
  skippedFiles: string[];
}

describe('4-U2: --on-exists skip leaves rows alone whose names are taken (design 2, statuses)', () => {
  test('the plan counts and names them, and prices only the others', async () => {
    const folder = workFolder();
    strangers(folder, 'one.mp4', 'two.txt');
    writeFileSync(join(folder, 'b.csv'), manifestOf(film('one'), film('two'), film('three')));
    const place = ['--out', join(folder, 'out'), '--home', join(folder, 'home')];
    const said = await cli(['plan', 'b.csv', ...place, ...SETTINGS], { cwd: folder });
    expect(said.stdout, said.stderr).toContain('rows      3: 1 to run, 2 skipped');
    expect(said.stdout).toContain('2 rows skipped: their files exist (media/one.mp4, media/two.txt)');
    const asked = await cli(['plan', 'b.csv', ...place, ...SETTINGS, '--json'], { cwd: folder });
    const plan = JSON.parse(asked.stdout) as PlanJson;
    expect(plan.rows).toMatchObject({ total: 3, toSubmit: 1, finished: 0, skipped: 2 });
    expect(plan.skippedFiles).toEqual(['media/one.mp4', 'media/two.txt']);
  });

  test('4-U3: what shares the render of a skipped row is planned and priced as its own', async () => {
    const folder = workFolder();
    strangers(folder, 'one.mp4');
    writeFileSync(join(folder, 'b.csv'), manifestOf(film('one', 'same'), film('two', 'same')));
    const place = ['--out', join(folder, 'out'), '--home', join(folder, 'home')];
    const asked = await cli(['plan', 'b.csv', ...place, ...SETTINGS, '--share-identical', '--json'], {
      cwd: folder,
    });
    expect((JSON.parse(asked.stdout) as PlanJson).rows).toMatchObject({ toSubmit: 1, shared: 0, skipped: 1 });
  });

  test('a name that another row’s output has is taken; beside a further output of one the row runs', async () => {
    const home = await seededHome('b', [
      { id: 'a', record: { files: ['a', 'a-2'].map(film4) } },
      { id: 'gone', record: { files: [film4('moved')] } },
    ]);
    strangers(home.folder, 'a-2.mp4', 'x.mp4', 'moved.mp4');
    writeFileSync(join(home.folder, 'b.csv'), manifestOf(film('a-2'), film('x'), film('moved')));
    const asked = await home.run('plan', 'b.csv', '--out', join(home.folder, 'out'), ...SETTINGS, '--json');
    const plan = JSON.parse(asked.stdout) as PlanJson;
    expect(plan.rows).toMatchObject({ toSubmit: 1, skipped: 2 });
    expect(plan.skippedFiles).toEqual(['media/x.mp4', 'media/moved.mp4']);
  });

  test('records say so for rows that were never tried; a row that runs after all has none', async () => {
    const created = { state: 'created', atMs: T0 + 1, handle: 'h-1', status: 200 } as const;
    const home = await seededHome('b', [
      { id: 'free', record: { status: 'skipped', attempts: 0 } },
      { id: 'sent', states: [created] },
      { id: 'taken' },
    ]);
    const skipped = ['sent', 'taken'].map((id, at) => skippedRow(id, at + 1));
    await recordSkipped(home as unknown as HomeAccess, 'b', { skipped, reopened: ['free'], feeding: [] });
    const [free, sent, taken] = await home.records.readRecords('b', ['free', 'sent', 'taken']);
    expect([free, sent]).toEqual([undefined, undefined]);
    expect(taken).toMatchObject({ status: 'skipped', attempts: 0, files: [], creditsNano: 0, rowHash: 'hash-taken' });
    expect(taken?.reason).toBe('media/taken.mp4 was there and is not of this row: nothing was sent');
  });

  test('the file that is there feeds what the row feeds, with its sha256, and stays a file of others', async () => {
    const home = await seededHome('b', [{ id: 'one' }, { id: 'two', record: { status: 'skipped', attempts: 0 } }]);
    strangers(home.folder, 'one.mp4', 'two.mp4');
    const access = { ...home, config: { out: join(home.folder, 'out'), s3: DEFAULT_S3 } } as unknown as HomeAccess;
    const skipped = [skippedRow('one', 0), { ...skippedRow('two', 1), isRecorded: true }];
    await recordSkipped(access, 'b', { skipped, reopened: [], feeding: [true, true] });
    const sha256 = createHash('sha256').update('of someone else').digest('hex');
    for (const [at, record] of (await home.records.readRecords('b', ['one', 'two'])).entries()) {
      const file = `media/${['one', 'two'][at]}.mp4`;
      const files = [{ file, contentType: 'application/octet-stream', bytes: 15, sha256 }];
      expect(record).toMatchObject({ status: 'skipped', attempts: 0, files, creditsNano: 0 });
    }
    writeFileSync(join(home.folder, 'b.csv'), manifestOf(film('one'), film('two')));
    const asked = await home.run('plan', 'b.csv', '--out', join(home.folder, 'out'), ...SETTINGS, '--json');
    expect((JSON.parse(asked.stdout) as PlanJson).rows).toMatchObject({ toSubmit: 0, skipped: 2 });
  });

  test('what refers to a skipped row that would share a render is fed by the file of that row', async () => {
    const home = await seededHome('b', [{ id: 'one' }, { id: 'two' }]);
    strangers(home.folder, 'one.mp4', 'two.mp4');
    const access = { ...home, config: { out: join(home.folder, 'out'), s3: DEFAULT_S3 } } as unknown as HomeAccess;
    const two = skippedRow('two', 1);
    const skipped = [{ ...two, row: { ...two.row, shares: 0 } }];
    await recordSkipped(access, 'b', { skipped, reopened: [], feeding: [true] });
    expect((await home.records.readRecord('b', 'two'))?.files).toMatchObject([{ file: 'media/two.mp4' }]);
  });

  test('rows that are done or skipped are a success', () => {
    expect(exitCodeOf({ ...noCounts(), done: 1, skipped: 2 })).toBe(0);
    expect(exitCodeOf({ ...noCounts(), skipped: 2, cancelled: 1 })).toBe(1);
  });
});

describe('B47: a file of others in the way of a row that a known batch has not tried', () => {
  test('is told before the row is paid; a copy, which costs nothing, is left to its end', async () => {
    const home = await seededHome('b', [{ id: 'done' }]);
    strangers(home.folder, 'new.mp4', 'copy.mp4');
    const manifest = (...ids: string[]) => manifestOf(...ids.map((id) => film(id, 'same')));
    writeFileSync(join(home.folder, 'b.csv'), manifest('done', 'new'));
    const out = ['--out', join(home.folder, 'out')];
    for (const command of [
      ['run', '--yes'],
      ['plan', '--no-network'],
    ]) {
      const refused = await home.run(...command, 'b.csv', ...out);
      expect(refused.exitCode, refused.stderr).toBe(2);
      expect(refused.stderr).toContain('b.csv:3:1: B47 refusing to overwrite media/new.mp4; use --on-exists skip');
    }
    const versioned = await home.run('plan', 'b.csv', ...out, '--no-network', '--on-exists', 'version');
    expect(versioned.exitCode, versioned.stderr).toBe(0);
    writeFileSync(join(home.folder, 'b.csv'), manifest('done', 'copy'));
    const copied = await home.run('plan', 'b.csv', ...out, '--no-network', '--share-identical');
    expect(copied.exitCode, copied.stderr).toBe(0);
  });

  test('is told with the row that has it, where it is of the batch; what a row may have stored itself is not in its way', async () => {
    const fails = { state: 'refused', atMs: T0 + 1, rule: 'T3', next: 'fail_row', message: 'no' } as const;
    const failed: SeededRow['record'] = { status: 'failed', files: [] };
    const home = await seededHome('b', [
      { id: 'gone', record: { files: [film4('new'), film4('moved')] } },
      { id: 'again', states: [fails], record: failed },
      { id: 'moved', states: [fails], record: failed },
    ]);
    strangers(home.folder, 'new.mp4', 'moved.mp4', 'again.mp4');
    writeFileSync(join(home.folder, 'b.csv'), manifestOf(film('new'), film('again'), film('moved')));
    const out = ['--out', join(home.folder, 'out')];
    const refused = await home.run('run', '--yes', 'b.csv', ...out, '--retry-failed');
    expect(refused.exitCode, refused.stderr).toBe(2);
    const said = refused.stderr.split('\n').filter((line) => line.includes('B47'));
    const text = (line: number, id: string) =>
      `b.csv:${line}:1: B47 refusing to overwrite media/${id}.mp4, the output of row 'gone'; give the row another output name, or use --on-exists version`;
    expect(said.map((line) => line.slice(line.indexOf('b.csv')))).toEqual([text(2, 'new'), text(4, 'moved')]);
    const versioned = await home.run('plan', 'b.csv', ...out, '--no-network', '--on-exists', 'version');
    expect(versioned.exitCode, versioned.stderr).toBe(0);
  });
});
