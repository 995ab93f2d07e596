// A row whose last attempt cost nothing, and whose earlier one was billed after all: a person's order settles it.
import { expect, test } from 'vitest';
import type { AttemptState } from '../../src/domain/attempt.js';
import { intentOf, standingOf } from '../../src/domain/standing.js';
import { intent } from '../home/support/examples.js';
import { seededHome, T0 } from './seeded-home.js';

const LOST: AttemptState = { state: 'unknown', atMs: T0 + 5_000, evidence: { rule: 'T11', message: 'reset' } };
const verdict = (found: 'billed' | 'not_billed', atMs: number): AttemptState => ({
  ...{ state: 'verdict', atMs, verdict: found, sentence: 'the balance said so' },
});
const FAILED: AttemptState[] = [
  { state: 'created', atMs: T0 + 700_000, handle: 'op-2' },
  { state: 'ended', atMs: T0 + 800_000, word: 'failed', message: 'no' },
];

test.each([
  ['mark-lost', 'given_up'],
  ['resubmit', 'overridden'],
])('review %s: the order is about the attempt that was billed', async (command, standing) => {
  const states = [LOST, verdict('not_billed', T0 + 600_000), verdict('billed', T0 + 900_000)];
  const record = {
    status: 'review',
    reasonCode: 'verdict_contradicted',
    attempts: 2,
    rowHash: 'hash',
    seenStates: 7,
  } as const;
  const home = await seededHome('b', [{ id: 'one', row: { hash: 'hash' }, states, record }]);
  const [first] = await home.ledger.read('b', 'one');
  const generation = (first && intentOf(first)?.generation) ?? '';
  const again = { batch: 'b', id: 'one', n: 2 };
  const claimed = { atMs: T0 + 650_000, rowHash: 'hash', kind: 'vendor-f/video', generation, index: 0 } as const;
  await home.ledger.claim(again, intent(claimed));
  for (const state of FAILED) await home.ledger.append(again, state);
  home.stopEngine();
  const { stderr } = await home.run('review', command, 'b', 'one', '--yes');
  expect(stderr).not.toContain('went on meanwhile');
  expect((await home.ledger.read('b', 'one')).map(standingOf)).toEqual([standing, 'ended']);
});
