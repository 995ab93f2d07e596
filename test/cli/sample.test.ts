// Which rows stand for a manifest, and what `approve` says where there is nothing to approve.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startEmulator } from '../../emulator/emulator.js';
import type { HomeAccess } from '../../src/cli/access/home-access.js';
import { type Candidate, chooseSample } from '../../src/cli/batch/choose-sample.js';
import { holdsBack } from '../../src/cli/batch/sample-run.js';
import type { PreparedBatch } from '../../src/cli/plan/prepare-batch.js';
import type { AttemptState } from '../../src/domain/attempt.js';
import type { MeasuredPrice } from '../../src/domain/price.js';
import { markStopped, writeSampleGate } from '../../src/home/batch-marks.js';
import { readBatchOptions, writeBatchOptions } from '../../src/home/batch-order.js';
import { rerunOrder } from '../../src/home/row-orders.js';
import type { SampleQuote } from '../../src/home/sample-quote.js';
import { quoteLines } from '../../src/report/quote-lines.js';
import { CREDIT, seededHome, T0 } from './seeded-home.js';

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

test('what would share the render of a row that is left alone for a file is paid by itself, and waits for the approval', async () => {
  const { rows: kept, ...home } = await seededHome('shots', [
    { id: 'one' },
    { id: 'two', row: { shares: 0 } },
    { id: 'new' },
  ]);
  const name = (await kept.currentGeneration('shots')) ?? '';
  const generation = await kept.generation('shots', name);
  if (generation === undefined) throw new Error('the batch has no rows');
  const access = { ...home, rows: kept } as unknown as HomeAccess;
  const held = (...skipped: object[]) => {
    const prepared = { skipped, finishedBefore: [skipped.length > 0, false, false] } as unknown as PreparedBatch;
    return holdsBack({ access, batch: 'shots', generation, prepared }, new Set(['one', 'new']));
  };
  expect(await held()).toBe(false);
  expect(await held({ row: { index: 0 } })).toBe(true);
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
  const page = await readFile(join(home.folder, 'out/shots/report.html'), 'utf8');
  expect(page).toContain('<code>callsheet approve shots</code>');
  expect(page).not.toContain('callsheet resume');
});

test('an approved rest whose budget is used up is approved again, as every view says', async () => {
  const home = await seededHome('shots', [{ id: 'one', record: {} }, { id: 'two' }]);
  const generation = (await home.rows.currentGeneration('shots')) ?? '';
  await writeSampleGate(home.home, 'shots', {
    ids: ['one'],
    atMs: 1,
    approved: { generation, maxCreditsNano: 1, atMs: 2 },
  });
  await markStopped(home.home, 'shots', 'budget_reached', { atMs: 3 });
  expect((await home.run('status', 'shots')).stdout).toMatch(/^next {6}callsheet approve shots/m);
  await home.run('report', 'shots');
  const page = await readFile(join(home.folder, 'out/shots/report.html'), 'utf8');
  expect(page).toContain('<code>callsheet approve shots</code>');
});

test('report.html says of a rest that it is approved only where its own manifest was', async () => {
  const home = await seededHome('shots', [{ id: 'one', record: {} }, { id: 'two' }]);
  const current = (await home.rows.currentGeneration('shots')) ?? '';
  const shown = async (generation: string) => {
    const approved = { generation, maxCreditsNano: null, atMs: T0 };
    await writeSampleGate(home.home, 'shots', { ids: ['one'], atMs: 1, approved });
    await home.run('report', 'shots');
    const page = await readFile(join(home.folder, 'out/shots/report.html'), 'utf8');
    return /1 row; (approved|the rest waits for callsheet approve shots)/.exec(page)?.[1];
  };
  expect(await shown(current)).toBe('approved');
  expect(await shown('of-the-manifest-before')).toBe('the rest waits for callsheet approve shots');
});

describe('the quote', () => {
  const CREATED: AttemptState = { state: 'created', atMs: T0 + 5_000, handle: 'h' };
  const price: MeasuredPrice = {
    ...{ kind: 'vendor-f/video', cells: { model: 'vendor-f-1', seconds: 8 }, paidNano: 0.4 * CREDIT, times: 2 },
    ...{ multiplierPpb: 1_000_000_000, firstAtMs: 1, lastAtMs: 2, exclusive: true },
  };
  const quote: SampleQuote = {
    ...{ generation: 'g', atMs: 0, sample: { ended: 8, failed: 1 }, measured: [price], rows: 5 },
    ...{ lowNano: 2 * CREDIT, highNano: 2.5 * CREDIT, lowMs: 60_000, highMs: 150_000 },
  };

  test('the share of failures, measured prices, and a range of credits and time', () => {
    expect(quoteLines(quote)).toEqual([
      ['sample', '1 of 8 rows brought no output'],
      ['measured', 'vendor-f/video model=vendor-f-1 seconds=8: 0.4 credits, seen 2×'],
      ['quote', '5 rows: 2 to 2.5 credits, 1 min to 2 min 30 s'],
    ]);
    const unknown = { ...quote, measured: [], lowNano: null, highNano: null, lowMs: null, highMs: null };
    expect(quoteLines(unknown).slice(1)).toEqual([
      ['measured', 'no price of these kinds yet'],
      ['quote', '5 rows: credits not known, time not known'],
    ]);
  });

  test('it stands in the report and its JSON until the rest is approved', async () => {
    const home = await seededHome('shots', [{ id: 'one', record: {} }, { id: 'two' }]);
    const generation = (await home.rows.currentGeneration('shots')) ?? '';
    const gate = { ids: ['one'], atMs: 1, quote: { ...quote, generation } };
    await writeSampleGate(home.home, 'shots', gate);
    const told = async () => JSON.parse((await home.run('report', 'shots', '--json')).stdout).quote;
    expect(await told()).toMatchObject({
      sample: { ended: 8, failed: 1 },
      measured: [{ kind: 'vendor-f/video', credits: '0.4' }],
      rest: { rows: 5, credits: { low: '2', high: '2.5' }, seconds: { low: 60, high: 150 } },
    });
    const page = await readFile(join(home.folder, 'out/shots/report.html'), 'utf8');
    expect(page).toContain('5 rows: 2 to 2.5 credits, 1 min to 2 min 30 s');
    await writeSampleGate(home.home, 'shots', { ...gate, approved: { generation, maxCreditsNano: null, atMs: 2 } });
    expect(await told()).toBeNull();
  });

  test('approve says it again, and which rows of the sample the manifest has changed since', async () => {
    const emulator = await startEmulator({ keys: [{ key: 'sk-svc-test', state: 'active' }] });
    const rows = [{ id: 'one', states: [CREATED], record: { rowHash: 'another' } }, { id: 'two' }];
    const home = await seededHome('shots', rows, emulator.url);
    await writeSampleGate(home.home, 'shots', { ids: ['one'], atMs: 1 });
    const { stderr } = await home.run('approve', 'shots').finally(() => emulator.close());
    expect(stderr).toMatch(/^sample {4}1 row, each with its output$/m);
    expect(stderr).toMatch(/^measured {2}no price of these kinds yet$/m);
    expect(stderr).toMatch(/^quote {5}\d rows?: credits not known, time not known$/m);
    expect(stderr).toMatch(/^changed {3}1 row of the sample is another now than what was rendered: one$/m);
  });

  test('approve is for the manifest that was looked at alone', async () => {
    const home = await seededHome('shots', [{ id: 'one', states: [CREATED] }, { id: 'two' }]);
    await writeSampleGate(home.home, 'shots', { ids: ['one'], atMs: 1 });
    const { exitCode, stderr } = await home.run('approve', 'shots', '--yes', '--unpriced', '--generation=another');
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining("the manifest of batch 'shots' is another one now"),
    ]);
  });
});

describe('approve of a manifest that was edited after its sample', () => {
  const FILE = 'id\none\ntwo\nthree\n';

  async function sampledFrom(text: string | undefined) {
    const home = await seededHome('shots', [{ id: 'one', record: {} }, { id: 'two' }, { id: 'three' }]);
    const manifest = join(home.folder, 'shots.csv');
    await writeBatchOptions(home.home, 'shots', { ...(await readBatchOptions(home.home, 'shots')), manifest });
    if (text !== undefined) await writeFile(manifest, text);
    await writeSampleGate(home.home, 'shots', { ids: ['one'], atMs: 1 });
    return home;
  }
  const approve = ['approve', 'shots', '--yes', '--unpriced'] as const;

  test('is refused with the rows of the sample that the edit changed, and the command that takes it over', async () => {
    const home = await sampledFrom('id,x-note\none,new\ntwo,\nthree,new\nfour,\n');
    const sentence =
      "shots.csv was edited after 'shots' was run from it (1 row of the sample: one; and 2 other rows): " +
      '`callsheet run shots.csv --base-url';
    const { exitCode, stderr } = await home.run(...approve);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(sentence)]);
  });

  test('the command reads it as it was read', async () => {
    const home = await sampledFrom('id;x-note\none;new\ntwo;\nthree;\n');
    const read = { kind: 'vendor-f/video', format: 'csv', delimiter: ';' } as const;
    await writeBatchOptions(home.home, 'shots', { ...(await readBatchOptions(home.home, 'shots')), ...read });
    const { exitCode, stderr } = await home.run(...approve);
    const command = "`callsheet run shots.csv --kind vendor-f/video --format csv --delimiter ';' --base-url";
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(command)]);
  });

  test('the same as JSON is one document', async () => {
    const home = await sampledFrom(FILE.replace('two', 'new'));
    const { exitCode, stdout } = await home.run(...approve, '--json');
    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      type: 'error',
      message: expect.stringContaining('(2 rows, none of the sample)'),
    });
  });

  test.each([
    ['unchanged', FILE, ''],
    ['gone', undefined, ''],
    ['unreadable', 'id\n"one', 'manifest  shots.csv cannot be read now: the rest runs as it was read before\n'],
  ])('%s, it keeps nothing from being approved', async (_how, text, note) => {
    const { stderr } = await (await sampledFrom(text)).run(...approve);
    expect(stderr).not.toContain('was edited');
    expect(stderr.startsWith(note)).toBe(true);
  });
});

test('changed rows that are ordered again stay ordered while the rest waits for its approval', async () => {
  const paid = { states: [], record: { rowHash: 'another', attempts: 1 } };
  const emulator = await startEmulator({ keys: [{ key: 'sk-svc-test', state: 'active' }] });
  const home = await seededHome(
    'story',
    [
      { id: 'gone', record: {} },
      { id: 'two', ...paid },
    ],
    emulator.url,
  );
  const row = 'two,svc/image,svc-alpha.2-klein-4b,b,512,512';
  await writeFile(join(home.folder, 'story.csv'), `id,kind,model,prompt,width,height\n${row}\n`);
  const earlier = (await home.rows.currentGeneration('story')) ?? '';
  await writeSampleGate(home.home, 'story', {
    ...{ ids: ['gone'], atMs: 1 },
    approved: { generation: earlier, maxCreditsNano: 5 * CREDIT, atMs: 2 },
  });
  const order = ['run', 'story.csv', '--changed', 'rerun=two', '--yes'];
  const { exitCode, stderr } = await home.run(...order).finally(() => emulator.close());
  expect([exitCode, stderr]).toEqual([3, expect.stringContaining('`callsheet approve story')]);
  const edited = (await home.rows.currentGeneration('story')) ?? '';
  expect(edited).not.toBe(earlier);
  expect(await rerunOrder(home.home, 'story', edited)).toEqual(new Set(['two']));
});

test("a sample's plan tells the chains of its own rows, not those of the manifest", async () => {
  const emulator = await startEmulator({ keys: [{ key: 'sk-svc-test', state: 'active' }] });
  const home = await seededHome('other', [{ id: 'one', record: {} }], emulator.url);
  const model = 'svc-beta-image-edit-2511';
  const chain = (n: number) => [
    `hero${n},svc/image,svc-alpha.2-klein-4b,a hero ${n},,512,512`,
    `edit${n},svc/edit,${model},at night,@hero${n},512,512`,
  ];
  const rows = ['id,kind,model,prompt,image,width,height', ...[1, 2, 3].flatMap(chain)];
  await writeFile(join(home.folder, 'story.csv'), `${rows.join('\n')}\n`);
  const { exitCode, stderr } = await home.run('run', 'story.csv', '--sample', '2').finally(() => emulator.close());
  expect(exitCode, stderr).toBe(2);
  expect(stderr).toMatch(/^rows {6}2: 2 to run$/m);
  expect(stderr).toMatch(/^chains {4}1 chain of 2 rows; 1 waits for others, at most 2 run one after the other;/m);
});

test('--another without --sample, and sizes that are none, are refused', async () => {
  const home = await seededHome('shots', [{ id: 'one' }]);
  const another = await home.run('run', 'shots.csv', '--another');
  expect([another.exitCode, another.stderr]).toEqual([2, expect.stringContaining('--another goes with --sample')]);
  for (const size of ['0', '-1', 'x', '1.5']) {
    expect((await home.run('run', 'shots.csv', '--sample', size)).exitCode).toBe(2);
  }
});
