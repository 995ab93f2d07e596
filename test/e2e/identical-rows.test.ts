import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultRule } from '../../emulator/emulator.js';
import type { HomeAccess } from '../../src/cli/access/home-access.js';
import { recordSkipped } from '../../src/cli/plan/kept-rows.js';
import { batchProgress, cancelBatch } from '../../src/contract/messages.js';
import { batchId } from '../../src/contract/names.js';
import type { Row } from '../../src/domain/row.js';
import { openAccountRecords } from '../../src/home/account-records.js';
import { createFolderStore } from '../../src/store/folder.js';
import { sha256 } from '../download/broken-server.js';
import { editRow, fed } from '../support/chain-rows.js';
import { imageRow, type Stack, startStack, videoRow } from '../support/stack.js';
import { hasTemporal, startTemporal } from '../support/temporal.js';
import { until } from '../support/until.js';

const CELLS = { model: 'svc-alpha.2-klein-4b', prompt: 'one lamp', width: 320, height: 200, seed: 7 };
const same = (id: string, shares?: number) =>
  imageRow(id, { cells: CELLS, hash: 'hash-lamp', ...(shares === undefined ? {} : { shares }) });

/** Two rows of their own, three that share the first, one of which has a hash that only looks the same. */
const ROWS = [same('a'), same('b', 0), imageRow('c'), same('d', 0), imageRow('e', { shares: 0 })];

describe.skipIf(!hasTemporal())('rows with the same request are rendered once', () => {
  let temporal: TestWorkflowEnvironment;
  beforeAll(async () => {
    temporal = await startTemporal();
  });
  afterAll(() => temporal?.teardown());

  async function withStack(account: string, faults: FaultRule[], use: (stack: Stack) => Promise<void>) {
    const stack = await startStack({ temporal, account, speed: 20, emulator: { faults } });
    try {
      await stack.startWorker();
      await use(stack);
    } finally {
      await stack.stop();
    }
  }

  it.concurrent('the others are copied to their own names, cost nothing, and running again changes nothing', async () => {
    await withStack('share', [], async (stack) => {
      expect((await stack.run('b', ROWS)).counts).toMatchObject({ done: 5, failed: 0 });
      const { jobs } = stack.emulator.truth();
      expect(jobs).toHaveLength(3);
      const first = await stack.record('b', 'a');
      for (const id of ['b', 'd']) {
        const record = await stack.record('b', id);
        expect(record).toMatchObject({ status: 'done', attempts: 0, creditsNano: 0, flags: [] });
        expect(record?.warnings).toContain('shares the render of row a');
        const [file] = record?.files ?? [];
        expect(file).toMatchObject({ file: `media/${id}.png`, sha256: first?.files[0]?.sha256 });
        expect(sha256(readFileSync(join(stack.out, 'b', 'media', `${id}.png`)))).toBe(file?.sha256);
      }
      expect((await stack.record('b', 'e'))?.attempts).toBe(1);
      expect((await stack.run('b', ROWS)).counts.done).toBe(5);
      expect(stack.emulator.truth().jobs).toHaveLength(3);
    });
  });

  it.concurrent('G2: when the first fails the others end as it did, unpaid; a retry renders once', async () => {
    const refused: FaultRule = {
      match: { route: 'svc.image', nth: [1] },
      action: { do: 'answer', status: 400, body: '{"detail":"no"}', contentType: 'application/json' },
    };
    await withStack('shareFail', [refused], async (stack) => {
      const rows = [same('a'), same('b', 0), same('d', 0)];
      expect((await stack.run('b', rows)).counts).toMatchObject({ failed: 3 });
      expect(await stack.record('b', 'd')).toMatchObject({
        reasonCode: 'shared_row_failed',
        creditsNano: 0,
        attempts: 0,
      });
      expect((await stack.record('b', 'd'))?.reason).toBe('row a, which has the same request: failed');
      expect(stack.emulator.truth().jobs).toHaveLength(0);
      const retry = { beforeMs: Date.now() + 1, classes: [] };
      expect((await stack.run('b', rows, { retry })).counts).toMatchObject({ done: 3 });
      expect(stack.emulator.truth().jobs).toHaveLength(1);
    });
  });

  it.concurrent('a copy is there as soon as the render is, and what feeds both brings no second one', async () => {
    const unpolled: FaultRule = { match: { route: 'vendor-a.poll' }, action: { do: 'answer', status: 500, body: '' } };
    await withStack('shareSoon', [unpolled], async (stack) => {
      const edit = (id: string, change: Partial<Row> = {}) =>
        editRow(id, fed('hero', 0), { hash: 'hash-rain', stem: id, ...change });
      const rows = [
        imageRow('hero'),
        edit('a'),
        edit('b', { shares: 1 }),
        videoRow('endless'),
        edit('d', { shares: 1 }),
      ];
      await stack.supply('b', await stack.seed('b', rows));
      const handle = stack.temporal.client.workflow.getHandle(batchId(stack.settings.account, 'b'));
      await until(async () => (await handle.query(batchProgress)).counts.done === 4);
      expect(await stack.record('b', 'b')).toMatchObject({ status: 'done', attempts: 0, creditsNano: 0 });
      expect(await stack.record('b', 'd')).toMatchObject({ status: 'done', attempts: 0, creditsNano: 0 });
      expect(stack.emulator.truth().jobs).toHaveLength(3);
      const { open, held = 0 } = await handle.query(batchProgress);
      expect([open, held]).toEqual([1, 0]);
    });
  });

  const accessOf = ({ settings }: Stack) =>
    openAccountRecords(createFolderStore(settings.home), settings.account) as unknown as HomeAccess;
  const takeName = (stack: Stack, id: string) => {
    const file = join(stack.out, 'b', 'media', `${id}.png`);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, 'of someone else');
    return file;
  };

  it.concurrent('4-U3: what shares the render of a skipped row is rendered by itself', async () => {
    await withStack('shareSkipped', [], async (stack) => {
      const foreign = takeName(stack, 'a');
      const row = { id: 'a', kind: 'svc/image', hash: 'hash-lamp', index: 0 } as const;
      const skipped = [{ row, file: 'media/a.png', isRecorded: false }];
      await recordSkipped(accessOf(stack), 'b', { skipped, reopened: [], feeding: [] });
      expect((await stack.run('b', [same('a'), same('b', 0)])).counts).toMatchObject({ done: 1, skipped: 1 });
      expect(stack.emulator.truth().jobs).toHaveLength(1);
      expect(readFileSync(foreign, 'utf8')).toBe('of someone else');
      const [first] = await stack.resultLines('b');
      expect(first).toMatchObject({ id: 'a', status: 'skipped', credits: 0, attempts: 0, file: null });
    });
  });

  it.concurrent('4-U3: a row that an older build ended with a file of others has nothing to share, and nothing waits', async () => {
    await withStack('shareForeign', [], async (stack) => {
      const bytes = readFileSync(takeName(stack, 'a'));
      const file = { file: 'media/a.png', contentType: 'image/png', bytes: bytes.length, sha256: sha256(bytes) };
      await accessOf(stack).records.writeRecord('b', {
        ...{ schema: 1, id: 'a', kind: 'svc/image', status: 'done', flags: [], warnings: [], attempts: 1 },
        ...{ files: [file], creditsBasis: 'unknown', finishedAtMs: 1, rowHash: 'hash-lamp' },
      });
      expect((await stack.run('b', [same('a'), same('b', 0)])).counts).toMatchObject({ done: 1, failed: 1 });
      expect((await stack.record('b', 'b'))?.reason).toBe('row a, which has the same request: lost its file');
      expect(stack.emulator.truth().jobs).toHaveLength(0);
    });
  });

  it.concurrent('a copy steps aside of what its row had before it was changed, as a render does', async () => {
    await withStack('shareAgain', [], async (stack) => {
      const before = takeName(stack, 'b');
      const bytes = readFileSync(before);
      const file = { file: 'media/b.png', contentType: 'image/png', bytes: bytes.length, sha256: sha256(bytes) };
      await accessOf(stack).records.writeRecord('b', {
        ...{ schema: 1, id: 'b', kind: 'svc/image', status: 'done', flags: [], warnings: [], attempts: 0 },
        ...{ files: [file], creditsNano: 0, creditsBasis: 'price-book', finishedAtMs: 1, rowHash: 'hash-before' },
      });
      expect((await stack.run('b', [same('a'), same('b', 0)])).counts).toMatchObject({ done: 2 });
      expect((await stack.record('b', 'b'))?.files).toMatchObject([{ file: 'media/b.v2.png' }]);
      expect(readFileSync(before).equals(bytes)).toBe(true);
      expect(stack.emulator.truth().jobs).toHaveLength(1);
    });
  });

  it.concurrent('4-U3: cancel ends a copy that cannot be stored; what was rendered stays', async () => {
    await withStack('shareTaken', [], async (stack) => {
      takeName(stack, 'b');
      await stack.supply('b', await stack.seed('b', [same('a'), same('b', 0)]));
      const handle = stack.temporal.client.workflow.getHandle(batchId(stack.settings.account, 'b'));
      await until(async () => (await handle.query(batchProgress)).blocked?.id === 'b');
      await handle.signal(cancelBatch);
      expect((await stack.result('b')).counts).toMatchObject({ done: 1, cancelled: 1 });
    });
  });
});
