import type { AttemptState, Intent } from '../../../src/domain/attempt.js';
import type { RowRecord } from '../../../src/domain/outcome.js';
import type { StoredRow } from '../../../src/home/row-records.js';
import { rowRecord } from '../../support/row-record.js';

/** Whole, valid values that a test changes in one place. */

export function intent(over: Partial<Intent> = {}): Intent {
  return {
    state: 'intent',
    atMs: 1_700_000_000_000,
    nonce: 'a'.repeat(64),
    rowHash: 'b'.repeat(64),
    kind: 'svc/image',
    generation: '0123456789abcdef',
    part: 0,
    index: 7,
    expected: { lo: 1_000, hi: 2_000 },
    ...over,
  };
}

const evidence = { rule: 'T11', phase: 'body', message: 'reset' };

export const states = {
  intent: intent(),
  void: { state: 'void', atMs: 1, why: 'nobody sent it' },
  refused: { state: 'refused', atMs: 1, rule: 'T3', next: 'fail_row', status: 400, message: 'no' },
  created: { state: 'created', atMs: 1, handle: 'job/1' },
  done: { state: 'done', atMs: 1, outputs: [{ url: 'https://cdn.example/a.png' }], facts: { seed: 3 } },
  created_lost: { state: 'created_lost', atMs: 1, evidence },
  unknown: { state: 'unknown', atMs: 1, evidence },
  verdict: { state: 'verdict', atMs: 1, verdict: 'billed', sentence: 'the balance fell by 0.28' },
  attached: { state: 'attached', atMs: 1, handle: 'job/9', by: { who: 'ann', why: 'support found it' } },
  ruled: { state: 'ruled', atMs: 1, ruling: 'billed', by: { who: 'ann' } },
  overridden: { state: 'overridden', atMs: 1, cause: 'person', by: { who: 'ann' } },
  rendered: { state: 'rendered', atMs: 1, outputs: [{ url: 'https://cdn.example/a.mp4' }], facts: {} },
  ended: { state: 'ended', atMs: 1, word: 'failed', message: 'no faces' },
} as const satisfies Record<AttemptState['state'], AttemptState>;

export function storedRow(index: number, over: Partial<StoredRow['row']> = {}): StoredRow {
  const id = over.id ?? `row-${index}`;
  return {
    row: {
      index,
      line: index + 2,
      id,
      kind: 'svc/image',
      stem: id,
      cells: { model: 'svc-alpha.2-klein-4b', prompt: `a "prompt", ${index}\nü`, width: 1024 },
      media: {},
      hash: 'c'.repeat(64),
      ...over,
    },
    raw: { id, kind: 'svc/image', prompt: `a "prompt", ${index}\nü` },
  };
}

/** A record with every part filled in. */
export function wholeRecord(id: string, over: Partial<RowRecord> = {}): RowRecord {
  return rowRecord({
    id,
    files: [{ file: `media/${id}.png`, contentType: 'image/png', bytes: 3, sha256: 'd'.repeat(64), width: 1 }],
    usage: { tokens: [1, null, 'x'] },
    creditsNano: 600_000,
    creditsBasis: 'price-book',
    rowHash: 'c'.repeat(64),
    ...over,
  });
}
