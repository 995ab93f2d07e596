// 3-R7: the server of an engine has no doors. Whoever can reach it sends orders nobody gave; the home has the last word.
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasTemporal } from '../support/temporal.js';
import { expectHonestEnd, results } from './support/evidence.js';
import { engineOf } from './support/killing.js';
import { csv, film } from './support/manifest.js';
import { type Rig, startRig, until } from './support/rig.js';

const ROWS = Array.from({ length: 24 }, (_, i) => film(`s${String(i + 1).padStart(2, '0')}`));
const IDS = ROWS.map(({ id }) => id);

describe.skipIf(!hasTemporal())('messages of a stranger', () => {
  let rig: Rig;
  let connection: Connection;
  beforeEach(async () => {
    rig = await startRig({ speed: 100, emulator: { renderSeconds: { 'vendor-f': [1_000, 1_500] } } });
    await rig.write('films.csv', csv(ROWS));
  });
  afterEach(async () => {
    await connection?.close();
    await rig?.stop();
  });

  const jobs = () => rig.emulator.truth().jobs;
  const untilJobs = (count: number) =>
    until(`${count} films were submitted`, () => jobs().length >= count || undefined);
  /** Another user of the machine, who has read what the server has. */
  const stranger = async () => {
    connection = await Connection.connect({ address: (await engineOf(rig)).address ?? '' });
    const client = new Client({ connection });
    const ids: string[] = [];
    for await (const { workflowId } of client.workflow.list()) ids.push(workflowId);
    const named = (end: string) => ids.find((id) => id.endsWith(end)) ?? '';
    const [batch, semaphore] = [named('/batch/films'), named('/semaphore')];
    const queue = semaphore.replace(/semaphore$/, 'home');
    const { events } = await client.workflow.getHandle(batch).fetchHistory();
    const payloads = (events ?? []).flatMap((event) => [
      event.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]?.data,
      event.workflowExecutionSignaledEventAttributes?.input?.payloads?.[0]?.data,
    ]);
    const read = payloads.flatMap((data) => (data ? [JSON.parse(Buffer.from(data).toString())] : []));
    return {
      client,
      batch,
      semaphore,
      queue,
      input: read[0],
      supply: read.find((said) => said.generation !== undefined),
    };
  };
  const nothingMore = async (submitted: number) => {
    await sleep(5_000);
    expect(jobs().length).toBe(submitted);
  };

  it('neither retry, start nor settle what was cancelled', async () => {
    const running = rig.start(['run', 'films.csv', '--yes']);
    await untilJobs(10);
    const { client, batch, queue, input, supply } = await stranger();
    expect((await rig.run(['cancel', 'films'])).code).toBe(0);
    expect((await running.ended).code).toBe(1);
    const submitted = jobs().length;
    const retry = { beforeMs: Date.now() + 60_000, classes: [] };
    const policy = { ambiguity: 'always', retries: 9, wasteMaxNano: 1e12 };
    await client.workflow.signalWithStart('batch', {
      workflowId: batch,
      taskQueue: queue,
      args: [{ ...input, policy }],
      signal: 'supply',
      signalArgs: [{ ...supply, retry, limits: { maxCreditsNano: null, maxFailures: null } }],
    });
    for (const [index, id] of IDS.entries()) {
      const row = { batch: 'films', generation: supply.generation, part: 0, index, id, kind: 'vendor-f/video' };
      await client.workflow.start('job', {
        workflowId: `stranger/${id}`,
        taskQueue: queue,
        args: [{ account: input.account, row, begins: 'submit', attempts: 0, policy, timeScale: 100 }],
      });
    }
    await nothingMore(submitted);
    const retried = await rig.run(['retry', 'films', '--yes']);
    expect(retried.code, retried.stderr).toBe(0);
    expect(expectHonestEnd(rig, 'films', IDS).every(({ status }) => status === 'done')).toBe(true);
    expect(jobs()).toHaveLength(ROWS.length);
  });

  it('do not let a paused batch go on', async () => {
    const running = rig.start(['run', 'films.csv', '--yes']);
    await untilJobs(5);
    const { client, batch, semaphore, supply } = await stranger();
    expect((await rig.run(['pause', 'films'])).code).toBe(0);
    await sleep(1_000);
    const submitted = jobs().length;
    await client.workflow.getHandle(batch).signal('resumeBatch');
    await client.workflow.getHandle(semaphore).signal('resume', { reason: 'user', batch: 'films' });
    await client.workflow.getHandle(batch).signal('supply', { ...supply, retry: { beforeMs: 0, classes: [] } });
    await nothingMore(submitted);
    expect((await rig.run(['resume', 'films'])).code).toBe(0);
    expect((await running.ended).code).toBe(0);
    expectHonestEnd(rig, 'films', IDS);
  });

  it('do not raise the budget of a batch', async () => {
    const many = Array.from({ length: 80 }, (_, i) => film(`m${i + 1}`));
    await rig.write('films.csv', csv(many));
    const running = rig.start(['run', 'films.csv', '--yes', '--max-credits', '40']);
    await untilJobs(1);
    const { client, batch, supply } = await stranger();
    expect((await rig.run(['resume', 'films', '--max-credits', '4'])).code).toBe(0);
    const limits = { maxCreditsNano: 1e14, maxFailures: null };
    await client.workflow.getHandle(batch).signal('setBudget', limits);
    await client.workflow.getHandle(batch).signal('supply', { ...supply, limits });
    const ended = await running.ended;
    expect(ended.code, ended.stderr).not.toBe(0);
    expect(results(rig, 'films').some(({ status }) => status === 'not_started')).toBe(true);
    expect(jobs().length).toBeLessThan(many.length);
  });
});
