// The service's own answer after its row has ended without it: what was paid for is fetched, not left until the next run.
import { expect, test } from 'vitest';
import { goOnIfLate } from '../../activities/row/late-answer.js';
import { salvageActivities } from '../../activities/salvage.js';
import type { AttemptState } from '../../src/domain/attempt.js';
import { intent } from '../home/support/examples.js';
import { accountAtHand, MINUTE_MS, plainRow } from './support/account-at-hand.js';

const KIND = 'vendor-a/text2video' as const;
const ROW = plainRow('r', { kind: KIND, cells: { prompt: 'a' } });
const REF = { batch: 'b', id: 'r', n: 1 };

type Verdict = Extract<AttemptState, { state: 'verdict' }>['verdict'];

async function answered(
  last: 'created' | 'refused',
  { verdict = 'billed' as Verdict, isOpen = false, laterMs = MINUTE_MS } = {},
) {
  const { deps, clock, refOf, generation } = await accountAtHand([ROW]);
  const told: string[] = [];
  deps.messenger.reopen = async ({ row }) => {
    told.push(`reopen ${row.id}`);
    return isOpen;
  };
  deps.messenger.confirmLate = async ({ row, n }) => void told.push(`fetch ${row.id}/${n}`);
  const atMs = clock.nowMs;
  await deps.ledger.claim(REF, intent({ atMs, rowHash: ROW.hash, kind: KIND, generation, index: 0 }));
  await deps.ledger.append(REF, { state: 'unknown', atMs, evidence: { rule: 'T12', message: 'gone' } });
  await deps.ledger.append(REF, { state: 'verdict', atMs, verdict, sentence: 'by the balance' });
  clock.nowMs += laterMs;
  const answer = {
    created: { state: 'created', atMs: clock.nowMs, handle: '8123' },
    refused: { state: 'refused', atMs: clock.nowMs, rule: 'S1', next: 'retry_sync', message: 'no' },
  } as const;
  await deps.ledger.append(REF, answer[last]);
  await goOnIfLate(deps, REF, ROW, atMs);
  return { told, confirm: () => salvageActivities(deps).confirmHandle({ row: refOf(ROW), n: 1, candidate: 0 }) };
}

test('F51: the batch that runs goes on with the row; beside one that has ended its output is fetched', async () => {
  expect((await answered('created', { isOpen: true })).told).toEqual(['reopen r']);
  expect((await answered('created', { verdict: 'undecided' })).told).toEqual(['reopen r', 'fetch r/1']);
});

test('of a refusal there is nothing to fetch: the row goes on with its batch', async () => {
  expect((await answered('refused')).told).toEqual(['reopen r']);
});

test('what is sent again by itself, or was never thought lost, is nobody’s news', async () => {
  expect((await answered('created', { verdict: 'not_billed' })).told).toEqual([]);
  expect((await answered('created', { laterMs: 1_000 })).told).toEqual([]);
});

test('no poll has to confirm a handle that its own answer brought', async () => {
  expect(await (await answered('created')).confirm()).toEqual({ confirmed: true, more: false });
});
