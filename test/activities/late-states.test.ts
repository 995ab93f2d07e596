import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { inspect, settleActivities } from '../../activities/settle.js';
import { submitActivities } from '../../activities/submit.js';
import { lostAtMs } from '../../src/books/waits.js';
import type { AttemptState } from '../../src/domain/attempt.js';
import { writeBatchOrder } from '../../src/home/batch-order.js';
import { reserveWaste } from '../../src/home/waste-book.js';
import { createTransport } from '../../src/service/transport.js';
import { serve, status } from '../download/broken-server.js';
import { intent } from '../home/support/examples.js';
import { accountAtHand, MINUTE_MS, plainRow } from './support/account-at-hand.js';

// The ledger is read again before whatever may pay again: a late state wins.

const atMs = 1_700_000_000_001;
const LOST: AttemptState = { state: 'unknown', atMs, evidence: { rule: 'T12', message: 'lost' } };
const UNBILLED: AttemptState = { state: 'verdict', atMs, verdict: 'not_billed', sentence: 'nothing left the balance' };
const UNDECIDED: AttemptState = { state: 'verdict', atMs, verdict: 'undecided', sentence: 'either' };
const AGAIN: AttemptState = { state: 'overridden', atMs, cause: 'always', by: { who: 'policy' } };
const LATE: AttemptState = { state: 'created', atMs: atMs + 5, handle: 'task-1' };

test.each<[string, AttemptState[]]>([
  ['found not billed', [LOST, UNBILLED]],
  ['undecided and paid again by `always`', [LOST, UNDECIDED, AGAIN]],
])('the late handle of an attempt that was %s, during the turn, keeps the next from being sent', async (_, states) => {
  const row = plainRow('r', { kind: 'vendor-a/text2video', cells: { prompt: 'a bird' } });
  const { deps, refOf, generation } = await accountAtHand([row]);
  await writeBatchOrder(deps.home, 'b', {
    limits: { maxCreditsNano: null, maxFailures: null },
    policy: { ambiguity: 'always', retries: 0, wasteMaxNano: 1e9 },
  });
  const ref = { batch: 'b', id: 'r', n: 1 };
  const place = { kind: row.kind, generation, part: 0, index: 0, expected: null };
  await deps.ledger.claim(ref, { state: 'intent', atMs, nonce: 'n', rowHash: row.hash, ...place });
  for (const state of states) await deps.ledger.append(ref, state);
  const server = await serve(status(400));
  const transport = createTransport({ baseUrl: `http://127.0.0.1:${server.port}`, userAgent: 'x', key: () => 'k' });
  const requests = {
    leaves: () => undefined,
    turn: async () => {
      // The worker that was cut off has its answer at last.
      await deps.ledger.append(ref, LATE);
      return 0;
    },
  };
  const { submit } = submitActivities({ ...deps, transport, requests } as typeof deps);
  const input = { row: refOf(row), n: 2, grant: null, sinceMs: atMs + 1 };
  const result = await new MockActivityEnvironment().run(submit, input);
  await transport.close();
  expect({ sent: server.requests.length, result }).toMatchObject({
    sent: 0,
    result: { outcome: 'standing', n: 1, standing: 'created' },
  });
});

test('a handle that comes while the payment is granted is not overridden', async () => {
  const row = plainRow('r', { kind: 'vendor-a/text2video', cells: { prompt: 'a bird' } });
  const { deps, clock, refOf, generation } = await accountAtHand([row]);
  const ref = { batch: 'b', id: 'r', n: 1 };
  const atMs = clock.nowMs;
  await deps.ledger.claim(ref, intent({ atMs, rowHash: row.hash, kind: row.kind, generation, index: 0 }));
  await deps.ledger.append(ref, { state: 'unknown', atMs, evidence: { rule: 'T12', message: 'lost' } });
  await deps.ledger.append(ref, { state: 'verdict', atMs, verdict: 'undecided', sentence: 'either' });
  await reserveWaste(deps.home, ref, 1, { maxNano: 10, atMs });
  // The waste book is read between the look and the record.
  const { names } = deps.home.store;
  let isLate = false;
  deps.home.store.names = async (key: string) => {
    const found = await names.call(deps.home.store, key);
    if (!isLate && key === deps.home.keys.wastes('b')) {
      isLate = true;
      await deps.ledger.append(ref, { state: 'created', atMs: atMs + 1, handle: 'task-1' });
    }
    return found;
  };
  const result = await settleActivities(deps).override({ row: refOf(row), n: 1, cause: 'always' });
  expect(isLate).toBe(true);
  expect(result).toMatchObject({ outcome: 'standing', result: { standing: 'created' } });
});

test('a home that is slow to read makes no case older than the death of its process', async () => {
  const row = plainRow('r', { kind: 'vendor-a/text2video', cells: { prompt: 'a' } });
  const { deps, clock, generation } = await accountAtHand([row]);
  const ref = { batch: 'b', id: 'r', n: 1 };
  await deps.ledger.claim(
    ref,
    intent({ atMs: clock.nowMs, rowHash: row.hash, kind: row.kind, generation, index: 0, caller: 'x' }),
  );
  let goneAtMs = 0;
  const { readAttempt } = deps.ledger;
  const ledger = {
    ...deps.ledger,
    readAttempt: async (one: typeof ref) => {
      // The bucket answers late, twice.
      if (goneAtMs === 0) clock.nowMs += MINUTE_MS;
      return readAttempt(one);
    },
  };
  const callers = {
    own: null,
    isGone: () => {
      goneAtMs = clock.nowMs;
      return true;
    },
  };
  await inspect({ ...deps, ledger, callers } as never, ref);
  const attempt = await deps.ledger.readAttempt(ref);
  expect(attempt && lostAtMs(deps, row.kind, attempt)).toBeGreaterThanOrEqual(goneAtMs);
});
