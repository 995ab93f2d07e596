// A whole callsheet without its command line: emulator, Temporal server, one account's worker, a home and an out folder.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import type { Handed } from '../../activities/dependencies.js';
import { type Emulator, type EmulatorOptions, startEmulator } from '../../emulator/emulator.js';
import type { AccountSettings } from '../../src/contract/account.js';
import * as messages from '../../src/contract/messages.js';
import { batchId, taskQueues, WORKFLOW_MEMO } from '../../src/contract/names.js';
import type { BatchInput, BatchResult, JobPolicy, RetryOrder } from '../../src/contract/workflows.js';
import type { BatchLimits, BatchOptions } from '../../src/domain/batch.js';

import type { Log } from '../../src/domain/log.js';
import type { RowRecord } from '../../src/domain/outcome.js';
import type { Row } from '../../src/domain/row.js';
import { DEFAULT_S3 } from '../../src/domain/s3.js';
import { clearCancelled, clearStopped, liftedStops } from '../../src/home/batch-marks.js';
import { writeBatchOptions } from '../../src/home/batch-order.js';
import { openHome } from '../../src/home/home.js';
import { createLedger, type Ledger } from '../../src/home/ledger.js';
import { createRecords } from '../../src/home/row-records.js';
import { createRows } from '../../src/home/rows.js';
import { createRowsWriter } from '../../src/home/rows-writer.js';
import { createFolderStore } from '../../src/store/folder.js';
import { connectTemporal } from '../../src/temporal.js';
import { createKeySource } from '../../src/worker/key-source.js';
import { createStandby } from '../../src/worker/standby.js';
import { type AccountWorker, startAccountWorker } from '../../src/worker.js';
import { silent } from './silent-log.js';
import { startTemporal } from './temporal.js';

export interface StackOptions {
  /** Shares a server; its owner tears it down. */
  temporal?: TestWorkflowEnvironment;
  /** On a shared server, one that this process used before gets a number, unless the stack goes on or shares an emulator. */
  account?: string;
  /** Goes on in the folder of an earlier stack. */
  folder?: string;
  /** Shares an emulator; its owner closes it. */
  shared?: Emulator;
  emulator?: EmulatorOptions;
  settings?: Partial<AccountSettings>;
  batch?: Partial<BatchOptions>;
  speed?: number;
  wrap?: (handed: Handed) => Handed;
  log?: Log;
}

export interface Stack {
  emulator: Emulator;
  temporal: TestWorkflowEnvironment;
  settings: AccountSettings;
  folder: string;
  out: string;
  ledger: Ledger;
  /** Writes rows as a generation of a batch. */
  seed(batch: string, rows: Row[]): Promise<{ generation: string; rows: number }>;
  /** Starts the batch, or gives a running one its order. */
  supply(batch: string, order: { generation: string; rows: number }, options?: RunOptions): Promise<void>;
  result(batch: string): Promise<BatchResult>;
  run(batch: string, rows: Row[], options?: RunOptions): Promise<BatchResult>;
  record(batch: string, id: string): Promise<RowRecord | undefined>;
  /** results.jsonl as it stands; empty while there is none. */
  resultLines(batch: string): Promise<Record<string, unknown>[]>;
  startWorker(): Promise<AccountWorker>;
  stop(): Promise<void>;
}

export interface RunOptions {
  policy?: Partial<JobPolicy>;
  retry?: RetryOrder | null;
  eventsMax?: number;
  limits?: Partial<BatchLimits>;
}

Runtime.install({ logger: new DefaultLogger('ERROR') });

const started = new Map<string, number>();

/** A test that is tried again gets an account that nobody used: the first try's semaphore is still open and holds its slots. */
function unusedAccount(name: string): string {
  const times = started.get(name) ?? 0;
  started.set(name, times + 1);
  return times === 0 ? name : `${name}-${times}`;
}

export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const speed = options.speed ?? 60;
  const name = options.account ?? 'test';
  const isFirst = options.temporal !== undefined && options.folder === undefined && options.shared === undefined;
  const account = isFirst ? unusedAccount(name) : name;
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'callsheet stack ')));
  const out = join(folder, 'out');
  const [temporal, emulator] = await Promise.all([
    options.temporal ?? startTemporal(),
    options.shared ?? startEmulator({ speed, control: true, ...options.emulator }),
  ]);
  const settings = accountSettings(account, emulator.url, folder, speed, options.settings);
  const store = createFolderStore(settings.home);
  const home = openHome(store, account);
  const connected = await connectTemporal({ address: temporal.address, embedded: true });
  const place = {
    namespace: 'default',
    client: connected.client,
    connect: () => NativeConnection.connect({ address: temporal.address }),
  };
  const workers: AccountWorker[] = [];
  // As of one engine, whose workers are one process.
  const standby = createStandby(() => performance.now());
  const stack: Stack = {
    emulator,
    temporal,
    settings,
    folder,
    out,
    ledger: createLedger(store, account),
    async seed(batch, rows) {
      await home.bindOut(batch, out, Date.now());
      await writeBatchOptions(home, batch, {
        schema: 1,
        out,
        onExists: 'fail',
        responseFormat: 'url',
        manifestFolder: folder,
        maxOutputBytes: 1e9,
        ...options.batch,
      });
      const writer = createRowsWriter(store, account, batch);
      for (const [index, row] of rows.entries()) await writer.add({ row: { ...row, index }, raw: { id: row.id } });
      const facts = await writer.finish({ columns: ['id'], passthroughColumns: [], createdAtMs: Date.now() });
      await createRows(store, account).setCurrentGeneration(batch, facts.generation);
      return facts;
    },
    async supply(batch, order, { policy, retry, eventsMax, limits } = {}) {
      // As every command that has a batch go on does.
      await clearStopped(home, batch);
      if (retry) await clearCancelled(home, batch);
      const input: BatchInput = {
        account: account,
        batch,
        policy: { ambiguity: 'hold', retries: 0, ...policy },
        timeScale: settings.timeScale,
        ...(eventsMax === undefined ? {} : { eventsMax }),
      };
      await temporal.client.workflow.signalWithStart('batch', {
        workflowId: batchId(account, batch),
        taskQueue: taskQueues(account).home,
        memo: WORKFLOW_MEMO,
        args: [input],
        signal: messages.supply,
        signalArgs: [
          {
            generation: order.generation,
            rows: order.rows,
            retry: retry ?? null,
            limits: { maxCreditsNano: null, maxFailures: null, ...limits },
            lifted: await liftedStops(home, batch),
          },
        ],
      });
    },
    result: (batch) => temporal.client.workflow.getHandle(batchId(account, batch)).result() as Promise<BatchResult>,
    async run(batch, rows, runOptions) {
      await stack.supply(batch, await stack.seed(batch, rows), runOptions);
      return stack.result(batch);
    },
    record: (batch, id) => createRecords(store, account).readRecord(batch, id),
    async resultLines(batch) {
      const text = await readFile(join(out, batch, 'results.jsonl'), 'utf8').catch(() => '');
      const lines = text.split('\n').filter((line) => line !== '');
      return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    },
    async startWorker() {
      const worker = await startAccountWorker({
        place,
        settings,
        key: createKeySource({ value: 'sk-svc-emulator' }),
        standby,
        log: options.log ?? silent,
        ...(options.wrap ? { wrap: options.wrap } : {}),
      });
      workers.push(worker);
      return worker;
    },
    async stop() {
      await Promise.all(workers.map((worker) => worker.shutdown()));
      await connected.close();
      if (!options.shared) await emulator.close();
      if (!options.temporal) await temporal.teardown();
      if (!options.folder) await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
  return stack;
}

function accountSettings(
  account: string,
  baseUrl: string,
  folder: string,
  timeScale: number,
  change: Partial<AccountSettings> = {},
): AccountSettings {
  return {
    account,
    baseUrl,
    userAgent: 'callsheet-test/1.0',
    home: join(folder, 'home'),
    exclusive: true,
    waits: {
      lambdaMs: 120_000,
      thetaMs: 180_000,
      rhoMs: 1_800_000,
      syncMaxMs: 900_000,
      renderMaxMs: { 'vendor-f': 1_800_000, default: 3_600_000 },
    },
    limits: { concurrency: null, rpm: null },
    prices: [
      { kind: 'svc/image', components: [{ unit: 'megapixel', credits: '0.001' }] },
      { kind: 'vendor-b/avatar', components: [{ unit: 'second', credits: '0.1', upTo: 120 }] },
      { kind: 'vendor-a/text2video', components: [{ unit: 'second', credits: '0.08' }] },
      { kind: 'vendor-f/video', components: [{ unit: 'second', credits: '0.1' }] },
    ],
    timeScale,
    callbacks: { url: null, listen: null },
    syncMaxWasteNano: 0,
    s3: DEFAULT_S3,
    aliasPaths: false,
    ...change,
  };
}

/** An image row of one megapixel. */
export function imageRow(id: string, change: Partial<Row> = {}): Row {
  const cells = { model: 'svc-alpha.2-klein-4b', prompt: `picture ${id}`, width: 320, height: 200 };
  return { index: 0, line: 2, id, kind: 'svc/image', stem: id, cells, media: {}, hash: `hash-${id}`, ...change };
}

export function avatarRow(id: string, change: Partial<Row> = {}): Row {
  const cells = { avatar_id: 'anna', script: 'Hello, this is a short speech.', voice_id: 'v-amber-en' };
  return { index: 0, line: 2, id, kind: 'vendor-b/avatar', stem: id, cells, media: {}, hash: `hash-${id}`, ...change };
}

export function videoRow(id: string, change: Partial<Row> = {}): Row {
  const cells = { prompt: `video ${id}`, duration: 5 };
  return {
    index: 0,
    line: 2,
    id,
    kind: 'vendor-a/text2video',
    stem: id,
    cells,
    media: {},
    hash: `hash-${id}`,
    ...change,
  };
}

export function filmRow(id: string, change: Partial<Row> = {}): Row {
  const cells = { model: 'vendor-f-3.1-fast-generate-preview', prompt: `film ${id}`, duration: 4 };
  return { index: 0, line: 2, id, kind: 'vendor-f/video', stem: id, cells, media: {}, hash: `hash-${id}`, ...change };
}
