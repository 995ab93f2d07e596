// A row that ends for what feeds it says that, and not what the service said of an attempt before.
import { expect, test } from 'vitest';
import { endRow } from '../../activities/row/record.js';
import type { AttemptState } from '../../src/domain/attempt.js';
import type { ReasonCode } from '../../src/domain/failure.js';
import { accountAtHand, plainRow } from './support/account-at-hand.js';

const atMs = 1_700_000_000_001;
const REFUSED: AttemptState = { state: 'refused', atMs, rule: 'T3', next: 'fail_row', status: 400, message: 'bad' };

test.each<[ReasonCode, string]>([
  ['input_unfit', 'a.png is 32x32'],
  ['input_changed', 'a.png is 32x32'],
  ['invalid_request', '400 bad; a.png is 32x32'],
])('%s', async (reason, told) => {
  const row = plainRow('r');
  const { deps, refOf, generation } = await accountAtHand([row]);
  const place = { kind: row.kind, generation, part: 0, index: 0, expected: null };
  const ref = { batch: 'b', id: 'r', n: 1 };
  await deps.ledger.claim(ref, { state: 'intent', atMs, nonce: 'n', rowHash: row.hash, ...place });
  await deps.ledger.append(ref, REFUSED);
  const messenger = { ...deps.messenger, rowFinished: async () => true };
  await endRow({ ...deps, messenger }, refOf(row), { status: 'failed', reason, text: 'a.png is 32x32' });
  expect((await deps.records.readRecord('b', 'r'))?.reason).toBe(told);
});
