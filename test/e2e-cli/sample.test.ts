// A sample first: what it renders, what it holds back from every command, and what `approve` lets through.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasTemporal } from '../support/temporal.js';
import { expectHonestEnd, jsonLines, results } from './support/evidence.js';
import { csv, film, image, rowOf } from './support/manifest.js';
import { type Rig, startRig, until } from './support/rig.js';

const ROWS = [...Array.from({ length: 5 }, (_, i) => image(`i${i}`)), film('f1'), film('f2')];

describe.skipIf(!hasTemporal())('run --sample and approve', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await startRig({ speed: 100 });
    await rig.write('shots.csv', csv(ROWS));
  });
  afterEach(() => rig?.stop());

  const jobs = () => rig.emulator.truth().jobs.map(rowOf).sort();
  const sampled = async (...args: string[]) => {
    const ended = await rig.run(['run', 'shots.csv', ...args]);
    expect(ended.code, ended.stderr).toBe(3);
    return ended;
  };

  it('that holds no row back is a run like any other', async () => {
    const ended = await rig.run(['run', 'shots.csv', '--sample', '50', '--yes']);
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).not.toContain('your approval');
    expect(JSON.parse((await rig.run(['status', 'shots', '--json'])).stdout).state).toBe('finished');
    expect(jobs()).toHaveLength(ROWS.length);
    const again = await rig.run(['rerun', 'shots', 'i0', '--yes']);
    expect(again.code, again.stderr).toBe(0);
    await until('the row is rendered again', () => jobs().length > ROWS.length || undefined);
  });

  it('a cancel approves nothing: `run` and `retry` start none of the rest, and `retry` takes it back for `approve`', async () => {
    await sampled('--sample', '2', '--yes');
    const sent = jobs().length;
    const ok = async (code: number, ...args: string[]) => {
      const ended = await rig.run(args);
      expect(ended.code, `${args.join(' ')}: ${ended.stderr}`).toBe(code);
      return ended;
    };
    const status = async () => JSON.parse((await ok(0, 'status', 'shots', '--json')).stdout);
    await ok(0, 'cancel', 'shots');
    expect(await status()).toMatchObject({ state: 'finished', sample: 'waiting', next: 'callsheet retry shots' });
    const again = await ok(1, 'run', 'shots.csv', '--yes');
    expect(again.stderr).toContain('callsheet retry shots');
    expect(again.stderr).not.toContain('approve');
    const refused = await ok(2, 'approve', 'shots', '--max-credits', '1');
    expect(refused.stderr).toContain("batch 'shots' was cancelled: `callsheet retry shots` takes that back");
    expect(await status()).toMatchObject({ sample: 'waiting' });
    const retried = await rig.run(['retry', 'shots', '--yes', '--max-credits', '9']);
    expect(retried.stderr).toContain('the cancel is taken back: the rest waits for approval as before');
    expect(retried.stderr).toContain('callsheet approve shots');
    expect(jobs()).toHaveLength(sent);
    expect(await status()).toMatchObject({ state: 'sampled', next: 'callsheet approve shots' });
    await ok(0, 'approve', 'shots', '--max-credits', '1');
    expect(results(rig, 'shots').every((row) => row.status === 'done')).toBe(true);
  });

  it('holds the rest back from run, resume and retry; approve renders it within its quote, nothing twice', async () => {
    const first = await sampled('--sample', '2', '--yes', '--json');
    expect(jobs()).toEqual(['f1', 'i0']);
    expect(first.stderr).toContain('5 rows wait for your approval');
    expect(first.stderr).toMatch(/rows {6}7: .*5 /);
    const last = jsonLines<{ type: string; exitCode?: number; sampled?: boolean }>(first.stdout);
    expect(last.find(({ type }) => type === 'batch_finished')).toMatchObject({ exitCode: 3, sampled: true });
    const quote = { sample: { ended: 2, failed: 0 }, rest: { rows: 5, seconds: { low: expect.any(Number) } } };
    expect(last.at(-1)).toMatchObject({ type: 'quote', rows: { toSubmit: 5 }, ...quote });
    expect(first.stderr).toMatch(/^quote {5}5 rows: [\d.]+ (to [\d.]+ )?credits, (about .*|.* to .*)$/m);
    const report = await readFile(join(rig.out, 'shots', 'report.html'), 'utf8');
    expect(report).toMatch(/<dt>sample<\/dt><dd>2 rows, each with its output<\/dd>[\s\S]*<dt>quote<\/dt><dd>5 rows: /);
    expect(report).toContain('<code>callsheet approve shots</code>');
    expect(report).not.toContain('callsheet resume');
    expect(JSON.parse((await rig.run(['status', 'shots', '--json'])).stdout)).toMatchObject({
      state: 'sampled',
      quote,
    });

    await sampled('--sample', '2', '--yes');
    await sampled('--yes');
    const budgeted = await sampled('--yes', '--max-credits', '90');
    expect(budgeted.stderr).toContain('no row is run: `callsheet approve shots --max-credits 90` sets it');
    const resumed = await rig.run(['resume', 'shots']);
    expect([resumed.code, resumed.stderr]).toEqual([
      2,
      expect.stringContaining('`callsheet approve shots` shows what'),
    ]);
    const rerun = await rig.run(['rerun', 'shots', 'i3', '--yes']);
    expect([rerun.code, rerun.stderr]).toEqual([
      2,
      expect.stringContaining("row 'i3' is not of the sample of 'shots'"),
    ]);
    await rig.run(['retry', 'shots', '--yes']);
    await rig.run(['resume', '--all']);
    expect(jobs()).toEqual(['f1', 'i0']);

    const unsaid = await rig.run(['approve', 'shots']);
    expect([unsaid.code, unsaid.stderr]).toEqual([
      2,
      expect.stringMatching(/5 rows would be submitted .*say --max-credits/),
    ]);
    const priced = await rig.run(['approve', 'shots', '--yes', '--unpriced']);
    expect([priced.code, priced.stderr]).toEqual([2, expect.stringContaining('for all of it --max-credits')]);
    expect(jobs()).toHaveLength(2);

    const approved = await rig.run(['approve', 'shots', '--max-credits', '100']);
    expect(approved.code, approved.stderr).toBe(0);
    expectHonestEnd(
      rig,
      'shots',
      ROWS.map(({ id }) => id),
    );
    expect(jobs()).toHaveLength(ROWS.length);
    // What was approved goes before what a finished batch is run with: one order is named, and it is not refused.
    const dearer = await rig.run(['run', 'shots.csv', '--yes', '--max-credits', '200']);
    expect([dearer.code, dearer.stderr]).toEqual([
      0,
      expect.stringContaining('`callsheet approve shots --max-credits 200` raises'),
    ]);
    expect(dearer.stderr).not.toContain('no row is run');
    const again = await rig.run(['approve', 'shots']);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('waits for approval')]);
    const raised = await rig.run(['approve', 'shots', '--max-credits', '100']);
    expect([raised.code, raised.stderr]).toEqual([0, expect.stringContaining('100 credits from now on')]);
  });

  it('another manifest asks again, other rows can be taken, and a low budget ends the rest with 6', async () => {
    await sampled('--sample', '1', '--yes');
    expect(jobs()).toHaveLength(1);
    await sampled('--sample', '1', '--another', '--yes');
    expect(jobs()).toHaveLength(2);
    const stopped = await rig.run(['approve', 'shots', '--max-credits', '0.002']);
    expect(stopped.code, stopped.stderr).toBe(6);
    const spent = jobs().length;
    expect(spent).toBeLessThan(ROWS.length);
    const plain = await rig.run(['resume', 'shots']);
    expect([plain.code, plain.stderr]).toEqual([2, expect.stringContaining('approve shots --max-credits <more>`')]);
    const more = await rig.run(['resume', 'shots', '--max-credits', '50']);
    expect([more.code, more.stderr]).toEqual([2, expect.stringContaining('callsheet approve shots --max-credits 50')]);

    expect((await rig.run(['status', 'shots'])).stdout).toMatch(/^next {6}callsheet approve shots/m);

    await rig.write('shots.csv', csv([...ROWS, image('i9')]));
    const unread = await rig.run(['approve', 'shots', '--max-credits', '50']);
    expect([unread.code, unread.stderr]).toEqual([2, expect.stringContaining('1 row, none of the sample')]);
    await sampled('--yes');
    for (const limits of [['--max-credits', '50'], []]) {
      const resumed = await rig.run(['resume', 'shots', ...limits]);
      expect([resumed.code, resumed.stderr]).toEqual([2, expect.stringContaining('waits for your approval')]);
    }
    expect(jobs()).toHaveLength(spent);
    const approved = await rig.run(['approve', 'shots', '--max-credits', '50']);
    expect(approved.code, approved.stderr).toBe(0);
    expect(results(rig, 'shots').map(({ status }) => status)).toEqual(Array(ROWS.length + 1).fill('done'));
    expect(jobs()).toHaveLength(ROWS.length + 1);
  });

  it('an edited row of the sample is named and rendered again by order, and the approval is asked for anew', async () => {
    await sampled('--sample', '2', '--yes');
    await rig.write(
      'shots.csv',
      csv(ROWS.map((row) => (row.id === 'i0' ? { ...row, prompt: 'another picture for row i0.' } : row))),
    );
    const again = await sampled('--yes', '--changed', 'rerun=i0');
    expect(again.stderr).toContain('1 row of the sample is another now than what was rendered: i0');
    expect(jobs()).toEqual(['f1', 'i0', 'i0']);
  });

  async function forgetPrices() {
    const settings = join(rig.folder, 'callsheet.config.json');
    const known = JSON.parse(await readFile(settings, 'utf8'));
    const { prices: _, ...priceless } = known;
    await writeFile(settings, JSON.stringify({ ...priceless, account: { exclusive: false }, ambiguity: 'hold' }));
    return { settings, known };
  }

  it('a rest whose price nobody knows runs without a budget once that was agreed to', async () => {
    await forgetPrices();
    await sampled('--sample', '2', '--yes');
    const unsaid = await rig.run(['approve', 'shots', '--yes']);
    expect([unsaid.code, unsaid.stderr]).toEqual([
      2,
      expect.stringContaining('agree to them with --yes --unpriced and no budget'),
    ]);
    expect(jobs()).toHaveLength(2);
    const bounded = await rig.run(['approve', 'shots', '--yes', '--unpriced', '--max-credits', '5']);
    expect([bounded.code, bounded.stderr]).toEqual([2, expect.stringContaining('--max-credits 5 cannot be kept')]);
    const approved = await rig.run(['approve', 'shots', '--yes', '--unpriced']);
    expect(approved.code, approved.stderr).toBe(0);
    expect(jobs()).toHaveLength(ROWS.length);
  });

  it('a sample whose price was unknown is priced by the rules that approve is given', async () => {
    const { settings, known } = await forgetPrices();
    await sampled('--sample', '2', '--yes');
    const refused = await rig.run(['approve', 'shots', '--max-credits', '100']);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('set `prices` for 5 rows and 2 attempts of before'),
    ]);

    await writeFile(settings, JSON.stringify({ ...known, account: { exclusive: false }, ambiguity: 'hold' }));
    const approved = await rig.run(['approve', 'shots', '--max-credits', '100']);
    expect(approved.code, approved.stderr).toBe(0);
    expect(jobs()).toHaveLength(ROWS.length);
  });
});
