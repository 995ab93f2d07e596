import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultRule } from '../../emulator/emulator.js';
import { semaphoreView } from '../../src/contract/messages.js';
import { batchId, jobId, semaphoreId } from '../../src/contract/names.js';
import type { Row } from '../../src/domain/row.js';
import { storedHistories } from '../support/histories.js';
import { type Ending, runOneRow } from '../support/one-row.js';
import { recordHistories } from '../support/record-histories.js';
import { avatarRow, filmRow, imageRow, type StackOptions, videoRow } from '../support/stack.js';
import { hasTemporal, startTemporal } from '../support/temporal.js';
import { until } from '../support/until.js';

/** What one film submit goes through, and how its row must end with the policy `if-proved` on an exclusive account. */
const FILMS: { name: string; action: FaultRule['action']; status: string; jobs: number; attempts: number }[] = [
  {
    name: 'F3 accepted, unread, closed: nothing was created',
    action: { do: 'close-unread' },
    status: 'done',
    jobs: 1,
    attempts: 2,
  },
  {
    name: 'F4 created, then reset before the headers: billed',
    action: { do: 'reset-before-answer', created: true },
    status: 'lost_paid',
    jobs: 1,
    attempts: 1,
  },
  {
    name: 'F9 a 500 that created nothing',
    action: { do: 'refuse', code: 'server_error', created: false },
    status: 'done',
    jobs: 1,
    attempts: 2,
  },
  {
    name: 'F9 a 500 that created a job',
    action: { do: 'refuse', code: 'server_error', created: true },
    status: 'lost_paid',
    jobs: 1,
    attempts: 1,
  },
  {
    name: 'F10 a 504 that created a job',
    action: { do: 'refuse', code: 'timeout', created: true },
    status: 'lost_paid',
    jobs: 1,
    attempts: 1,
  },
  {
    name: 'F11 the provider is unreachable: refused, sent again',
    action: { do: 'refuse', code: 'vendor-f_unreachable' },
    status: 'done',
    jobs: 1,
    attempts: 2,
  },
  {
    name: 'F12 the pass-through is not enabled: the row fails, no loop',
    action: { do: 'refuse', code: 'pass_through_not_enabled' },
    status: 'failed',
    jobs: 0,
    attempts: 1,
  },
  {
    name: 'F13 cut after the handle: salvaged and confirmed by a poll',
    action: { do: 'cut-body', at: 'after-handle' },
    status: 'done',
    jobs: 1,
    attempts: 1,
  },
  {
    name: 'F13 cut inside the handle: billed',
    action: { do: 'cut-body', at: 'inside-handle' },
    status: 'lost_paid',
    jobs: 1,
    attempts: 1,
  },
  {
    name: 'F14 a page of HTML instead of the answer, nothing created',
    action: { do: 'answer', status: 200, body: '<html>', contentType: 'text/html', created: false },
    status: 'done',
    jobs: 1,
    attempts: 2,
  },
  {
    name: 'F16 a redirect is not followed',
    action: { do: 'redirect', status: 307, location: 'http://127.0.0.1:9/elsewhere', created: false },
    status: 'done',
    jobs: 1,
    attempts: 2,
  },
  {
    name: 'F18 a 408 that created nothing',
    action: { do: 'answer', status: 408, body: { detail: 'too slow' }, created: false },
    status: 'done',
    jobs: 1,
    attempts: 2,
  },
  {
    name: 'F20 out of credits: paused until a purchase',
    action: { do: 'refuse', code: 'insufficient_credits' },
    status: 'done',
    jobs: 1,
    attempts: 2,
  },
  {
    name: 'F24 simultaneous jobs refused: back to the slots',
    action: { do: 'refuse', code: 'concurrent_limit_exceeded' },
    status: 'done',
    jobs: 1,
    attempts: 2,
  },
  {
    name: 'F6 a slow answer with its handle: no case',
    action: { do: 'stall', seconds: 3, created: true },
    status: 'done',
    jobs: 1,
    attempts: 1,
  },
  {
    name: 'F15 a 202 with its handle: created, with a warning',
    action: { do: 'answer', status: 202, created: true },
    status: 'done',
    jobs: 1,
    attempts: 1,
  },
];

describe.skipIf(!hasTemporal())('lost and refused answers against the ground truth', () => {
  let temporal: TestWorkflowEnvironment;
  beforeAll(async () => {
    temporal = await startTemporal();
  });
  afterAll(() => temporal?.teardown());

  const runOne = (row: Row, faults: FaultRule[], ambiguity: 'hold' | 'if-proved', topUp = false): Promise<Ending> =>
    runOneRow({
      temporal,
      row,
      faults,
      policy: { ambiguity },
      async meanwhile({ emulator, settings }) {
        if (!topUp) return;
        // A purchase before the refusal would end no pause.
        const semaphore = temporal.client.workflow.getHandle(semaphoreId(settings.account));
        const pauses = async () => (await semaphore.query(semaphoreView).catch(() => undefined))?.pauses ?? [];
        await until(async () => (await pauses()).some(({ reason }) => reason === 'credits'));
        emulator.topUp('20');
      },
      async after({ settings }) {
        if (ambiguity !== 'if-proved' || !RECORDED_CASES.includes(row.id)) return;
        const stored = (id: string) => storedHistories(temporal.client, `WorkflowId = '${id}'`);
        recordHistories(`job-${row.id}`, await stored(jobId(settings.account, 'one', row.id)));
        if (row.id === 'F30') recordHistories('job-discounts', await stored(jobId(settings.account, 'one', row.id)));
        if (row.id === 'F30') recordHistories('batch-case', await stored(batchId(settings.account, 'one')));
      },
    });

  it.concurrent.each(FILMS)('$name', async ({ name, action, status, jobs, attempts }) => {
    const row = filmRow(`${name.slice(0, 3).trim()}${FILMS.findIndex((film) => film.name === name)}`);
    const faults: FaultRule[] = [{ match: { route: 'vendor-f.submit', nth: 1 }, action }];
    const ending = await runOne(row, faults, 'if-proved', name.startsWith('F20'));
    const seen = { status: ending.status, jobs: ending.jobs.length, attempts: ending.attempts };
    expect(seen, ending.record?.reason).toEqual({ status, jobs, attempts });
    if (status === 'lost_paid') expect(ending.record?.creditsNano).toBe(ending.jobs[0]?.chargedNano);
    if (status === 'failed') expect(ending.record?.creditsNano).toBe(0);
  });

  it.concurrent('holds an unbilled row for a person with the policy `hold`', async () => {
    const faults: FaultRule[] = [{ match: { route: 'vendor-f.submit', nth: 1 }, action: { do: 'close-unread' } }];
    const ending = await runOne(filmRow('held'), faults, 'hold');
    expect(ending).toMatchObject({ status: 'failed', jobs: [], attempts: 1 });
    expect(ending.record).toMatchObject({ reasonCode: 'answer_lost_unbilled', creditsNano: 0 });
    expect(ending.record?.reason).toContain('not billed');
  });

  it.concurrent('F5: created, and no answer until the client gives up: billed', async () => {
    const ending = await runOneRow({
      temporal,
      row: filmRow('silent'),
      faults: [{ match: { route: 'vendor-f.submit', nth: 1 }, action: { do: 'stall', created: true } }],
      policy: { ambiguity: 'if-proved' },
      options: {
        wrap: (deps) => {
          const { transport } = deps;
          const send: typeof transport.send = (request, options) =>
            transport.send(request, { ...options, headersTimeoutMs: 1_500 });
          return { ...deps, transport: { ...transport, send } };
        },
      },
    });
    expect(ending).toMatchObject({ status: 'lost_paid', attempts: 1 });
    expect(ending.jobs).toHaveLength(1);
  });

  /** Something on the way turns the answer of each paid request into a 504, body and all. */
  const asGateway: StackOptions['wrap'] = (deps) => {
    const { transport } = deps;
    const send: typeof transport.send = async (request, options) => {
      const exchange = await transport.send(request, options);
      if (request.method !== 'POST' || exchange.outcome !== 'answered') return exchange;
      return { ...exchange, answer: { ...exchange.answer, status: 504 } };
    };
    return { ...deps, transport: { ...transport, send } };
  };

  it.concurrent.each([filmRow('th-film'), avatarRow('th-avatar'), videoRow('th-video')])(
    'TH: a handle in a 504 is polled, and its row is done: $id (2-D2)',
    async (row) => {
      const ending = await runOneRow({ temporal, row, faults: [], options: { wrap: asGateway } });
      expect(ending).toMatchObject({ status: 'done', attempts: 1 });
      expect(ending.jobs).toHaveLength(1);
    },
  );

  it.concurrent('TS: the output that a 504 names is fetched, and its row is done', async () => {
    const ending = await runOneRow({ temporal, row: imageRow('ts-image'), faults: [], options: { wrap: asGateway } });
    expect(ending).toMatchObject({ status: 'done', attempts: 1 });
    expect(ending.jobs).toHaveLength(1);
  });

  it.concurrent('S1: a synchronous 500 is refunded and tried again, at most three times', async () => {
    const refuse: FaultRule = { match: { route: 'svc.image' }, action: { do: 'refuse', code: 'server_error' } };
    const ending = await runOne(imageRow('sync500'), [{ ...refuse, times: 2 }], 'hold');
    expect(ending).toMatchObject({ status: 'done', attempts: 3 });
    const never = await runOne(imageRow('sync500ever'), [refuse], 'hold');
    expect(never).toMatchObject({ status: 'failed', attempts: 4, jobs: [] });
  });

  it.concurrent('S2: a synchronous answer that is lost is settled by the balance', async () => {
    const lost = (created: boolean): FaultRule[] => [
      { match: { route: 'svc.image', nth: 1 }, action: { do: 'reset-before-answer', created } },
    ];
    expect(await runOne(imageRow('synclost', { cells: BIG }), lost(true), 'if-proved')).toMatchObject({
      status: 'lost_paid',
    });
    expect(await runOne(imageRow('syncgone', { cells: BIG }), lost(false), 'if-proved')).toMatchObject({
      status: 'done',
    });
  });

  it.concurrent('T4: a burst of 429 neither fails nor doubles a row (F23)', async () => {
    const refuse: FaultRule = {
      match: { route: 'svc.image' },
      times: 7,
      action: { do: 'refuse', code: 'rpm_limit_exceeded' },
    };
    expect(await runOne(imageRow('paced'), [refuse], 'hold')).toMatchObject({ status: 'done', attempts: 8 });
  });
});

/** Whose histories are kept: resent after a verdict, billed, salvaged, paused for credits, back to the slots. */
const RECORDED_CASES = ['F30', 'F41', 'F137', 'F2012', 'F2413'];

const BIG = { model: 'svc-alpha.2-klein-4b', prompt: 'a large one', width: 5000, height: 5000 };
