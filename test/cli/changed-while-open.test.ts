// A row that is rendered or tried again has a record already; its attempt is as open as that of a row without one (B48).
import { expect, test } from 'vitest';
import { planRow } from '../../src/cli/plan/row-planner.js';
import type { Attempt } from '../../src/domain/attempt.js';
import type { RowRecord } from '../../src/domain/outcome.js';
import { rowRecord } from '../support/row-record.js';
import { rowOf } from './seeded-home.js';

const ROW = { ...rowOf('hero', 0), hash: 'new' };
const intent = (n: number): Attempt => {
  const place = { generation: 'g', part: 0, index: 0, kind: ROW.kind, expected: null };
  const claim = { ...place, state: 'intent', atMs: n, nonce: `${n}`, rowHash: 'old' } as const;
  return { n, states: [claim], torn: false };
};
const BY = { who: 'ann' };
const DONE = intent(1);
DONE.states.push({ state: 'created', atMs: 2, handle: 'h1' }, { state: 'rendered', atMs: 3, outputs: [], facts: {} });
const ENDED = intent(1);
ENDED.states.push(
  { state: 'created', atMs: 2, handle: 'h1' },
  { state: 'ended', atMs: 3, word: 'failed', message: '' },
);
const ORDERED: Attempt = {
  ...DONE,
  states: [...DONE.states, { state: 'overridden', atMs: 4, cause: 'rerun', by: BY }],
};
const OPEN: Attempt = { ...intent(2), states: [...intent(2).states, { state: 'created', atMs: 5, handle: 'h2' }] };

const changeOf = (record: Partial<RowRecord>, attempts: Attempt[]) =>
  planRow(ROW, rowRecord({ id: 'hero', kind: ROW.kind, rowHash: 'old', ...record }), attempts, null, false).changed;

test.each([
  ['rendered again', { rerunAtMs: 4, seenStates: 3 }, [ORDERED, OPEN]],
  ['retried', { status: 'failed', reasonCode: 'render_failed', seenStates: 3 }, [ENDED, OPEN]],
] as const)('a row that is being %s with the old values has not ended', (_, record, attempts) => {
  expect(changeOf(record, [...attempts])).toEqual({ submittedHash: 'old', isOpen: true });
});

test('one that is to be rendered again and was not sent yet, or ended with its job in doubt, may be paid for anew', () => {
  expect(changeOf({ rerunAtMs: 4, seenStates: 3 }, [ORDERED])).toMatchObject({ isOpen: false });
  const review = { status: 'review', reasonCode: 'poll_unreadable', seenStates: 2 } as const;
  expect(changeOf(review, [{ ...OPEN, n: 1 }])).toMatchObject({ isOpen: false });
});
