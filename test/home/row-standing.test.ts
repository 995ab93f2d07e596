import { describe, expect, it } from 'vitest';
import type { Attempt, AttemptState } from '../../src/domain/attempt.js';
import type { RowRecord } from '../../src/domain/outcome.js';
import { rowStanding } from '../../src/home/row-standing.js';
import { rowRecord } from '../support/row-record.js';

const intent = (rowHash = 'h'): AttemptState => ({
  state: 'intent',
  atMs: 1,
  nonce: 'n',
  rowHash,
  kind: 'svc/image',
  generation: 'g',
  part: 0,
  index: 0,
  expected: null,
});
const of = (hash: string, mayRerun = true) => ({ hash, mayRerun });
const attempt = (...states: AttemptState[]): Attempt => ({ n: 1, states, torn: false });
const record = (change: Partial<RowRecord> = {}) =>
  rowRecord({ creditsNano: 5, creditsBasis: 'price-book', finishedAtMs: 100, ...change });
const created: AttemptState = { state: 'created', atMs: 2, handle: 'x' };
const rendered: AttemptState = { state: 'rendered', atMs: 3, outputs: [], facts: {} };
const refused: AttemptState = { state: 'refused', atMs: 2, rule: 'T3', next: 'fail_row', message: 'no' };
const unknown: AttemptState = { state: 'unknown', atMs: 2, evidence: { rule: 'T11', message: 'reset' } };

describe('where a row stands when it is paged', () => {
  it.each<[string, Attempt[], string]>([
    ['nothing was tried', [], 'submit'],
    ['the last attempt was refused', [attempt(intent(), refused)], 'submit'],
    ['a handle is on record', [attempt(intent(), created)], 'poll'],
    ['a claim has no answer', [attempt(intent())], 'case'],
    ['a claim was torn', [{ n: 1, states: [], torn: true }], 'case'],
    ['an answer was lost', [attempt(intent(), unknown)], 'case'],
    ['outputs are known and not stored', [attempt(intent(), created, rendered)], 'download'],
  ])('%s', (_, attempts, begins) => {
    expect(rowStanding(undefined, attempts, null, of('h'))).toEqual({
      ended: false,
      begins,
      attempts: attempts.length,
    });
  });

  it('goes on to fetch a paid output that is waited for, and never submits because of it (F40)', () => {
    const waiting = record({ status: 'review', reasonCode: 'output_pending', seenStates: 3 });
    const ended = { ended: true, status: 'review', creditsNano: 5 };
    const again = { ended: false, begins: 'download', attempts: 1 };
    expect(rowStanding(waiting, [attempt(intent(), created, rendered)], null, { hash: 'h', mayRerun: false })).toEqual(
      again,
    );
    // Fresh URLs came meanwhile, or the service has it no more.
    expect(
      rowStanding(waiting, [attempt(intent(), created, rendered, rendered)], null, { hash: 'h', mayRerun: false }),
    ).toEqual(again);
    const gone: AttemptState = { state: 'ended', atMs: 4, word: 'expired', message: '' };
    expect(
      rowStanding(waiting, [attempt(intent(), created, rendered, gone)], null, { hash: 'h', mayRerun: false }),
    ).toEqual(again);
    // Where the ledger was not read it must be; where it knows of no output nothing is done.
    expect(rowStanding(waiting, null, null, { hash: 'h', mayRerun: false }).ended).toBe(false);
    expect(rowStanding({ ...waiting, seenStates: 0 }, [], null, { hash: 'h', mayRerun: false })).toEqual(ended);
  });

  it('is ended by its record, with what it cost (I9)', () => {
    expect(rowStanding(record(), [], null, of('h'))).toEqual({ ended: true, status: 'done', creditsNano: 5 });
  });

  it('is run again by a retry only when it failed before the order, in the class that was asked for', () => {
    const failed = record({ status: 'failed', reasonCode: 'render_failed' });
    const order = { beforeMs: 200, classes: [] };
    expect(rowStanding(failed, [], order, of('h')).ended).toBe(false);
    expect(rowStanding(failed, [], { ...order, beforeMs: 100 }, of('h')).ended).toBe(true);
    expect(rowStanding(failed, [], { ...order, classes: ['invalid_request'] }, of('h')).ended).toBe(true);
    expect(rowStanding(failed, [], { ...order, classes: ['render_failed'] }, of('h')).ended).toBe(false);
    expect(rowStanding(record(), [], order, of('h')).ended).toBe(true);
    expect(rowStanding(record({ status: 'review' }), [], order, of('h')).ended).toBe(true);
  });

  it('4-U1: is paid again for changed content only by order (design 2, running again)', () => {
    const changed = { ended: true, status: 'review', creditsNano: 5 };
    const old = record({ rowHash: 'old' });
    expect(rowStanding(old, [], null, of('new', false))).toEqual(changed);
    expect(rowStanding(old, [], null, of('new', true)).ended).toBe(false);
    // Its old values back, it is what it was.
    expect(rowStanding(old, [], null, of('old', false))).toMatchObject({ ended: true, status: 'done' });
    // What was rendered and not fetched yet is fetched, not paid for once more.
    const paid = [attempt(intent('old'), created, rendered)];
    expect(rowStanding(undefined, paid, null, of('new', false))).toMatchObject({ begins: 'download' });
    expect(rowStanding(undefined, paid, null, of('new', true))).toMatchObject({ begins: 'submit' });
    // What never cost anything just runs.
    const failed = record({ rowHash: 'old', status: 'failed', creditsNano: 0 });
    expect(rowStanding(failed, [attempt(intent('old'), refused)], null, of('new', false))).toMatchObject({
      begins: 'submit',
    });
  });

  it('is a new request when its content changed, unless an attempt of the old content still runs', () => {
    const done = [attempt(intent('old'), created, rendered)];
    expect(rowStanding(record({ rowHash: 'old' }), done, null, of('new'))).toMatchObject({
      ended: false,
      begins: 'submit',
    });
    const running = [attempt(intent('old'), created)];
    expect(rowStanding(undefined, running, null, of('new'))).toMatchObject({ ended: false, begins: 'poll' });
  });
});

describe('a record that the ledger outdid (design 3: a late state wins)', () => {
  const lost = attempt(intent(), unknown);
  const undecided: AttemptState = { state: 'verdict', atMs: 3, verdict: 'undecided', sentence: 'nobody knows' };
  const inReview = record({ status: 'review', reasonCode: 'answer_lost_undecided', seenStates: 3 });
  const cases: [string, AttemptState, string][] = [
    ['F51: a paused process brings the handle', created, 'poll'],
    ['a person gives the handle', { state: 'attached', atMs: 4, handle: 'x', by: { who: 'ann' } }, 'poll'],
    ['a person gives the attempt up', { state: 'ruled', atMs: 4, ruling: 'billed', by: { who: 'ann' } }, 'case'],
    ['a person pays again', { state: 'overridden', atMs: 4, cause: 'person', by: { who: 'ann' } }, 'submit'],
  ];

  it('stands while the ledger says what it said then', () => {
    const attempts = [{ ...lost, states: [...lost.states, undecided] }];
    expect(rowStanding(inReview, attempts, null, of('h'))).toMatchObject({ ended: true, status: 'review' });
  });

  it.each(cases)('%s: the row goes on', (_, late, begins) => {
    const attempts = [{ ...lost, states: [...lost.states, undecided, late] }];
    expect(rowStanding(inReview, attempts, null, of('h'))).toEqual({ ended: false, begins, attempts: 1 });
  });

  it('a late output of a row that was given up as failed is fetched', () => {
    const failed = record({ status: 'failed', reasonCode: 'marked_unbilled', seenStates: 3 });
    const attempts = [{ ...lost, states: [...lost.states, undecided, created, rendered] }];
    expect(rowStanding(failed, attempts, null, of('h'))).toEqual({ ended: false, begins: 'download', attempts: 1 });
  });

  it('a rerun that was lost and found unbilled is over; an order that was given after that renders once more', () => {
    const ruled: AttemptState = { state: 'ruled', atMs: 4, ruling: 'not_billed', by: { who: 'ann' } };
    const attempts = [{ ...lost, states: [...lost.states, ruled] }];
    const ordered = (seenStates: number) => record({ seenStates, rerunAtMs: 5 });
    expect(rowStanding(ordered(2), attempts, null, of('h'))).toMatchObject({ ended: false, begins: 'case' });
    expect(rowStanding(ordered(3), attempts, null, of('h'))).toMatchObject({ ended: false, begins: 'submit' });
  });

  it('what is done stays done', () => {
    expect(rowStanding(record({ seenStates: 3 }), [lost], null, of('h')).ended).toBe(true);
  });
});
