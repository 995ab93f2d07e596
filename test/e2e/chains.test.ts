import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultRule } from '../../emulator/emulator.js';
import { reopen } from '../../src/contract/messages.js';
import { batchId, jobId, taskQueues, WORKFLOW_MEMO } from '../../src/contract/names.js';
import { editRow, fed, filmOf } from '../support/chain-rows.js';
import { storedHistories } from '../support/histories.js';
import { recordHistories } from '../support/record-histories.js';
import { imageRow, type Stack, startStack } from '../support/stack.js';
import { hasTemporal, startTemporal } from '../support/temporal.js';

/** hero → edit → film, and hero → clip; the clip's line is before its feeder's. */
const STORY = [
  filmOf('clip', fed('hero', 1)),
  imageRow('hero', { cells: { model: 'svc-alpha.2-klein-4b', prompt: 'a hero', width: 512, height: 512 } }),
  editRow('edit', fed('hero', 1)),
  filmOf('film', fed('edit', 2)),
];

describe.skipIf(!hasTemporal())('rows that feed rows', () => {
  let temporal: TestWorkflowEnvironment;
  beforeAll(async () => {
    temporal = await startTemporal();
  });
  afterAll(() => temporal?.teardown());

  async function withStack(account: string, faults: FaultRule[], use: (stack: Stack) => Promise<void>) {
    const stack = await startStack({ temporal, account, speed: 20, emulator: { faults }, batch: { sidecar: true } });
    try {
      await stack.startWorker();
      await use(stack);
    } finally {
      await stack.stop();
    }
  }

  const refuses = (route: string): FaultRule => ({
    match: { route, nth: [1] },
    action: { do: 'answer', status: 400, body: '{"detail":"no"}', contentType: 'application/json' },
  });

  it.concurrent('a row starts once what feeds it is done, and is sent its very bytes', async () => {
    await withStack('chain', [], async (stack) => {
      expect((await stack.run('b', STORY)).counts).toMatchObject({ done: 4 });
      const { jobs } = stack.emulator.truth();
      expect(jobs).toHaveLength(4);
      const hero = await stack.record('b', 'hero');
      for (const id of ['clip', 'edit']) {
        const record = await stack.record('b', id);
        expect(record?.submittedAtMs).toBeGreaterThanOrEqual(hero?.finishedAtMs ?? Number.POSITIVE_INFINITY);
      }
      const stored = async (id: string) => storedHistories(temporal.client, `WorkflowId="${id}"`);
      recordHistories('batch-chain', await stored(batchId(stack.settings.account, 'b')));
      const ofEdit = await stored(jobId('chain', 'b', 'edit'));
      recordHistories('job-fed-asked', ofEdit);
      // Its slot was asked for by what made its inputs ready, and its submit stood by.
      const events = ofEdit.flatMap(({ history }) => history.events ?? []);
      expect(events.filter((one) => one.signalExternalWorkflowExecutionInitiatedEventAttributes)).toEqual([]);
      const sidecar = JSON.parse(readFileSync(join(stack.out, 'b', 'media', 'edit.png.json'), 'utf8')) as object;
      const { sha256 } = hero?.files[0] ?? {};
      expect(sidecar).toMatchObject({ inputs: [{ row: 'hero', file: 'media/hero.png', sha256 }] });
      const lines = await stack.resultLines('b');
      expect(lines.map(({ id, inputs }) => [id, inputs])).toEqual([
        ['clip', ['hero']],
        ['hero', []],
        ['edit', ['hero']],
        ['film', ['edit']],
      ]);
      expect((await stack.run('b', STORY)).counts.done).toBe(4);
      expect(stack.emulator.truth().jobs).toHaveLength(4);
    });
  });

  it.concurrent('without a bucket a column that takes URLs alone is fed by the URL that the service gave', async () => {
    const cells = { model: 'vendor-c-2.7-i2v', prompt: 'waves', duration: 5 };
    const story = [
      ...STORY,
      imageRow('wave', { kind: 'vendor-c/video', cells, media: { first_frame: [fed('hero', 1)] } }),
    ];
    await withStack('chainUrl', [], async (stack) => {
      expect((await stack.run('b', story)).counts).toMatchObject({ done: 5 });
      const { jobs } = stack.emulator.truth();
      const [hero] = jobs.filter(({ kind }) => kind === 'svc/image');
      const [wave] = jobs.filter(({ kind }) => kind === 'vendor-c/video');
      expect(JSON.stringify(wave?.body)).toContain(hero?.outputs[0]?.id);
    });
  });

  it.concurrent('a frame of a film feeds what takes an image', async () => {
    const last = { ...fed('film', 3), frame: 'last' as const };
    await withStack('chainFrame', [], async (stack) => {
      expect((await stack.run('b', [...STORY, filmOf('on', last)])).counts).toMatchObject({ done: 5 });
      const film = await stack.record('b', 'film');
      const edit = await stack.record('b', 'edit');
      expect(film?.files[0]?.sha256).not.toBe(edit?.files[0]?.sha256);
      expect(stack.emulator.truth().jobs.at(-1)?.body).toMatchObject({
        image: expect.stringMatching(/^(data:image\/png;base64,)?iVBOR|^sha256:/),
      });
      expect((await stack.record('b', 'on'))?.submittedAtMs).toBeGreaterThanOrEqual(film?.finishedAtMs ?? 0);
    });
  });

  it.concurrent('a feeder that fails: what it feeds is not started and costs nothing; a retry runs both', async () => {
    await withStack('chainFail', [refuses('svc.image')], async (stack) => {
      const result = await stack.run('b', STORY);
      expect(result.counts).toMatchObject({ failed: 1, not_started: 3 });
      expect(stack.emulator.truth().jobs).toHaveLength(0);
      const lines = await stack.resultLines('b');
      const ends = lines.map(({ id, status, reason_code, reason, credits }) => [
        id,
        status,
        reason_code,
        reason,
        credits,
      ]);
      const why = 'row hero, which feeds it: failed, invalid_request';
      expect(ends.filter(([id]) => id !== 'hero')).toEqual([
        ['clip', 'not_started', 'upstream_failed', why, 0],
        ['edit', 'not_started', 'upstream_failed', why, 0],
        ['film', 'not_started', 'upstream_failed', why, 0],
      ]);
      const retry = { beforeMs: Date.now() + 1, classes: [] };
      expect((await stack.run('b', STORY, { retry })).counts).toMatchObject({ done: 4 });
      expect(stack.emulator.truth().jobs).toHaveLength(4);
    });
  });

  it.concurrent('a file that is gone or another one feeds nothing; once it is back, the next run goes on', async () => {
    await withStack('chainChanged', [refuses('svc.edit')], async (stack) => {
      await stack.run('b', STORY);
      const file = join(stack.out, 'b', 'media', 'hero.png');
      const bytes = readFileSync(file);
      const retry = { beforeMs: Date.now() + 1, classes: [] };
      writeFileSync(file, bytes.subarray(0, bytes.length - 1));
      expect((await stack.run('b', STORY, { retry })).counts).toMatchObject({ done: 2, not_started: 2 });
      // What the earlier attempt was told is not why.
      const reason = 'media/hero.png of row hero is not the file that was rendered';
      expect(await stack.record('b', 'edit')).toMatchObject({ reasonCode: 'input_changed', reason, attempts: 1 });
      rmSync(file);
      expect((await stack.run('b', STORY)).counts).toMatchObject({ done: 2, not_started: 2 });
      expect((await stack.record('b', 'edit'))?.reason).toBe('media/hero.png of row hero is gone');
      writeFileSync(file, bytes);
      // An order for one row brings that row alone: what rows feed is begun by an order for the batch.
      const { generation, rows } = await stack.seed('b', STORY);
      const { account } = stack.settings;
      await stack.temporal.client.workflow.signalWithStart('batch', {
        workflowId: batchId(account, 'b'),
        taskQueue: taskQueues(account).home,
        memo: WORKFLOW_MEMO,
        args: [
          {
            account,
            batch: 'b',
            policy: { ambiguity: 'hold', retries: 0 },
            timeScale: stack.settings.timeScale,
          },
        ],
        signal: reopen,
        signalArgs: [
          {
            generation,
            rows,
            row: { batch: 'b', generation, part: 0, index: 1, id: 'hero', kind: 'svc/image' },
          },
        ],
      });
      await stack.result('b');
      expect(stack.emulator.truth().jobs).toHaveLength(2);
      expect((await stack.run('b', STORY)).counts).toMatchObject({ done: 4 });
      expect(stack.emulator.truth().jobs).toHaveLength(4);
    });
  });

  it.concurrent('a file that breaks a limit of the column ends its row before anything is claimed', async () => {
    await withStack('chainUnfit', [], async (stack) => {
      const small = imageRow('hero', {
        cells: { model: 'svc-alpha.2-klein-4b', prompt: 'a hero', width: 32, height: 32 },
      });
      expect((await stack.run('b', [small, editRow('edit', fed('hero', 0))])).counts).toMatchObject({
        done: 1,
        failed: 1,
      });
      expect(await stack.record('b', 'edit')).toMatchObject({
        reasonCode: 'input_unfit',
        reason: 'media/hero.png of row hero: image is 32x32, each side at least 64 px',
        attempts: 0,
        creditsNano: 0,
      });
      expect(stack.emulator.truth().jobs).toHaveLength(1);
    });
  });
});
