// A late verdict is for the attempt that the row's record tells of, and a late job is carried on where nothing else was paid.
import { expect, test } from 'vitest';
import { carryOut } from '../../src/books/carry-out.js';
import { contradict } from '../../src/books/contradict.js';
import type { AttemptState } from '../../src/domain/attempt.js';
import type { RowRecord } from '../../src/domain/outcome.js';
import { rowStanding, statesOf } from '../../src/home/row-standing.js';
import { accountAtHand, plainRow } from '../activities/support/account-at-hand.js';
import { intent, states } from '../home/support/examples.js';
import { rowRecord } from '../support/row-record.js';

const ROW = plainRow('r', { kind: 'vendor-a/text2video', cells: { prompt: 'a' } });
const found = (verdict: 'billed' | 'not_billed' | 'undecided', atMs = 3): AttemptState => ({
  ...{ state: 'verdict', atMs, verdict, sentence: 'the balance said so' },
});

/** A row with two attempts and the record that was written after them. */
async function rowWith(hashes: string[], attempts: AttemptState[][], record: Partial<RowRecord>) {
  const { deps, generation } = await accountAtHand([ROW]);
  Object.assign(deps.messenger, { rowFinished: async () => true });
  for (const [i, later] of attempts.entries()) {
    const ref = { batch: 'b', id: 'r', n: i + 1 };
    const rowHash = hashes[i] ?? ROW.hash;
    await deps.ledger.claim(ref, intent({ atMs: i + 1, rowHash, kind: ROW.kind, generation, index: 0 }));
    for (const state of later) await deps.ledger.append(ref, state);
  }
  const seenStates = statesOf(await deps.ledger.read('b', 'r'));
  const ended = rowRecord({ id: 'r', kind: ROW.kind, rowHash: ROW.hash, attempts: 2, seenStates, ...record });
  await deps.records.writeRecord('b', ended);
  const first = { batch: 'b', id: 'r', n: 1 };
  return { deps, first, record: () => deps.records.readRecord('b', 'r') };
}

test('a bill that came back of the old values says nothing of the attempt that was made for the new ones', async () => {
  const lost = { status: 'lost_paid', reasonCode: 'answer_lost_billed' } as const;
  const both = [
    [states.unknown, found('billed')],
    [states.unknown, found('billed', 5)],
  ];
  const { deps, first, record } = await rowWith(['old', ROW.hash], both, lost);
  const back = found('not_billed', 9);
  await deps.ledger.append(first, back);
  const attempt = await deps.ledger.readAttempt(first);
  if (attempt) await carryOut(deps.books, first, attempt, { verdict: 'not_billed', sentence: 'it came back' });
  expect(await record()).toMatchObject(lost);
});

test('the late job of an attempt that was found not billed goes on where the attempt behind it cost nothing', async () => {
  const failed = { status: 'failed', reasonCode: 'invalid_request' } as const;
  const { deps, first, record } = await rowWith([], [[states.unknown, found('not_billed')], [states.refused]], failed);
  await deps.ledger.append(first, states.created);
  const attempt = await deps.ledger.readAttempt(first);
  if (attempt) await contradict(deps.books, first, attempt, 'a late answer shows that the job exists');
  const standing = rowStanding(await record(), await deps.ledger.read('b', 'r'), null, {
    hash: ROW.hash,
    mayRerun: false,
  });
  expect(standing).toEqual({ ended: false, begins: 'poll', attempts: 1 });
});

test.each([
  ['the attempt behind it was made for other values', ['old', ROW.hash], ROW.hash, { ended: true, status: 'review' }],
  ['the row was edited since', ['old', 'old'], ROW.hash, { ended: false, begins: 'poll', attempts: 1 }],
] as const)('a late job is no reason to send the row again: %s', async (_why, hashes, hash, standing) => {
  const failed = { status: 'failed', reasonCode: 'invalid_request', rowHash: hashes[1] } as const;
  const both = [[states.unknown, found('not_billed')], [states.refused]];
  const { deps, first, record } = await rowWith([...hashes], both, failed);
  await deps.ledger.append(first, states.created);
  const attempt = await deps.ledger.readAttempt(first);
  if (attempt) await contradict(deps.books, first, attempt, 'a late answer shows that the job exists');
  const content = { hash, mayRerun: false };
  expect(rowStanding(await record(), await deps.ledger.read('b', 'r'), null, content)).toMatchObject(standing);
});
