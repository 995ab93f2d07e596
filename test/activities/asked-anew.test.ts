// What counts as an answer to the question for a fresh URL: an output is given up only after one (design 5 F40).
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { downloadActivities } from '../../activities/download.js';
import type { Exchange } from '../../src/domain/exchange.js';
import { intent } from '../home/support/examples.js';
import { accountAtHand, plainRow } from './support/account-at-hand.js';

const FILM = plainRow('film', { kind: 'vendor-c/video', cells: { model: 'vendor-c-3.0-video', prompt: 'a bird' } });

/** Asks for a fresh URL of a film whose service answers so. */
async function ask(exchange: Exchange): Promise<boolean> {
  const { deps, clock, refOf, generation } = await accountAtHand([FILM]);
  const ref = { batch: 'b', id: 'film', n: 1 };
  const { nowMs: atMs } = clock;
  await deps.ledger.claim(ref, intent({ atMs, rowHash: FILM.hash, kind: FILM.kind, generation, index: 0 }));
  await deps.ledger.append(ref, { state: 'created', atMs, handle: 't-9' });
  await deps.ledger.append(ref, {
    state: 'rendered',
    atMs,
    outputs: [{ url: 'https://files.example/a.mp4' }],
    facts: {},
  });
  Object.assign(deps, { transport: { send: async () => exchange } });
  return new MockActivityEnvironment().run(downloadActivities(deps).askFreshUrl, { row: refOf(FILM), n: 1 });
}

const answered = (status: number, body: object): Exchange => ({
  outcome: 'answered',
  answer: {
    ...{ status, contentType: 'application/json', retryAfter: undefined },
    body: Buffer.from(JSON.stringify(body)),
  },
  tookMs: 1,
});

test.each([500, 503, 504, 401, 408, 425])('HTTP %d speaks of the service, not of the job', async (status) => {
  expect(await ask(answered(status, { detail: 'no' }))).toBe(false);
});

test('a broken line says nothing', async () => {
  expect(await ask({ outcome: 'lost', why: 'reset' } as never)).toBe(false);
});

test('what is said of the job is an answer, whatever it is', async () => {
  expect(await ask(answered(404, { detail: 'unknown task' }))).toBe(true);
  const output = { task_id: 't-9', task_status: 'SUCCEEDED', video_url: 'https://files.example/b.mp4' };
  expect(await ask(answered(200, { output }))).toBe(true);
});
