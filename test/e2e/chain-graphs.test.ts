import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultRule } from '../../emulator/emulator.js';
import { batchProgress } from '../../src/contract/messages.js';
import { batchId } from '../../src/contract/names.js';
import { fedMedia, type Row } from '../../src/domain/row.js';
import { editRow, fed, filmOf } from '../support/chain-rows.js';
import { randomFrom } from '../support/random.js';
import { imageRow, startStack } from '../support/stack.js';
import { hasTemporal, startTemporal } from '../support/temporal.js';
import { until } from '../support/until.js';

/** Roots, chains to depth 8, fans and joins of up to 4, in an order that has nothing to do with who feeds whom. */
function randomGraph(rows: number, seed: number): Row[] {
  const random = randomFrom(seed);
  const order = Array.from({ length: rows }, (_, i) => i);
  for (let i = rows - 1; i > 0; i -= 1) {
    const other = random(i + 1);
    [order[i], order[other]] = [order[other] ?? 0, order[i] ?? 0];
  }
  const placed: Row[] = Array.from({ length: rows });
  const stills: { at: number; depth: number }[] = [];
  for (const [i, at] of order.entries()) {
    const feeders = stills.filter(({ depth }) => depth < 8);
    const pick = () =>
      feeders[random(random(3) === 0 ? Math.min(3, feeders.length) : feeders.length)] ?? { at: 0, depth: 0 };
    if (feeders.length === 0 || random(4) === 0) {
      const cells = { model: 'svc-alpha.2-klein-4b', prompt: `root ${i}`, width: 320, height: 320 };
      placed[at] = imageRow(`r${at}`, { cells });
      stills.push({ at, depth: 1 });
    } else if (random(3) === 0) {
      const joined = Array.from({ length: 1 + random(4) }, pick).map((one) => fed(`r${one.at}`, one.at));
      const cells = { prompt: `omni ${i}`, duration: 5 };
      placed[at] = imageRow(`r${at}`, { kind: 'vendor-a/omni-video', cells, media: { images: joined } });
    } else {
      const from = pick();
      placed[at] =
        random(3) === 0
          ? filmOf(`r${at}`, fed(`r${from.at}`, from.at))
          : editRow(`r${at}`, fed(`r${from.at}`, from.at));
      if (placed[at]?.kind === 'svc/edit') stills.push({ at, depth: from.depth + 1 });
    }
  }
  return placed;
}

const REPEATS = 15;
const isRepeat = (id: unknown) => String(id).startsWith('again');

/** Some rows of a graph once more, each with the request of another. */
function withRepeats(graph: Row[], seed: number): Row[] {
  const random = randomFrom(seed);
  const again = Array.from({ length: REPEATS }, (_, i): Row => {
    const shares = random(graph.length);
    return { ...(graph[shares] ?? imageRow('')), id: `again${i}`, stem: `again${i}`, shares };
  });
  return [...graph, ...again];
}

const answers400 = (route: string, nth: number[]): FaultRule => ({
  match: { route, nth },
  action: { do: 'answer', status: 400, body: '{"detail":"no"}', contentType: 'application/json' },
});

describe.skipIf(!hasTemporal())('random graphs of rows', () => {
  let temporal: TestWorkflowEnvironment;
  beforeAll(async () => {
    temporal = await startTemporal();
  });
  afterAll(() => temporal?.teardown());

  it('every row ends as the contract says, whatever fails, hands over or is started anew', async () => {
    const rows = withRepeats(randomGraph(150, 11), 12);
    const rendered = rows.length - REPEATS;
    const faults = [answers400('svc.image', [4, 9]), answers400('svc.edit', [3, 7, 20])];
    const stack = await startStack({ temporal, account: 'graphs', speed: 60, emulator: { faults } });
    try {
      const first = await stack.startWorker();
      await stack.supply('b', await stack.seed('b', rows), { eventsMax: 150 });
      const handle = temporal.client.workflow.getHandle(batchId(stack.settings.account, 'b'));
      await until(async () => ((await handle.query(batchProgress)).counts.done ?? 0) > 20);
      await first.shutdown();
      await stack.startWorker();
      const { counts } = await stack.result('b');
      const lines = new Map((await stack.resultLines('b')).map((line) => [line.id, line]));
      expect(lines.size).toBe(rows.length);
      const done = [...lines.values()].filter(({ status }) => status === 'done');
      const failed = [...lines.values()].filter(({ status }) => status === 'failed');
      expect(failed.filter(({ id }) => !isRepeat(id))).toHaveLength(5);
      const ended = { done: done.length, failed: failed.length };
      expect(counts).toMatchObject({ ...ended, not_started: rows.length - ended.done - ended.failed });
      for (const row of rows) {
        const line = lines.get(row.id);
        const feeders = fedMedia(row).map(({ id }) => lines.get(id));
        const isFed = feeders.every((feeder) => feeder?.status === 'done');
        expect([row.id, line?.status === 'done' || line?.status === 'failed']).toEqual([row.id, isFed]);
        if (!isFed) expect(line).toMatchObject({ status: 'not_started', reason_code: 'upstream_failed', attempts: 0 });
        for (const feeder of feeders) {
          if (isFed && row.shares === undefined)
            expect(Date.parse(String(line?.submitted_at))).toBeGreaterThanOrEqual(
              Date.parse(String(feeder?.finished_at)),
            );
        }
      }
      expect(stack.emulator.truth().jobs).toHaveLength(done.filter(({ id }) => !isRepeat(id)).length);
      const retry = { beforeMs: Date.now() + 1, classes: [] };
      expect((await stack.run('b', rows, { retry })).counts).toMatchObject({ done: rows.length });
      expect(stack.emulator.truth().jobs).toHaveLength(rendered);
    } finally {
      await stack.stop();
    }
  });
});
