import { expect, test } from 'vitest';
import type { AttemptState } from '../../src/domain/attempt.js';
import { intentOf } from '../../src/domain/standing.js';
import { rowStanding, statesOf } from '../../src/home/row-standing.js';
import { seededHome, T0 } from './seeded-home.js';

const LOST: AttemptState = { state: 'unknown', atMs: T0 + 5_000, evidence: { rule: 'T11', message: 'reset' } };
const UNDECIDED: AttemptState = { state: 'verdict', atMs: T0 + 6_000, verdict: 'undecided', sentence: 'either' };
const AGAIN: AttemptState = { state: 'overridden', atMs: T0 + 7_000, cause: 'person', by: { who: 'ann' } };
const CREATED: AttemptState = { state: 'created', atMs: T0 + 8_000, handle: 'h' };
const RENDERED: AttemptState = { state: 'rendered', atMs: T0 + 9_000, outputs: [], facts: {} };
const FILE = { file: 'media/one.mp4', contentType: 'video/mp4', bytes: 5, sha256: 'a'.repeat(64) };

test('rerun lets another attempt follow every output that the row has', async () => {
  const home = await seededHome('b', [
    // Its answer came late, after it had been paid again.
    {
      id: 'one',
      intent: { rowHash: 'hash-one' },
      states: [LOST, UNDECIDED, AGAIN, CREATED, RENDERED],
      record: { files: [FILE], attempts: 2 },
    },
  ]);
  const [first] = await home.ledger.read('b', 'one');
  const intent = first && intentOf(first);
  if (intent === undefined) throw new Error('no claim');
  const second = { batch: 'b', id: 'one', n: 2 };
  await home.ledger.claim(second, intent);
  await home.ledger.append(second, { ...CREATED, handle: 'second' } as AttemptState);
  await home.ledger.append(second, RENDERED);
  await home.ledger.close(second);
  home.stopEngine(0);
  const ordered = await home.run('rerun', 'b', 'one', '--yes');
  expect(ordered.exitCode).toBe(0);
  const record = await home.records.readRecord('b', 'one');
  const attempts = await home.ledger.read('b', 'one');
  expect(record?.rerunAtMs).toBeGreaterThan(0);
  expect(statesOf(attempts)).toBeGreaterThan(0);
  expect(rowStanding(record, attempts, null, { hash: 'hash-one', mayRerun: false })).toEqual({
    ended: false,
    begins: 'submit',
    attempts: 2,
  });
});
