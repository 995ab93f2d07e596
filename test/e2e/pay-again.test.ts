// Paying for a row again on purpose (design 3, Policy and people): within the waste limits, on record, and flagged.
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultRule } from '../../emulator/emulator.js';
import { jobId } from '../../src/contract/names.js';
import { overrideOf } from '../../src/domain/standing.js';

import { openAccountRecords } from '../../src/home/account-records.js';
import { reserveWaste } from '../../src/home/waste-book.js';
import { createFolderStore } from '../../src/store/folder.js';
import { storedHistories } from '../support/histories.js';
import { runOneRow } from '../support/one-row.js';
import { recordHistories } from '../support/record-histories.js';
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

describe.skipIf(!hasTemporal())('rows that are paid again by policy', () => {
  let temporal: TestWorkflowEnvironment;
  beforeAll(async () => {
    temporal = await startTemporal();
  });
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

  it.concurrent('`always` never pays again what the balance shows as billed', async () => {
    const ending = await runOneRow({
      temporal,
      row: filmRow('billed'),
      faults: [lostFilm],
      policy: always(FILM_NANO),
    });
    expect(ending).toMatchObject({ status: 'lost_paid', attempts: 1 });
    expect(ending.record).toMatchObject({ flags: [], creditsNano: FILM_NANO });
  });

  it.concurrent('3-R2: a row whose answers are always lost is paid again once, and then held', async () => {
    const ending = await runOneRow({
      temporal,
      row: filmRow('ever'),
      faults: [{ ...lostFilm, match: { route: 'vendor-f.submit' }, times: 20 }],
      policy: always(100 * FILM_NANO),
      options: shared,
    });
    expect(ending).toMatchObject({ status: 'review', attempts: 2 });
    expect(ending.jobs).toHaveLength(2);
  });

  it.concurrent('3-R2: what the budget has no room for is not paid again, however much may be wasted', async () => {
    const lost: FaultRule = { ...lostFilm, match: { route: 'vendor-f.submit' }, times: 3 };
    const stack = await startStack({
      temporal,
      account: 'budget',
      speed: 200,
      ...shared,
      emulator: { faults: [lost] },
    });
    try {
      await stack.startWorker();
      const rows = ['a', 'b', 'c'].map((id) => filmRow(id));
      const options = { policy: always(100 * FILM_NANO), limits: { maxCreditsNano: 4 * FILM_NANO } };
      const { counts } = await stack.run('three', rows, options);
      expect(counts).toMatchObject({ done: 1, review: 2 });
      expect(stack.emulator.truth().jobs).toHaveLength(4);
      // What the budget refused is not kept from the batch's waste limit.
      const { home } = openAccountRecords(createFolderStore(stack.settings.home), stack.settings.account);
      const limit = { maxNano: 2 * FILM_NANO, atMs: 1 };
      expect(await reserveWaste(home, { batch: 'three', id: 'd', n: 1 }, FILM_NANO, limit)).toBe(true);
      const refused = (await stack.resultLines('three')).find(({ status }) => status === 'review');
      const named = `WorkflowId = '${jobId(stack.settings.account, 'three', String(refused?.id))}'`;
      recordHistories('job-budget-refused', await storedHistories(temporal.client, named));
    } finally {
      await stack.stop();
    }
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

  it.concurrent('S2: a cheap synchronous call whose case ended undecided is sent again, once', async () => {
    const ending = await runOneRow({
      temporal,
      row: imageRow('cheap'),
      faults: [{ ...lostImage, match: { route: 'svc.image' }, times: 20 }],
      policy: { ambiguity: 'hold', wasteMaxNano: 1_000_000 },
      options: { settings: { exclusive: false, syncMaxWasteNano: 1_000_001 } },
    });
    expect(ending).toMatchObject({ status: 'review', attempts: 2 });
    expect(ending.record?.flags).toEqual(['possibly_paid_twice']);
  });

  it.concurrent.each([
    ['whose bill the balance shows', { exclusive: true, syncMaxWasteNano: 1_000_000_000 }, 1e9, 'lost_paid'],
    ['that is not below sync.maxWaste', { exclusive: false, syncMaxWasteNano: 1_000_000 }, 1e9, 'review'],
    ['beyond the waste of the batch', { exclusive: false, syncMaxWasteNano: 1_000_000_000 }, 999_999, 'review'],
  ] as const)('S2: one %s is not', async (why, settings, wasteMaxNano, status) => {
    const cells = { model: 'svc-alpha.2-klein-4b', prompt: 'large', width: 5000, height: 5000 };
    const ending = await runOneRow({
      temporal,
      row: imageRow(`dear-${why.length}`, { cells }),
      faults: [lostImage],
      policy: { ambiguity: 'hold', wasteMaxNano },
      options: { settings },
    });
    expect(ending).toMatchObject({ status, attempts: 1 });
  });
});
