import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultRule } from '../../emulator/emulator.js';
import { lateOutputId } from '../../src/contract/names.js';
import { runOneRow } from '../support/one-row.js';
import { avatarRow, filmRow, imageRow } from '../support/stack.js';
import { hasTemporal, startTemporal } from '../support/temporal.js';
import { until } from '../support/until.js';

/** A white picture of one pixel: the emulator looks at the type, not at the size. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

interface Fault {
  name: string;
  route: string;
  nth?: number[];
  times?: number;
  action: FaultRule['action'];
  status: string;
  reasonCode?: string;
}

const POLL = 'vendor-f.poll';
const ended = (as: 'failed' | 'cancelled' | 'expired'): FaultRule['action'] => ({ do: 'end-job', as, message: 'no' });

const refusedPolls = (name: string, code: number): Fault => ({
  ...{ name, route: POLL, action: status(code), status: 'review', reasonCode: 'poll_refused' },
});

/** What polls and downloads of one film go through, and how its row must end. A second job is never created. */
const FAULTS: Fault[] = [
  { name: 'F35 a handle not found once', route: POLL, nth: [1], action: status(404), status: 'done' },
  {
    name: 'F35 a handle never found',
    route: POLL,
    action: status(404),
    status: 'review',
    reasonCode: 'handle_not_found',
  },
  {
    name: 'F35 another account’s handle',
    route: POLL,
    action: status(409),
    status: 'review',
    reasonCode: 'handle_not_found',
  },
  { name: 'F35 a poll refused once', route: POLL, nth: [1], action: status(403), status: 'done' },
  refusedPolls('F35, 2-D5 every poll answered with 400', 400),
  refusedPolls('F35, 2-D5 every poll answered with 403', 403),
  refusedPolls('F35, 2-D5 every poll answered with 405', 405),
  refusedPolls('F35, 2-D5 every poll answered with 422', 422),
  { name: 'F36 a storm of 500 on polls', route: POLL, nth: [1, 2, 3, 4, 5], action: status(500), status: 'done' },
  { name: 'F36 a page of HTML on polls', route: POLL, nth: [1, 2, 3], action: html(), status: 'done' },
  {
    name: 'F23 429 on polls',
    route: POLL,
    nth: [1, 2],
    action: { do: 'refuse', code: 'rpm_limit_exceeded' },
    status: 'done',
  },
  {
    name: 'F37 ended without a URL, then with one',
    route: POLL,
    times: 3,
    action: { do: 'without-url' },
    status: 'done',
  },
  {
    name: 'F39 a failed render',
    route: 'vendor-f.submit',
    action: ended('failed'),
    status: 'failed',
    reasonCode: 'render_failed',
  },
  {
    name: 'F40 an output URL that expired: the row waits a quarter of an hour and ends with a person',
    route: 'vendor-f.submit',
    action: { do: 'expire-output' },
    status: 'review',
    reasonCode: 'output_pending',
  },
  { name: 'F40 a URL that is refused once', route: 'media', nth: [1], action: status(403), status: 'done' },
  {
    name: 'F41 a reset in the middle of a file',
    route: 'media',
    nth: [1],
    action: { do: 'cut-body', at: 'half', end: 'reset' },
    status: 'done',
  },
  {
    name: 'F42 a body shorter than announced',
    route: 'media',
    nth: [1, 2],
    action: { do: 'cut-body', at: 'half' },
    status: 'done',
  },
  { name: 'F42 HTML in place of the file', route: 'media', nth: [1, 2], action: html(), status: 'done' },
  { name: 'F42 an empty file', route: 'media', nth: [1], action: { do: 'cut-body', at: 0 }, status: 'done' },
  {
    name: 'F44 a redirect to a private address, once',
    route: 'media',
    nth: [1],
    action: { do: 'redirect', status: 302, location: 'http://10.0.0.1/x' },
    status: 'done',
  },
  {
    name: 'F44 a redirect to a private address, each time',
    route: 'media',
    action: { do: 'redirect', status: 302, location: 'http://10.0.0.1/x' },
    status: 'review',
    reasonCode: 'output_pending',
  },
];

function status(code: number): FaultRule['action'] {
  return { do: 'answer', status: code };
}

function html(): FaultRule['action'] {
  return { do: 'answer', status: 200, body: '<html></html>', contentType: 'text/html' };
}

describe.skipIf(!hasTemporal())('polls and downloads against the ground truth', () => {
  let temporal: TestWorkflowEnvironment;
  beforeAll(async () => {
    temporal = await startTemporal();
  });
  afterAll(() => temporal?.teardown());

  it.concurrent.each(FAULTS)('$name', async ({ name, route, nth, times, action, status: expected, reasonCode }) => {
    const match = { route, ...(nth ? { nth } : {}) };
    const ending = await runOneRow({
      temporal,
      row: filmRow(`poll${FAULTS.findIndex((fault) => fault.name === name)}`),
      faults: [{ match, action, ...(times === undefined ? {} : { times }) }],
    });
    expect({ status: ending.status, reasonCode: ending.reasonCode }, ending.record?.reason).toEqual({
      status: expected,
      reasonCode,
    });
    expect(ending.jobs).toHaveLength(1);
    expect(ending.attempts).toBe(1);
    expect(ending.truth.violationCounts.poll_early ?? 0).toBe(0);
  });

  it.concurrent('F35, I14: a handle that is never found is asked after three times over ten minutes', async () => {
    const ending = await runOneRow({
      temporal,
      row: filmRow('gone'),
      faults: [{ match: { route: POLL }, action: status(404) }],
    });
    const polls = ending.truth.requests.filter(({ route }) => route === POLL).map(({ arrivedMs }) => arrivedMs);
    expect(polls).toHaveLength(3);
    expect((polls[2] ?? 0) - (polls[0] ?? 0)).toBeGreaterThanOrEqual(600_000 / 200);
    expect(ending.record).toMatchObject({ handle: expect.any(String), reason: 'HTTP 404' });
  });

  it.concurrent('4-U13: a picture whose URL answers 404 for a while is fetched', async () => {
    const faults: FaultRule[] = [{ match: { route: 'media', nth: [1, 2, 3, 4, 5] }, action: status(404) }];
    expect(await runOneRow({ temporal, row: imageRow('hiccup'), faults })).toMatchObject({
      status: 'done',
      attempts: 1,
    });
  });

  it.concurrent('2-119: a clip of vendor-e whose URL is refused is fetched through the fresh URL of a later poll', async () => {
    const cells = { prompt: 'a harbour', duration: 4, ratio: '16:9', resolution: '768P' };
    const ending = await runOneRow({
      temporal,
      row: filmRow('fresh', { kind: 'vendor-e/video', cells }),
      // Once where the poll heard of it, once where its download is tried.
      faults: [{ match: { route: 'media', nth: [1, 2] }, action: status(403) }],
      async after(stack) {
        const [attempt] = await stack.ledger.read('one', 'fresh');
        const urls = attempt?.states.flatMap((state) => (state.state === 'rendered' ? state.outputs : []));
        expect(new Set(urls?.map(({ url }) => url)).size).toBe(2);
      },
    });
    expect(ending).toMatchObject({ status: 'done', attempts: 1 });
  });

  it.concurrent('F40: an output that comes after its row has ended corrects record and results; nothing is paid again', async () => {
    const ending = await runOneRow({
      temporal,
      row: imageRow('late'),
      faults: [{ match: { route: 'media' }, action: status(403) }],
      async after(stack) {
        expect(await stack.record('one', 'late')).toMatchObject({ status: 'review', reasonCode: 'output_pending' });
        expect(await stack.resultLines('one')).toMatchObject([{ id: 'late', status: 'review' }]);
        stack.emulator.setFaults([]);
        await until(async () => (await stack.resultLines('one'))[0]?.status === 'done');
      },
    });
    expect(ending).toMatchObject({ status: 'done', attempts: 1 });
    expect(ending.jobs).toHaveLength(1);
  });

  it.concurrent('F40: a film whose URL outlives its hour is lost, in record and results', async () => {
    const ending = await runOneRow({
      temporal,
      row: filmRow('over'),
      faults: [{ match: { route: 'vendor-f.submit' }, action: { do: 'expire-output' } }],
      after: (stack) => until(async () => (await stack.resultLines('one'))[0]?.status === 'lost_paid'),
    });
    expect(ending).toMatchObject({ status: 'lost_paid', reasonCode: 'output_expired', attempts: 1 });
    expect(ending.record?.creditsNano).toBeGreaterThan(0);
  });

  it.concurrent('F40: a retry of class `output` tries at once; on a wiped server the next run fetches on', async () => {
    const ending = await runOneRow({
      temporal,
      row: imageRow('wiped'),
      faults: [{ match: { route: 'media' }, action: status(403) }],
      async after(stack) {
        const { client } = stack.temporal;
        const late = client.workflow.getHandle(lateOutputId('one-wiped', 'one', 'wiped', 1));
        await late.terminate('as a wiped server');
        // The same command again: one try, and what the server forgot runs again.
        expect((await stack.run('one', [imageRow('wiped')])).counts).toMatchObject({ review: 1 });
        expect((await late.describe()).status.name).toBe('RUNNING');
        stack.emulator.setFaults([]);
        const retry = { beforeMs: Date.now() + 1, classes: ['output_pending'] };
        expect((await stack.run('one', [imageRow('wiped')], { retry })).counts).toMatchObject({ done: 1, review: 0 });
      },
    });
    expect(ending).toMatchObject({ status: 'done', attempts: 1 });
  });

  it.concurrent('3-R5: a film of which the service says afterwards that it expired is lost, and never polled on', async () => {
    const ending = await runOneRow({
      temporal,
      row: filmRow('recanted'),
      faults: [{ match: { route: 'media' }, action: status(403) }],
      async meanwhile({ emulator }) {
        await until(() => emulator.truth().jobs[0]?.state === 'succeeded');
        await until(() => emulator.truth().requests.some(({ route }) => route === 'media'));
        const gone = { done: true, error: { message: 'the operation has expired' } };
        const faults: FaultRule[] = [
          { match: { route: POLL }, action: { do: 'answer', status: 200, body: gone } },
          { match: { route: 'media' }, action: status(403) },
        ];
        emulator.setFaults(faults);
      },
    });
    expect(ending).toMatchObject({ status: 'lost_paid', reasonCode: 'output_expired', attempts: 1 });
    expect(ending.record?.reason).toContain('the operation has expired');
    expect(ending.jobs).toHaveLength(1);
  });

  it.concurrent('F37: an unknown status word means running', async () => {
    const faults: FaultRule[] = [
      { match: { route: 'vendor-b.poll', nth: [1, 2] }, action: { do: 'report-word', word: 'dreaming' } },
      { match: { route: 'vendor-b.poll', nth: [3] }, action: { do: 'report-first-state' } },
    ];
    expect(await runOneRow({ temporal, row: avatarRow('words'), faults })).toMatchObject({
      status: 'done',
      attempts: 1,
    });
  });

  it.concurrent('F38: a job that never ends needs a person once its handle is no longer good; nothing is sent again', async () => {
    const said: string[] = [];
    const note = (_: unknown, message: string): void => {
      said.push(message);
    };
    let jumpMs = 0;
    const ending = await runOneRow({
      temporal,
      row: filmRow('endless'),
      faults: [{ match: { route: 'vendor-f.submit' }, action: { do: 'never-ends' } }],
      options: {
        log: { info: note, warn: note, error: note },
        wrap: (deps) => ({ ...deps, now: () => deps.now() + jumpMs }),
      },
      async meanwhile({ emulator }) {
        await until(() => (emulator.truth().jobs[0]?.polls ?? 0) > 0);
        // Past the longest render of its family, then past the life of its handle.
        jumpMs = 1_800_000 / 200;
        await until(() => said.includes('a job renders for longer than the longest render'));
        jumpMs = (8 * 24 * 3_600_000) / 200;
      },
    });
    expect(ending).toMatchObject({ status: 'review', reasonCode: 'handle_expired', attempts: 1 });
    expect(ending.jobs).toHaveLength(1);
  });

  it.concurrent('F33: a reservation that came back leaves the row unbilled', async () => {
    const ending = await runOneRow({
      temporal,
      row: filmRow('refunded'),
      faults: [{ match: { route: 'vendor-f.submit' }, action: ended('failed') }],
      options: { emulator: { chargeAt: { 'vendor-f': 'submit' } } },
    });
    expect(ending.record).toMatchObject({ status: 'failed', creditsNano: 0 });
    expect(ending.truth.account.balance.nowNano).toBe(ending.truth.account.balance.startNano);
  });

  it.concurrent('an unbilled failed render is tried again as often as the batch says', async () => {
    const faults: FaultRule[] = [{ match: { route: 'vendor-f.submit', nth: [1, 2] }, action: ended('failed') }];
    const ending = await runOneRow({ temporal, row: filmRow('again'), faults, policy: { retries: 2 } });
    expect(ending).toMatchObject({ status: 'done', attempts: 3 });
  });

  it.concurrent('F21: a refused key pauses the account and the new key is taken without a restart', async () => {
    let key = 'the first';
    const ending = await runOneRow({
      temporal,
      row: imageRow('rotated'),
      faults: [{ match: { route: 'svc.image', nth: [1] }, action: { do: 'refuse', code: 'invalid_api_key' } }],
      options: { wrap: (deps) => ({ ...deps, keyMark: () => key }) },
      async meanwhile({ emulator }) {
        const sent = () => emulator.truth().requests.filter(({ route }) => route === 'svc.image');
        await until(() => sent().length > 0);
        await delay(3_000);
        expect(sent()).toHaveLength(1);
        key = 'the second';
      },
    });
    expect(ending).toMatchObject({ status: 'done', attempts: 2 });
  });

  it.concurrent('fetches a URL input before the claim where the endpoint takes bytes', async () => {
    const server = createServer((_, response) => response.end(PNG)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/frame.png`;
    const row = filmRow('inline', { media: { image: [{ source: 'url', url }] } });
    const ending = await runOneRow({ temporal, row, faults: [] });
    server.close();
    expect(ending.status).toBe('done');
    const sent = JSON.stringify(ending.jobs[0]?.body);
    expect(sent).toContain(PNG.toString('base64').slice(0, 60));
    expect(sent).toContain('image/png');
  });

  it.concurrent('fails a row whose URL input cannot be had, without a claim', async () => {
    const row = filmRow('noinput', { media: { image: [{ source: 'url', url: 'http://127.0.0.1:9/frame.png' }] } });
    const ending = await runOneRow({ temporal, row, faults: [] });
    expect(ending).toMatchObject({ status: 'failed', reasonCode: 'input_missing', attempts: 0, jobs: [] });
  });

  it.concurrent('F1: a service that refuses connections is waited for, without a case', async () => {
    const ending = await runOneRow({
      temporal,
      row: imageRow('away'),
      faults: [],
      async meanwhile({ emulator }) {
        await emulator.pause();
        await delay(4_000);
        await emulator.resume();
      },
    });
    expect(ending).toMatchObject({ status: 'done' });
    expect(ending.jobs).toHaveLength(1);
  });
});
