// I15: a service, or something on the way, that repeats the API key in its answers does not bring it into any record.
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, expect, it } from 'vitest';
import { openDependencies } from '../../activities/dependencies.js';
import { pollActivities } from '../../activities/poll.js';
import { submitActivities } from '../../activities/submit.js';
import type { Row } from '../../src/domain/row.js';
import { createTransport } from '../../src/service/transport.js';
import { answer, startRawServer } from '../service/raw-server.js';
import { accountAtHand, plainRow } from './support/account-at-hand.js';

const KEY = 'sk-svc-echoed-key-1';
const film = (): Row => plainRow('a', { kind: 'vendor-f/video', cells: { model: 'm', prompt: 'p' } });
const image = (): Row => plainRow('a');
const task = (): Row => plainRow('a', { kind: 'vendor-e/video', cells: { prompt: 'p', duration: 4, ratio: '1:1' } });
const URL = 'https://out.example/a.png';

const open: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** Everything that one submit, and one poll where it was accepted, leave behind: records, results and log lines. */
async function leftBehind(row: Row, answers: { status: number; body: string; headers?: Record<string, string> }[]) {
  let asked = 0;
  const server = await startRawServer(({ socket }) => {
    const { status, body, headers } = answers[Math.min(asked++, answers.length - 1)] ?? { status: 500, body: '' };
    socket.end(answer(status, body, headers));
  });
  const transport = createTransport({ baseUrl: server.url, userAgent: 'callsheet/test', key: () => KEY });
  open.push(server.close, transport.close);
  const { deps, refOf } = await accountAtHand([row]);
  const lines: unknown[] = [];
  const line = (...words: unknown[]): void => void lines.push(words);
  const log = { info: line, warn: line, error: line, debug: line };
  const served = openDependencies({ ...deps, transport, log });
  const input = { row: refOf(row), n: 1, grant: null };
  const results: unknown[] = [
    await new MockActivityEnvironment().run(submitActivities(served).submit, { ...input, sinceMs: 0 }),
  ];
  const poll = pollActivities(served).poll;
  const polled = new MockActivityEnvironment().run(poll, { ...input, expected: null, timeScale: 1 });
  results.push(await polled.catch((error: unknown) => String(error)));
  expect(server.wire()).toContain(KEY);
  const records: string[] = [];
  for await (const key of deps.home.store.list('a')) {
    records.push(key, Buffer.from((await deps.home.store.get(key)) ?? '').toString());
  }
  return JSON.stringify([records, lines, results]);
}

const echo = `as ${KEY} asked`;
const json = (value: object): string => JSON.stringify(value);

it.each([
  ['a revised prompt', image(), [{ status: 200, body: json({ data: [{ url: URL, revised_prompt: echo }] }) }], 'asked'],
  [
    'the URL of an output',
    image(),
    [{ status: 200, body: json({ data: [{ url: `${URL}?key=${KEY}` }] }) }],
    'out.example',
  ],
  [
    'a refusal',
    image(),
    [{ status: 400, body: json({ error: { code: KEY, message: echo, request_id: KEY } }) }],
    'asked',
  ],
  ['a page', image(), [{ status: 200, body: `<p>${echo}</p>` }], 'asked'],
  ['a Retry-After', image(), [{ status: 429, body: '', headers: { 'Retry-After': KEY } }], 'T4'],
  ['a handle', film(), [{ status: 200, body: json({ name: `models/${KEY}/1` }) }], 'models/[redacted]'],
  [
    'a failure',
    film(),
    [
      { status: 200, body: json({ name: 'h' }) },
      { status: 200, body: json({ name: 'h', done: true, error: { code: 3, message: echo } }) },
    ],
    'asked',
  ],
  [
    'a usage',
    task(),
    [
      { status: 200, body: json({ task_id: 'h' }) },
      { status: 200, body: json({ task: { status: 'succeeded', content: { url: URL }, usage: { by: echo } } }) },
    ],
    'asked',
  ],
])('I15: in %s', async (_name, row, answers, word) => {
  const left = await leftBehind(row, answers);
  expect(left).toContain(word);
  expect(left).not.toContain(KEY);
});
