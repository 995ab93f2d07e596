// Which rows stand for a manifest, and what `approve` says where there is nothing to approve.
import { describe, expect, test } from 'vitest';
import { type Candidate, chooseSample } from '../../src/cli/batch/sample-run.js';
import { writeSampleGate } from '../../src/home/batch-marks.js';
import { seededHome } from './seeded-home.js';

const rows = (...traits: string[][]): Map<number, Candidate> =>
  new Map(traits.map((one, i) => [i, { id: `r${i}`, traits: one, feeders: [] }]));

describe('the rows of a sample', () => {
  const many = rows(...Array.from({ length: 100 }, (_, i) => ['k1', 'm1', 'p1', `g${i < 50 ? 1 : 2}`]));

  test('every kind comes before every model, and those before prices and groups', () => {
    const mixed = rows(
      ['k1', 'm1', 'p1', 'g1'],
      ['k1', 'm2', 'p2', 'g1'],
      ['k1', 'm1', 'p3', 'g2'],
      ['k2', 'm3', 'p4', 'g3'],
      ['k1', 'm1', 'p1', 'g4'],
    );
    expect(chooseSample(mixed, 2)).toEqual(['r0', 'r3']);
    expect(chooseSample(mixed, 3)).toEqual(['r0', 'r1', 'r3']);
    expect(chooseSample(mixed, 4)).toEqual(['r0', 'r1', 'r2', 'r3']);
    expect(chooseSample(mixed, 9)).toEqual(['r0', 'r1', 'r2', 'r3', 'r4']);
  });

  test('the others are spread over the manifest, each once', () => {
    const chosen = chooseSample(many, 10).map((id) => Number(id.slice(1)));
    expect(new Set(chosen).size).toBe(10);
    expect(chosen).toEqual([...chosen].sort((a, b) => a - b));
    expect(Math.max(...chosen.map((at, i) => at - (chosen[i - 1] ?? 0)))).toBeLessThan(35);
  });

  test('a row comes with what feeds it, and what feeds others with a whole chain', () => {
    // 0 feeds 1, 1 feeds 2; 3 stands alone; 4 is fed by a row that is done already.
    const chained = rows(...Array.from({ length: 5 }, () => ['k1', 'm1', 'p1', 'g1']));
    for (const [at, feeders] of [
      [1, [0]],
      [2, [1]],
      [4, [77]],
    ] as const) {
      const candidate = chained.get(at);
      if (candidate) candidate.feeders = [...feeders];
    }
    expect(chooseSample(chained, 1)).toEqual(['r0', 'r1', 'r2']);
    expect(chooseSample(chained, 4)).toEqual(['r0', 'r1', 'r2', 'r4']);
    expect(chooseSample(chained, 9)).toEqual(['r0', 'r1', 'r2', 'r3', 'r4']);
  });
});

test('status says that the rest waits, what was never tried is not started, and approve says what it needs', async () => {
  const home = await seededHome('shots', [{ id: 'one', record: {} }, { id: 'two' }]);
  expect((await home.run('approve', 'shots')).stderr).toContain("nothing of batch 'shots' waits for approval");
  await writeSampleGate(home.home, 'shots', { ids: ['one'], atMs: 1 });
  const { stdout } = await home.run('status', 'shots');
  expect(stdout).toMatch(/^shots: sampled$/m);
  expect(stdout).toMatch(/^rows {6}2: done 1, not_started 1$/m);
  expect(stdout).toMatch(/^next {6}callsheet approve shots/m);
  const report = await home.run('report', 'shots');
  expect(report.exitCode).toBe(0);
});

test('--another without --sample, and sizes that are none, are refused', async () => {
  const home = await seededHome('shots', [{ id: 'one' }]);
  const another = await home.run('run', 'shots.csv', '--another');
  expect([another.exitCode, another.stderr]).toEqual([2, expect.stringContaining('--another goes with --sample')]);
  for (const size of ['0', '-1', 'x', '1.5']) {
    expect((await home.run('run', 'shots.csv', '--sample', size)).exitCode).toBe(2);
  }
});
