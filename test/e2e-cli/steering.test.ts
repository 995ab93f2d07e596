import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasTemporal } from '../support/temporal.js';
import { expectHonestEnd, jsonLines, paidRequests, results } from './support/evidence.js';
import { csv, film, image, rowOf } from './support/manifest.js';
import { type Rig, startRig, until } from './support/rig.js';

const ROWS = Array.from({ length: 20 }, (_, i) => film(`s${String(i + 1).padStart(2, '0')}`));
const IDS = ROWS.map(({ id }) => id);

describe.skipIf(!hasTemporal())('pause, resume, cancel and retry', () => {
  let rig: Rig;
  beforeEach(async () => {
    // Longer than an order takes on a machine that has others to serve.
    rig = await startRig({ speed: 100, emulator: { renderSeconds: { 'vendor-f': [1_200, 1_800] } } });
    await rig.write('films.csv', csv(ROWS));
  });
  afterEach(() => rig?.stop());

  const jobs = () => rig.emulator.truth().jobs;
  const untilJobs = (count: number) =>
    until(`${count} films were submitted`, () => jobs().length >= count || undefined);
  const ok = async (args: string[]) => {
    const ended = await rig.run(args);
    expect(ended.code, `${args.join(' ')}: ${ended.stderr}`).toBe(0);
    return ended.stdout;
  };
  const untilQuiet = () =>
    until(
      'what was submitted has rendered',
      () => jobs().every(({ terminalMs }) => terminalMs !== undefined) || undefined,
    );

  /** Nothing new is submitted; a grant that was given before the order may still leave. */
  const expectHeld = async (): Promise<void> => {
    await sleep(1_000);
    const submitted = jobs().length;
    expect(submitted).toBeLessThan(ROWS.length);
    await untilQuiet();
    await sleep(2_000);
    expect(jobs()).toHaveLength(submitted);
  };

  it('pause submits nothing new while what runs is fetched; resume goes on', async () => {
    const running = rig.start(['run', 'films.csv', '--yes', '--json']);
    await untilJobs(10);
    expect(JSON.parse(await ok(['pause', 'films', '--json']))).toEqual({ schema: 1, batch: 'films', order: 'pause' });
    await expectHeld();
    const status = JSON.parse(await ok(['status', 'films', '--json']));
    expect(status).toMatchObject({ state: 'paused', rows: ROWS.length });
    const all = await rig.run(['resume', '--all']);
    expect([all.code, all.stdout, all.stderr]).toEqual([0, '', expect.stringContaining("'films' stays paused")]);
    await ok(['resume', 'films']);
    const ended = await running.ended;
    expect(ended.code, ended.stderr).toBe(0);
    const types = jsonLines<{ type: string }>(ended.stdout).map(({ type }) => type);
    expect(types).toContain('paused');
    expect(types).toContain('resumed');
    expectHonestEnd(rig, 'films', IDS);
    expect(jobs()).toHaveLength(ROWS.length);
  });

  it('a pause that stands in the home holds and is shown, though its workflow has not heard of it', async () => {
    const running = rig.start(['run', 'films.csv', '--yes']);
    await untilJobs(10);
    const { account } = JSON.parse(await ok(['list', '--json']));
    const terms = join(rig.data, 'home', account, 'batches', 'films', 'terms.json');
    writeFileSync(terms, JSON.stringify({ ...JSON.parse(readFileSync(terms, 'utf8')), isPaused: true }));
    const status = JSON.parse(await ok(['status', 'films', '--json']));
    expect(status).toMatchObject({ state: 'paused', blocked: expect.stringContaining('callsheet resume films') });
    await expectHeld();
    await ok(['resume', 'films']);
    const ended = await running.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expectHonestEnd(rig, 'films', IDS);
  });

  it('a pause ends with its batch: the next run is not held', async () => {
    const two = ROWS.slice(0, 2);
    await rig.write('films.csv', csv(two));
    const first = rig.start(['run', 'films.csv', '--yes']);
    await untilJobs(2);
    await ok(['pause', 'films']);
    const ended = await first.ended;
    expect(ended.code, ended.stderr).toBe(0);
    await rig.write('films.csv', csv(ROWS.slice(0, 3)));
    await ok(['run', 'films.csv', '--yes']);
    expect(jobs()).toHaveLength(3);
  });

  it('cancel submits nothing new and fetches what was accepted; retry runs the others (I19)', async () => {
    const running = rig.start(['run', 'films.csv', '--yes']);
    await untilJobs(10);
    const cancelled = await rig.run(['cancel', 'films', '--json']);
    expect(cancelled.code, cancelled.stderr).toBe(0);
    // The order acts at once; what is counted after it takes longer than a second and says so.
    expect(cancelled.stderr).toContain(
      "nothing new of 'films' is submitted: what can still be stopped is being stopped",
    );
    const said = JSON.parse(cancelled.stdout);
    expect(said).toMatchObject({ schema: 1, batch: 'films' });
    const submitted = new Set(jobs().map(rowOf));
    const ended = await running.ended;
    expect(ended.code, ended.stderr).toBe(1);
    expect(ended.stderr).toContain('callsheet retry films');
    expect(new Set(jobs().map(rowOf))).toEqual(submitted);
    const rows = results(rig, 'films');
    expect(rows.map(({ id, status }) => `${id} ${status}`)).toEqual(
      IDS.map((id) => `${id} ${submitted.has(id) ? 'done' : 'cancelled'}`),
    );
    const again = await rig.run(['run', 'films.csv', '--yes']);
    expect(again.code, again.stderr).toBe(1);
    expect(jobs()).toHaveLength(submitted.size);
    const retried = await rig.run(['retry', 'films', '--yes']);
    expect(retried.code, retried.stderr).toBe(0);
    expect(expectHonestEnd(rig, 'films', IDS).every(({ status }) => status === 'done')).toBe(true);
    expect(jobs()).toHaveLength(ROWS.length);
  });

  it('what an earlier run finished stays done when the batch is cancelled before it was reached', async () => {
    const stills = Array.from({ length: 6 }, (_, i) => image(`still-${i + 1}`));
    await rig.write('more.csv', csv(stills));
    await ok(['run', 'more.csv', '--yes']);
    // The stills come last: no page reaches them while the films render.
    await rig.write('more.csv', csv([...ROWS, ...ROWS.map(({ id }) => film(`b-${id}`)), ...stills]));
    const running = rig.start(['run', 'more.csv', '--yes', '--json']);
    await untilJobs(stills.length + 10);
    await ok(['cancel', 'more']);
    const ended = await running.ended;
    expect(ended.code, ended.stderr).toBe(1);
    const rows = results(rig, 'more');
    const done = rows.filter(({ status }) => status === 'done').length;
    expect(done).toBeGreaterThanOrEqual(stills.length + 10);
    const last = jsonLines<{ type: string; counts?: object }>(ended.stdout).at(-1);
    expect(last).toMatchObject({ type: 'batch_finished', counts: { done, cancelled: rows.length - done } });
  });
});

describe.skipIf(!hasTemporal())('an engine that is stopped by order', () => {
  let rig: Rig;
  afterEach(() => rig?.stop());

  it('3-R1, 6-O5, 6-O9: paid calls get their answers, nobody starts it again but `resume`, and nothing is paid twice', async () => {
    // One synchronous call takes 35 s, longer than a worker has for all else.
    rig = await startRig({ speed: 20, emulator: { renderSeconds: { 'svc/image': [700, 700] } } });
    const stills = Array.from({ length: 9 }, (_, i) => image(`still-${i + 1}`));
    await rig.write('stills.csv', csv(stills));
    const running = rig.start(['run', 'stills.csv', '--yes', '--concurrency', '4']);
    const paid = () => paidRequests(rig.emulator.truth());
    await until('four calls are under way', () => paid() >= 4 || undefined);
    const stopped = await rig.run(['engine', 'stop']);
    expect(stopped.code, stopped.stderr).toBe(0);
    expect(stopped.stderr).toMatch(/it waits for 4 paid calls \(0\.\d+ credits, /);
    const submitted = paid();
    const followed = await running.ended;
    expect([followed.code, followed.stderr]).toEqual([7, expect.stringContaining('the engine was stopped by order')]);
    expect((await rig.run(['status', 'stills'])).code).toBe(7);
    const status = await rig.run(['engine', 'status']);
    expect([status.code, status.stdout]).toEqual([7, expect.stringContaining('1 batch stands still')]);
    expect((await rig.run(['watch', 'stills'])).code).toBe(7);
    expect(paid()).toBe(submitted);
    const resumed = await rig.run(['resume', '--all', '--json']);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ running: ['stills'], resumed: [], left: [] });
    expect((await rig.run(['watch', 'stills'])).code).toBe(0);
    const rows = expectHonestEnd(
      rig,
      'stills',
      stills.map(({ id }) => id),
    );
    expect(rows.map(({ status: word }) => word)).toEqual(stills.map(() => 'done'));
    expect(paid()).toBe(stills.length);
    await rig.write('more.csv', csv(stills.map(({ id }) => image(`more-${id}`))));
    rig.start(['run', 'more.csv', '--yes', '--concurrency', '2']);
    await until('two calls are under way', () => paid() >= stills.length + 2 || undefined);
    await rig.run(['engine', 'stop', '--now']);
    const cancelled = await rig.run(['cancel', 'more']);
    expect([cancelled.code, cancelled.stdout]).toEqual([0, expect.stringContaining("'more' is cancelled")]);
    expect(await rig.engine(), 'a cancel starts no engine').toBeUndefined();
  });
});
