// How batches share the plan's simultaneous jobs, and how that is changed while they run.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasTemporal } from '../support/temporal.js';
import { expectHonestEnd, isCharged, jobsByRow, results } from './support/evidence.js';
import { csv, film, rowOf } from './support/manifest.js';
import { type Rig, startRig, until } from './support/rig.js';

const rowsOf = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => film(`${prefix}${i + 1}`));

describe.skipIf(!hasTemporal())('limits, weights and priorities', () => {
  let rig: Rig;
  const begin = (least: number, most: number) =>
    startRig({ speed: 100, emulator: { renderSeconds: { 'vendor-f': [least, most] } } });
  beforeEach(async () => {
    rig = await begin(400, 500);
  });
  afterEach(() => rig?.stop());

  const jobsOf = (prefix: string) => rig.emulator.truth().jobs.filter((job) => rowOf(job).startsWith(prefix));
  const running = (prefix: string) => jobsOf(prefix).filter(({ terminalMs }) => terminalMs === undefined).length;
  /** The most that ran at once, of those that began in a time. */
  const most = (prefix: string, fromMs = 0, untilMs = Number.POSITIVE_INFINITY) =>
    Math.max(
      ...jobsOf(prefix)
        .filter(({ createdMs }) => createdMs >= fromMs && createdMs < untilMs)
        .map(
          ({ createdMs: atMs }) =>
            jobsOf(prefix).filter(({ createdMs, terminalMs = Number.POSITIVE_INFINITY }) => {
              return createdMs <= atMs && terminalMs > atMs;
            }).length,
        ),
    );
  const ok = async (args: string[]) => {
    const ended = await rig.run(args);
    expect(ended.code, `${args.join(' ')}: ${ended.stderr}`).toBe(0);
    return ended.stdout;
  };
  const reached = (prefix: string, count: number) =>
    until(`${count} of ${prefix} run at once`, () => (running(prefix) >= count ? true : undefined));

  it('a limit of a batch and one of the account hold, and change while it runs (6-O3)', async () => {
    // So many that six can run at once again however long the commands before took.
    await rig.write('a.csv', csv(rowsOf('a', 80)));
    await rig.write('b.csv', csv(rowsOf('b', 3)));
    const first = rig.start(['run', 'a.csv', '--yes', '--concurrency', '2']);
    await reached('a', 2);
    // Another command with other settings: its rows have the other slots, and the first batch keeps its limit and prices.
    const dear = [{ kind: 'vendor-f/video', components: [{ unit: 'request', credits: '0.9' }] }];
    await ok(['run', 'b.csv', '--yes', '--prices', JSON.stringify(dear)]);
    expect(most('b')).toBe(3);
    const orderedMs = rig.emulator.truth().nowMs;
    expect(most('a', 0, orderedMs)).toBe(2);
    expect(JSON.parse(await ok(['limits', 'a', '--concurrency', '6', '--weight', '3', '--json']))).toEqual({
      ...{ schema: 1, batch: 'a', concurrency: 6, weight: 3, priority: 0 },
    });
    await reached('a', 6);
    await ok(['limits', '--concurrency', '3']);
    await until('the account has come down', () => (running('a') <= 3 ? true : undefined));
    const lowMs = rig.emulator.truth().nowMs;
    const before = jobsOf('a').length;
    await until('more were begun', () => (jobsOf('a').length >= before + 5 ? true : undefined));
    expect(most('a', lowMs)).toBe(3);
    const shown = JSON.parse(await ok(['limits', '--json']));
    expect(shown).toMatchObject({
      plan: { concurrency: 10 },
      ordered: { concurrency: 3, rpm: null },
      batches: [{ batch: 'a', concurrency: 6, weight: 3, held: 3 }],
    });
    await ok(['limits', '--reset']);
    await reached('a', 6);
    await ok(['cancel', 'a']);
    expect((await first.ended).code).toBe(1);
    expectHonestEnd(rig, 'b', ['b1', 'b2', 'b3']);
    const jobs = jobsByRow(rig.emulator.truth());
    for (const { id, status, credits } of results(rig, 'a')) {
      expect(['done', 'cancelled'], id).toContain(status);
      expect((jobs.get(id) ?? []).filter(isCharged), id).toHaveLength(status === 'done' ? 1 : 0);
      if (status === 'done') expect(credits, id).toBe(0.4);
    }
    expect(new Set(results(rig, 'b').map(({ credits }) => credits))).toEqual(new Set([0.9]));
  });

  it('requests per minute of a batch hold until it ends, and none that would slow down another', async () => {
    await rig.write('a.csv', csv(rowsOf('a', 60)));
    await rig.write('b.csv', csv(rowsOf('b', 1)));
    const first = rig.start(['run', 'a.csv', '--yes', '--rpm', '9000', '--concurrency', '1']);
    await reached('a', 1);
    expect(JSON.parse(await ok(['limits', '--json']))).toMatchObject({
      configured: { rpm: null },
      ordered: { rpm: null },
      ofBatch: { batch: 'a', rpm: 9_000 },
      inForce: { rpm: 9_000 },
    });
    expect((await rig.run(['resume', 'a', '--rpm', '8000'])).code).toBe(0);
    expect(JSON.parse((await rig.run(['limits', '--json'])).stdout)).toMatchObject({
      ofBatch: { batch: 'a', rpm: 8_000 },
      inForce: { rpm: 8_000 },
    });
    const refused = await rig.run(['run', 'b.csv', '--yes', '--rpm', '5000']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("--rpm 5000 would hold for 'a' too")]);
    await ok(['pause', 'a']);
    await rig.write('c.csv', csv(rowsOf('c', 60)));
    const beside = rig.start(['run', 'c.csv', '--yes', '--concurrency', '1']);
    await reached('c', 1);
    const terms = join(
      rig.data,
      'home',
      JSON.parse(await ok(['list', '--json'])).account,
      'batches',
      'a',
      'terms.json',
    );
    const paused = readFileSync(terms, 'utf8');
    expect(JSON.parse(paused)).toMatchObject({ isPaused: true });
    const kept = await rig.run(['resume', 'a', '--rpm', '7000']);
    expect([kept.code, kept.stderr]).toEqual([2, expect.stringContaining("--rpm 7000 would hold for 'c' too")]);
    expect(readFileSync(terms, 'utf8')).toBe(paused);
    await ok(['cancel', 'c']);
    expect((await beside.ended).code).toBe(1);
    await ok(['resume', 'a']);
    await ok(['run', 'b.csv', '--yes']);
    await ok(['cancel', 'a']);
    expect((await first.ended).code).toBe(1);
    const { plan, ...after } = JSON.parse(await ok(['limits', '--json']));
    expect(after).toMatchObject({ ofBatch: null, inForce: { rpm: plan.rpm } });
  });

  it('a batch of higher priority goes before, and leaves a tenth', async () => {
    // Long beside what a slow machine needs from one job to the next: nine are under way at the same time.
    await rig.stop();
    rig = await begin(1_000, 1_050);
    // More than can end before the other batch has.
    await rig.write('a.csv', csv(rowsOf('a', 100)));
    await rig.write('b.csv', csv(rowsOf('b', 18)));
    const first = rig.start(['run', 'a.csv', '--yes']);
    await reached('a', 10);
    const second = rig.start(['run', 'b.csv', '--yes', '--priority', '5']);
    await reached('b', 9);
    expect(running('a')).toBeLessThanOrEqual(1);
    expect((await second.ended).code).toBe(0);
    expect(most('b')).toBe(9);
    await ok(['cancel', 'a']);
    expect((await first.ended).code).toBe(1);
  });

  it('what cannot be ordered is said', async () => {
    await rig.write('a.csv', csv(rowsOf('a', 1)));
    await ok(['run', 'a.csv', '--yes']);
    const refused = async (...args: string[]) => {
      const { code, stderr } = await rig.run(['limits', ...args]);
      return [code, stderr.trim()];
    };
    expect(await refused('--weight', '2')).toEqual([2, 'error: --weight and --priority belong to a batch: name it']);
    expect(await refused('a', '--rpm', '9')).toEqual([2, expect.stringContaining('give --rpm without a batch')]);
    expect(await refused('a', '--weight', '0')).toEqual([2, expect.stringContaining('from 1 to 100')]);
    expect(await refused('nobody', '--weight', '2')).toEqual([2, expect.stringContaining("no batch 'nobody'")]);
    expect(await refused('a', '--concurrency', '99')).toEqual([0, expect.stringContaining("exceeds the plan's 10")]);
  });
});
