import type { AccountSettings } from '../../src/contract/account.js';
import { batchId } from '../../src/contract/names.js';
import type { BatchInput, RetryOrder } from '../../src/contract/workflows.js';
import type { BatchOptions } from '../../src/domain/batch.js';
import { markCancelled } from '../../src/home/batch-marks.js';
import { writeBatchOptions, writeBatchOrder } from '../../src/home/batch-order.js';
import { openHome } from '../../src/home/home.js';
import { clearFollowers } from '../../src/home/row-orders.js';
import { createRows } from '../../src/home/rows.js';
import { createRowsWriter } from '../../src/home/rows-writer.js';
import { EPOCH_MS, type Sim } from '../engine/current.js';
import { markerOf, rowKindOf } from '../rows.js';
import type { Scenario } from '../scenario.js';
import type { Server } from '../temporal/server.js';
import type { Disk } from './disk.js';
import { createMemoryStore } from './memory-store.js';

/** The command line of a seed: writes the rows, starts the batches, cancels one, runs them again. */
export interface Client {
  prepare(): Promise<void>;
  /** Hands a batch its rows; it is started when it does not run. */
  run(batch: string): void;
  cancel(batch: string): Promise<void>;
  /** Failed rows, and those that waited for them in vain, go on. */
  /** A finished batch once more. */
  runAgain(batch: string): Promise<void>;
  retry(batch: string): Promise<void>;
  batches: string[];
}

const OPTIONS: BatchOptions = {
  schema: 1,
  out: '/out',
  onExists: 'fail',
  responseFormat: 'url',
  manifestFolder: '/in',
  maxOutputBytes: 1_000_000,
};

export function createClient(
  sim: Sim,
  scenario: Scenario,
  settings: AccountSettings,
  disk: Disk,
  server: Server,
): Client {
  const { account, timeScale } = settings;
  const store = createMemoryStore('memory', disk, {
    nextWrite: () => ({ delayMs: 0.1, failure: 'none' }),
    readDelayMs: () => 0,
  });
  const home = openHome(store, account);
  const batches = [...new Set(scenario.rows.map((row) => row.batch))];
  const generations = new Map<string, { generation: string; rows: number }>();

  return {
    batches,
    async prepare() {
      for (const batch of batches) {
        const rows = scenario.rows.filter((row) => row.batch === batch);
        const writer = createRowsWriter(store, account, batch);
        for (const [index, { id, kind, scriptLength, fedBy, shares }] of rows.entries()) {
          const fed = fedBy.map((at) => ({ source: 'row', id: rows[at]?.id ?? '', at }) as const);
          const row = rowKindOf(kind).row({ marker: markerOf(batch, id), scriptLength, fed });
          // What a copy says of itself stays its own: were it sent, the service's truth would tell it from its original.
          const hash = `hash-${batch}-${shares === undefined ? id : rows[shares]?.id}`;
          const copied = shares === undefined ? {} : { shares };
          const planned = { index, line: index + 2, id, kind, stem: id, hash, ...copied, ...row };
          await writer.add({ row: planned, raw: { id, kind } });
        }
        const createdAtMs = EPOCH_MS;
        const facts = await writer.finish({ columns: ['id', 'kind'], passthroughColumns: [], createdAtMs });
        await home.bindOut(batch, OPTIONS.out, createdAtMs);
        await writeBatchOptions(home, batch, OPTIONS);
        await writeOrder(batch, null);
        await createRows(store, account).setCurrentGeneration(batch, facts.generation);
        generations.set(batch, { generation: facts.generation, rows: rows.length });
      }
    },
    run: (batch) => supply(batch, null),
    async runAgain(batch) {
      // What was to be tried again before is not from now on.
      await writeOrder(batch, null);
      supply(batch, null);
    },
    async cancel(batch) {
      await markCancelled(home, batch, EPOCH_MS + sim.scheduler.now());
      server.signal(batchId(account, batch), 'cancelBatch', []);
    },
    async retry(batch) {
      const retry = { beforeMs: EPOCH_MS + sim.scheduler.now(), classes: [] };
      await writeOrder(batch, retry);
      await clearFollowers(home, batch);
      supply(batch, retry);
    },
  };

  function supply(batch: string, retry: RetryOrder | null): void {
    const policy = { ambiguity: scenario.policy, retries: scenario.retries };
    const input: BatchInput = { account, batch, policy, timeScale, eventsMax: scenario.eventsMax };
    const id = batchId(account, batch);
    server.start('batch', id, input);
    server.signal(id, 'supply', [{ ...generations.get(batch), retry }]);
  }

  function writeOrder(batch: string, retry: RetryOrder | null): Promise<void> {
    const { policy: ambiguity, retries } = scenario;
    const limits = { maxCreditsNano: null, maxFailures: null };
    return writeBatchOrder(home, batch, { limits, policy: { ambiguity, retries, wasteMaxNano: 0 }, retry });
  }
}
