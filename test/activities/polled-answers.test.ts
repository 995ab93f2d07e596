// What an answer to a poll is worth that says nothing of the job (docs/guarantees.md; F36, F37, TH).
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it } from 'vitest';
import { pollActivities } from '../../activities/poll.js';
import { keptText } from '../../activities/row/closed-models.js';
import { salvageActivities } from '../../activities/salvage.js';
import type { AttemptState } from '../../src/domain/attempt.js';
import { accountAtHand, MINUTE_MS, plainRow } from './support/account-at-hand.js';

const MAINTENANCE = '<html>back in two minutes</html>';
const RUNNING = JSON.stringify({ name: 'h', done: false });
const ENDED = JSON.stringify({ name: 'h', done: true });
const OUTPUT = { generateVideoResponse: { generatedSamples: [{ video: { uri: 'https://example.com/a.mp4' } }] } };
const RENDERED = JSON.stringify({ name: 'h', done: true, response: OUTPUT });

async function stand(second: (atMs: number) => AttemptState, isHeard = true) {
  const row = plainRow('r', { kind: 'vendor-f/video', cells: { model: 'm', prompt: 'p' } });
  const { deps, clock, refOf } = await accountAtHand([row]);
  const ref = { batch: 'b', id: 'r', n: 1 };
  const { generation, part, index } = refOf(row);
  const intent = { state: 'intent', atMs: clock.nowMs, nonce: 'x', rowHash: row.hash, kind: row.kind } as const;
  await deps.ledger.claim(ref, { ...intent, generation, part, index, expected: null });
  await deps.ledger.append(ref, second(clock.nowMs));
  const said: { body: string; status: number; retryAfter?: string } = { body: '', status: 200 };
  const send = async () => {
    return { outcome: 'answered', answer: { ...said, body: Buffer.from(said.body) }, tookMs: 1 };
  };
  const messenger = { ...deps.messenger, release: async () => isHeard };
  const served = { ...deps, messenger, transport: { send } } as never;
  const input = { row: refOf(row), n: 1, grant: null, expected: null, timeScale: 1 };
  let heartbeatDetails: unknown;
  let attempt = 0;
  /** One try of the activity; gives its result, or how long it waits. */
  const poll = async (body: string, grant: number | null = null) => {
    said.body = body;
    attempt += 1;
    const environment = new MockActivityEnvironment({ attempt, heartbeatDetails });
    environment.on('heartbeat', (details) => {
      heartbeatDetails = details;
    });
    try {
      return await environment.run(pollActivities(served, async () => 'done').poll, { ...input, grant });
    } catch (error) {
      return (error as { nextRetryDelay?: number }).nextRetryDelay;
    }
  };
  const confirm = (body: string, tries = 9) => {
    said.body = body;
    const { confirmHandle } = salvageActivities(served);
    return new MockActivityEnvironment({ attempt: tries }).run(confirmHandle, { ...input, candidate: 0 });
  };
  const append = (state: AttemptState) => deps.ledger.append(ref, state);
  return { deps, row, clock, poll, confirm, said, append };
}

const created = (atMs: number): AttemptState => ({ state: 'created', atMs, handle: 'h' });

it('F36: a maintenance page on polls backs off, however long it stands, and the job goes on', async () => {
  const { clock, poll } = await stand(created);
  const gaps: unknown[] = [];
  for (let i = 0; i < 40; i += 1) {
    gaps.push(await poll(MAINTENANCE));
    clock.nowMs += 30_000;
  }
  expect(gaps.slice(3)).toEqual(Array(37).fill(25_000));
  expect(await poll(RUNNING)).toBe(25_000);
});

it.each([402, 408, 425])(
  'F36: %i on polls passes, however often it comes: the job is paid and goes on',
  async (status) => {
    const { clock, poll, said } = await stand(created);
    said.status = status;
    for (let i = 0; i < 5; i += 1) {
      expect(await poll('')).toBeTypeOf('number');
      clock.nowMs += 10 * MINUTE_MS;
    }
  },
);

it('F12: polls of a route that is not enabled are no loop: after ten minutes a person is asked', async () => {
  const { clock, poll, said } = await stand(created);
  said.status = 503;
  const closed = JSON.stringify({ detail: 'The vendor-f pass-through is not enabled for this account' });
  for (let i = 0; i < 2; i += 1) {
    expect(await poll(closed)).toBeTypeOf('number');
    clock.nowMs += 6 * MINUTE_MS;
  }
  expect(await poll(closed)).toMatchObject({ outcome: 'review', reason: 'poll_refused', text: 'HTTP 503' });
});

it('F37: an end without an output needs a person after so many answers over ten minutes, not before', async () => {
  const { deps, row, clock, poll } = await stand(created);
  for (let i = 0; i < 25; i += 1) expect(await poll(ENDED)).toBeTypeOf('number');
  clock.nowMs += 11 * MINUTE_MS;
  const slotUntilMs = expect.any(Number);
  // What was said may hold a prompt or a URL: it is kept in the home, and no history has it (I17).
  expect(await poll(ENDED)).toEqual({ outcome: 'review', reason: 'poll_unreadable', slotUntilMs });
  const last = { n: 1, states: [], torn: false };
  const kept = await keptText(deps, 'b', row, { reason: 'poll_unreadable', last });
  expect(kept).toContain(`; its answer began: ${ENDED}`);
});

it('F35, F37: refusals and ends without an output by turns need a person as either alone does', async () => {
  const { clock, poll, said } = await stand(created);
  const seen: unknown[] = [];
  for (let i = 0; i < 6; i += 1) {
    said.status = i % 2 === 0 ? 404 : 200;
    seen.push(await poll(i % 2 === 0 ? '{"detail":"no"}' : ENDED));
    clock.nowMs += 4 * MINUTE_MS;
  }
  expect(seen).toContainEqual(expect.objectContaining({ outcome: 'review', reason: 'handle_not_found' }));
});

it('TH: a handle is confirmed by a word of its job alone, not by an empty answer', async () => {
  const evidence = { rule: 'TH', message: 'cut' };
  const { confirm } = await stand((atMs) => ({ state: 'created_lost', atMs, evidence, salvagedHandle: 'h' }));
  expect(await confirm('{}')).toMatchObject({ confirmed: false, open: true });
  expect(await confirm(MAINTENANCE)).toMatchObject({ confirmed: false, open: true });
  expect(await confirm(RUNNING)).toMatchObject({ confirmed: true });
});

it('TH: a 429 to the poll of a lost handle says how long it asks to wait, and does not wait itself', async () => {
  const evidence = { rule: 'TH', message: 'cut' };
  const lost = await stand((atMs) => ({ state: 'created_lost', atMs, evidence, salvagedHandle: 'h' }));
  Object.assign(lost.said, { status: 429, retryAfter: '3600' });
  expect(await lost.confirm('', 1)).toEqual({ confirmed: false, more: false, open: true, waitMs: 3_600_000 });
  delete lost.said.retryAfter;
  await expect(lost.confirm('', 1)).rejects.toMatchObject({ type: 'service.unavailable' });
  expect(await lost.confirm('', 5)).toMatchObject({ confirmed: false, open: true });
});

it('TH: nor is a handle gone without because its row may be paid again', async () => {
  const evidence = { rule: 'TH', message: 'cut' };
  const { confirm, append } = await stand((atMs) => ({ state: 'created_lost', atMs, evidence, salvagedHandle: 'h' }));
  await append({ state: 'overridden', atMs: 2, cause: 'always', by: { who: 'policy' } });
  expect(await confirm(RENDERED)).toMatchObject({ confirmed: true });
});

it.each([
  { slot: 'was given back', isHeard: true, grant: 7, outcome: 'saved' },
  { slot: 'is still to be given back by its job', isHeard: false, grant: 7, outcome: 'rendered' },
  { slot: 'there is none of', isHeard: false, grant: null, outcome: 'saved' },
])('an output is saved with the poll that heard of it unless that would hold a slot: one that $slot', async (given) => {
  const { poll } = await stand(created, given.isHeard);
  expect(await poll(RENDERED, given.grant)).toMatchObject({ outcome: given.outcome });
});
