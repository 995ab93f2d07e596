import { describe, expect, it } from 'vitest';
import type { Attempt, AttemptState } from '../../src/domain/attempt.js';
import type { OutputFile } from '../../src/domain/outcome.js';
import { keepEarlier } from '../../src/home/earlier-render.js';
import { keepPresent } from '../../src/home/present-render.js';
import { rowStanding } from '../../src/home/row-standing.js';
import { rowRecord } from '../support/row-record.js';

const FILE: OutputFile = { file: 'media/a.png', contentType: 'image/png', bytes: 5, sha256: 'a'.repeat(64) };
const ORDERED = rowRecord({ files: [FILE], creditsNano: 5, rerunAtMs: 50, seenStates: 2 });
const intent: AttemptState = {
  ...{ state: 'intent', atMs: 1, nonce: 'n', rowHash: 'h', kind: 'svc/image' },
  ...{ generation: 'g', part: 0, index: 0, expected: null },
};
const done: AttemptState = { state: 'done', atMs: 2, outputs: [], facts: {} };
const overridden: AttemptState = { state: 'overridden', atMs: 3, cause: 'rerun', by: { who: 'ann' } };
const attempt = (n: number, ...states: AttemptState[]): Attempt => ({ n, states, torn: false });
const content = { hash: 'h', mayRerun: false };

describe('another render that a person ordered', () => {
  it('is made once: the attempt that follows the order stands for it', () => {
    const first = attempt(1, intent, done, overridden);
    expect(rowStanding(ORDERED, [first], null, content)).toEqual({ ended: false, begins: 'submit', attempts: 1 });
    const claimed = attempt(2, intent);
    expect(rowStanding(ORDERED, [first, claimed], null, content)).toEqual({
      ended: false,
      begins: 'case',
      attempts: 2,
    });
    const came = attempt(2, intent, done);
    expect(rowStanding(ORDERED, [first, came], null, content)).toEqual({
      ended: false,
      begins: 'download',
      attempts: 2,
    });
    const { rerunAtMs: _ended, ...over } = ORDERED;
    expect(rowStanding({ ...over, seenStates: 5 }, [first, came], null, content)).toMatchObject({ ended: true });
  });

  it.each(['failed', 'cancelled', 'not_started', 'lost_paid'] as const)('%s: the row stays done', (status) => {
    const ended = rowRecord({ status, reasonCode: 'render_failed', attempts: 2, creditsNano: 5, seenStates: 5 });
    expect(keepEarlier(ORDERED, ended)).toEqual({
      ...rowRecord({ files: [FILE], creditsNano: 5, attempts: 2, seenStates: 5, flags: ['rerun_failed'] }),
      reason: 'it was to be rendered again, and the earlier file stays (render_failed)',
      rerunFailedFor: 'render_failed',
    });
    expect(keepEarlier(rowRecord(), ended)).toEqual(ended);
  });

  it('keeps its old file while a person has to say what became of the new one, and once that has failed', () => {
    const review = rowRecord({ status: 'review', reasonCode: 'answer_lost_undecided', creditsBasis: 'unknown' });
    const kept = keepEarlier(ORDERED, review);
    expect(kept).toEqual({ ...review, files: [FILE], hasEarlierFiles: true });
    const failed = keepEarlier(kept, rowRecord({ status: 'failed', reasonCode: 'answer_lost_unbilled' }));
    expect(failed).toMatchObject({ status: 'done', files: [FILE], flags: ['rerun_failed'] });
    expect(failed).not.toHaveProperty('hasEarlierFiles');
    expect(keepEarlier(kept, rowRecord({ files: [FILE] }))).toEqual(rowRecord({ files: [FILE] }));
  });
});

describe('the end of an attempt for earlier values of a row', () => {
  const present = rowRecord({ files: [FILE], creditsNano: 5, rowHash: 'now', seenStates: 2 });
  const late = rowRecord({
    files: [{ ...FILE, file: 'media/a.v2.png' }],
    creditsNano: 9,
    rowHash: 'old',
    seenStates: 5,
  });

  it('leaves the output of its present ones in place, and says what it brought', () => {
    const kept = keepPresent(present, late, 'now');
    expect(kept).toMatchObject({ status: 'done', rowHash: 'now', files: [FILE], creditsNano: 9, seenStates: 5 });
    expect(kept.warnings).toEqual(['an attempt for other values of the row brought media/a.v2.png late']);
    const lost = { ...late, status: 'review' as const, reasonCode: 'answer_lost_undecided' as const, files: [] };
    const told = ['an attempt for other values of the row ended review (answer_lost_undecided)'];
    const failedBefore = { ...present, flags: ['rerun_failed' as const] };
    expect(keepPresent(failedBefore, lost, 'now')).toMatchObject({
      ...{ status: 'done', files: [FILE], warnings: told, flags: ['rerun_failed'] },
    });
  });

  it('is said once, however often it is written', () => {
    const once = keepPresent(present, late, 'now');
    expect(keepPresent(once, late, 'now')).toEqual(once);
  });

  it('stands where the row has its earlier values back, and where nothing else is done', () => {
    expect(keepPresent(present, late, 'old')).toBe(late);
    expect(keepPresent({ ...present, status: 'failed' }, late, 'now')).toBe(late);
    expect(keepPresent(undefined, late, 'now')).toBe(late);
  });
});
