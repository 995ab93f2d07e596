import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultAction, FaultRule } from '../../emulator/emulator.js';
import { jobId } from '../../src/contract/names.js';
import { standingOf } from '../../src/domain/standing.js';
import { freePlace, receiveFor } from '../support/callback-receiver.js';
import { storedHistories } from '../support/histories.js';
import { recordHistories } from '../support/record-histories.js';
import { filmRow, type Stack, startStack, videoRow } from '../support/stack.js';
import { hasTemporal, startTemporal } from '../support/temporal.js';
import { until } from '../support/until.js';

/** Renders that last 60 s of service time: a poll by schedule falls 25 s apart there. */
const RENDERS = { 'vendor-a': [60, 60] } as const;
const LOST: FaultAction = { do: 'reset-before-answer', created: true };

describe.skipIf(!hasTemporal())('callbacks of vendor-a (design 3, Recovering a lost handle)', () => {
  let temporal: TestWorkflowEnvironment;
  beforeAll(async () => {
    temporal = await startTemporal();
  });
  afterAll(() => temporal?.teardown());

  /** A stack whose submits name a callback URL; the receiver listens unless told otherwise. */
  async function withStack(
    account: string,
    actions: FaultAction[],
    look: (stack: Stack) => Promise<void>,
    { exclusive = true, speed = 20, listens = true } = {},
  ): Promise<void> {
    const listen = await freePlace();
    const faults: FaultRule[] =
      actions.length === 0 ? [] : [{ match: { route: 'vendor-a.submit', nth: 1 }, action: actions }];
    const stack = await startStack({
      temporal,
      account,
      speed,
      emulator: { faults, renderSeconds: RENDERS },
      settings: { exclusive, callbacks: { url: `http://${listen}/hooks`, listen } },
    });
    const receiver = listens ? await receiveFor(stack) : undefined;
    try {
      await stack.startWorker();
      await look(stack);
    } finally {
      await receiver?.close();
      await stack.stop();
    }
  }

  const jobOf = (stack: Stack) => {
    const [job, ...more] = stack.emulator.truth().jobs;
    expect(more).toEqual([]);
    if (job === undefined) throw new Error('no job was made');
    return job;
  };
  /** I13: no poll before 5 s, none closer than 5 s to the one before, none after the end was told. */
  const expectPacedPolls = (stack: Stack) => {
    const { violations, requests } = stack.emulator.truth();
    expect(violations).toEqual([]);
    const lastPolls = new Map<string, number>();
    for (const { route, path, arrivedMs } of requests) {
      if (route !== 'vendor-a.poll') continue;
      const gapMs = arrivedMs - (lastPolls.get(path) ?? Number.NEGATIVE_INFINITY);
      expect(gapMs).toBeGreaterThanOrEqual((5_000 / stack.settings.timeScale) * 0.9);
      lastPolls.set(path, arrivedMs);
    }
  };

  it.concurrent('makes the job ask now, through a URL of its own, inside the documented pace (I13)', () =>
    withStack('cb-poll', [], async (stack) => {
      const { counts } = await stack.run('b', [videoRow('one'), videoRow('two'), filmRow('film')]);
      expect(counts.done).toBe(3);
      const { jobs } = stack.emulator.truth();
      const urls = jobs.flatMap(({ callbackUrl }) => callbackUrl ?? []);
      expect(urls).toHaveLength(2);
      expect(new Set(urls).size).toBe(2);
      for (const url of urls) expect(url).toMatch(/\/hooks\/[A-Za-z0-9_-]{43}$/);
      for (const { callbacks } of jobs) for (const { status } of callbacks ?? []) expect([0, 204]).toContain(status);
      expectPacedPolls(stack);
      const intents = await Promise.all(
        ['one', 'two'].map(async (id) => (await stack.ledger.read('b', id))[0]?.states[0]),
      );
      for (const intent of intents) {
        if (intent?.state !== 'intent') throw new Error('no claim');
        expect(urls.some((url) => url.endsWith(intent.callbackToken ?? 'none'))).toBe(true);
        expect(urls.some((url) => url.includes(intent.nonce))).toBe(false);
      }
      const named = `WorkflowId = '${jobId(stack.settings.account, 'b', 'one')}'`;
      recordHistories('job-callback', await storedHistories(temporal.client, named));
    }));

  it.concurrent('F4: recovers the handle of a lost answer, confirmed by a poll', () =>
    withStack('cb-f4', [LOST], async (stack) => {
      const { counts } = await stack.run('b', [videoRow('lost')]);
      expect(counts.done).toBe(1);
      expect(jobOf(stack).state).toBe('succeeded');
      const attempts = await stack.ledger.read('b', 'lost');
      expect(attempts.map(({ states }) => states.map(({ state }) => state))).toEqual([
        ['intent', 'unknown', 'created', 'rendered'],
      ]);
      expect((await stack.record('b', 'lost'))?.warnings.join()).toContain('callback');
      expectPacedPolls(stack);
      const named = `WorkflowId = '${jobId(stack.settings.account, 'b', 'lost')}'`;
      recordHistories('job-recovered', await storedHistories(temporal.client, named));
    }));

  it.concurrent('closes a row that is in review already, and its results say so', () =>
    withStack(
      'cb-review',
      [LOST, { do: 'callbacks', times: 0 }],
      async (stack) => {
        const { counts } = await stack.run('b', [videoRow('late')]);
        expect(counts.review).toBe(1);
        expect((await stack.record('b', 'late'))?.status).toBe('review');
        const { callbackUrl = '', handle } = jobOf(stack);
        const body = JSON.stringify({ data: { task_id: handle, task_status: 'succeed' } });
        expect((await fetch(callbackUrl, { method: 'POST', body })).status).toBe(204);
        await until(async () => (await stack.resultLines('b'))[0]?.status === 'done');
        expect(jobOf(stack).state).toBe('succeeded');
        expect(await stack.record('b', 'late')).toMatchObject({ status: 'done', attempts: 1 });
        const [attempt] = await stack.ledger.read('b', 'late');
        expect(attempt?.states.map(({ state }) => state).slice(-2)).toEqual(['created', 'rendered']);
        expectPacedPolls(stack);
      },
      { exclusive: false },
    ));

  it.concurrent.each<[string, FaultAction, number[]]>([
    ['with a handle that no poll confirms', { do: 'callbacks', forge: 'handle' }, [204]],
    ['with a wrong token', { do: 'callbacks', forge: 'token' }, [404]],
    ['of 10 MB', { do: 'callbacks', forge: 'size' }, [413]],
    ['that nobody sends', { do: 'callbacks', times: 0 }, []],
  ])('F53: after a lost answer one %s changes nothing: the balance decides', (name, action, statuses) =>
    withStack(
      `cb-f53-${name.replaceAll(' ', '-')}`,
      [LOST, action],
      async (stack) => {
        const { counts } = await stack.run('b', [videoRow('forged')]);
        expect(counts.done).toBe(0);
        expect(['lost_paid', 'review']).toContain((await stack.record('b', 'forged'))?.status);
        const [attempt, ...more] = await stack.ledger.read('b', 'forged');
        expect(more).toEqual([]);
        expect(attempt?.states.map(({ state }) => state)).toEqual(['intent', 'unknown', 'verdict']);
        // A loaded machine may leave one without an answer (0).
        for (const { status } of jobOf(stack).callbacks ?? []) expect([0, ...statuses]).toContain(status);
        expect(stack.emulator.truth().violations).toEqual([]);
      },
      { speed: 200 },
    ),
  );

  it.concurrent.each<[string, FaultAction]>([
    ['ten times', { do: 'callbacks', times: 10 }],
    ['replayed', { do: 'callbacks', forge: 'replay', times: 3 }],
    ['after the end', { do: 'callbacks', serviceSeconds: 90 }],
    ['with another handle', { do: 'callbacks', forge: 'handle' }],
    ['of 10 MB', { do: 'callbacks', forge: 'size' }],
  ])('F53: of a job whose handle is known, %s: the row is done as without it (I1, I13)', (name, action) =>
    withStack(`cb-known-${name.replaceAll(' ', '-')}`, [action], async (stack) => {
      const { counts } = await stack.run('b', [videoRow('known')]);
      expect(counts.done).toBe(1);
      const attempts = await stack.ledger.read('b', 'known');
      // A loaded machine may give up a connection before anything is sent.
      const sent = attempts.map(standingOf).filter((standing) => standing !== 'void');
      expect(sent).toEqual(['rendered']);
      jobOf(stack);
      expectPacedPolls(stack);
      const [history] = await storedHistories(
        temporal.client,
        `WorkflowId = '${jobId(stack.settings.account, 'b', 'known')}'`,
      );
      expect(history?.events, 'I17').toBeLessThan(400);
      expect(history?.text).not.toContain(jobOf(stack).callbackUrl?.split('/').at(-1));
    }),
  );
});
