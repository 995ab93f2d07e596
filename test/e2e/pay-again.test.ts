// Paying for a row again on purpose (design 3, Policy and people): within the waste limits, on record, and flagged.
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { overrideOf } from '../../src/domain/attempt.js';
import type { FaultRule } from '../../src/emulator/emulator.js';
import { runOneRow } from '../support/one-row.js';
import { filmRow, imageRow, startStack } from '../support/stack.js';
import { hasTemporal, startTemporal } from '../support/temporal.js';

const lostFilm: FaultRule = {
  match: { route: 'vendor-f.submit', nth: 1 },
  action: { do: 'reset-before-answer', created: true },
};
const lostImage: FaultRule = {
  match: { route: 'svc.image', nth: 1 },
  action: { do: 'reset-before-answer', created: true },
};
/** A film of 4 seconds at 0.1 credits. */
const FILM_NANO = 400_000_000;
const always = (wasteMaxNano: number) => ({ ambiguity: 'always' as const, wasteMaxNano });
const shared = { settings: { exclusive: false } };

describe.skipIf(!hasTemporal())('rows that are paid again by policy', { timeout: 120_000 }, () => {
  let temporal: TestWorkflowEnvironment;
  beforeAll(async () => {
    temporal = await startTemporal();
  }, 60_000);
  afterAll(() => temporal?.teardown());

  it.concurrent('`always` pays a lost row again within alwaysMaxWaste, and says so', async () => {
    const ending = await runOneRow({
      temporal,
      row: filmRow('again'),
      faults: [lostFilm],
      policy: always(FILM_NANO),
      options: shared,
      async after({ ledger }) {
        const [first] = await ledger.read('one', 'again');
        expect(first && overrideOf(first)).toMatchObject({ cause: 'always', by: { who: 'policy' } });
      },
    });
    expect(ending).toMatchObject({ status: 'done', attempts: 2 });
    expect(ending.jobs).toHaveLength(2);
    expect(ending.record?.flags).toEqual(['possibly_paid_twice']);
    expect(ending.record?.creditsNano).toBeUndefined();
  });

  it.concurrent('`always` also pays again what the balance shows as billed', async () => {
    const ending = await runOneRow({
      temporal,
      row: filmRow('billed'),
      faults: [lostFilm],
      policy: always(FILM_NANO),
    });
    expect(ending).toMatchObject({ status: 'done', attempts: 2 });
    expect(ending.record).toMatchObject({ flags: ['possibly_paid_twice'], creditsNano: 2 * FILM_NANO });
  });

  it.concurrent('a row whose price is above the limit, or unknown, is held', async () => {
    const above = await runOneRow({
      temporal,
      row: filmRow('above'),
      faults: [lostFilm],
      policy: always(FILM_NANO - 1),
      options: shared,
    });
    expect(above).toMatchObject({ status: 'review', attempts: 1 });
    const unknown = await runOneRow({
      temporal,
      row: filmRow('priceless'),
      faults: [lostFilm],
      policy: always(1e12),
      options: { settings: { exclusive: false, prices: [] } },
    });
    expect(unknown).toMatchObject({ status: 'review', attempts: 1, reasonCode: 'answer_lost_undecided' });
  });

  it.concurrent('the limit holds for all rows of a batch together', async () => {
    const lost: FaultRule = { ...lostFilm, match: { route: 'vendor-f.submit' }, times: 4 };
    const stack = await startStack({
      temporal,
      account: 'together',
      speed: 200,
      ...shared,
      emulator: { faults: [lost] },
    });
    try {
      await stack.startWorker();
      const rows = ['a', 'b', 'c', 'd'].map((id) => filmRow(id));
      const { counts } = await stack.run('four', rows, { policy: always(2 * FILM_NANO + 1) });
      expect(counts).toMatchObject({ done: 2, review: 2 });
      expect(stack.emulator.truth().jobs).toHaveLength(6);
    } finally {
      await stack.stop();
    }
  });

  it.concurrent('S2: a cheap synchronous call is sent again 120 s after the first one, never before', async () => {
    const ending = await runOneRow({
      temporal,
      row: imageRow('cheap'),
      faults: [lostImage],
      policy: { ambiguity: 'hold' },
      options: { settings: { syncMaxWasteNano: 1_000_001 } },
    });
    expect(ending).toMatchObject({ status: 'done', attempts: 2 });
    expect(ending.record?.flags).toEqual(['possibly_paid_twice']);
    const [first, second] = ending.truth.requests.filter(({ route }) => route === 'svc.image');
    expect((second?.arrivedMs ?? 0) - (first?.arrivedMs ?? 0)).toBeGreaterThanOrEqual(120_000 / 200);
  });

  it.concurrent('S2: one that is not below sync.maxWaste is not', async () => {
    const ending = await runOneRow({
      temporal,
      row: imageRow('dear', { cells: { model: 'svc-alpha.2-klein-4b', prompt: 'large', width: 1000, height: 1000 } }),
      faults: [lostImage],
      policy: { ambiguity: 'hold' },
      options: { settings: { syncMaxWasteNano: 1_000_000 } },
    });
    expect(ending).toMatchObject({ status: 'lost_paid', attempts: 1 });
  });
});
