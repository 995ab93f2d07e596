import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { afterFailedTry, type FailedTry, ROW_WAITS_MS, tryGapMs } from '../../src/domain/output-tries.js';
import { factsOf, KINDS } from '../../src/kinds/facts.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const failed = (change: Partial<FailedTry> = {}): FailedTry => ({
  end: 'refused',
  tries: 1,
  elapsedMs: 0,
  triedMs: 0,
  lifeLeftMs: DAY_MS,
  asked: null,
  waitsMs: ROW_WAITS_MS,
  ...change,
});
const askedOf = (times: number, agoMs: number) => ({ times, agoMs, isAnswered: times > 0 });
const next = (change: Partial<FailedTry>) => afterFailedTry(failed(change));

describe('F40: when a paid output is tried again', () => {
  it('the gaps double to ten minutes', () => {
    const gaps = [1, 2, 3, 8, 9, 10, 11, 1_000].map((tries) => tryGapMs(tries) / SECOND_MS);
    expect(gaps).toEqual([2, 4, 8, 256, 512, 600, 600, 600]);
  });

  it('the row waits a quarter of an hour to the second, then it ends while the fetching goes on', () => {
    expect(next({ tries: 10, elapsedMs: 14 * MINUTE_MS })).toEqual({ next: 'again', delayMs: MINUTE_MS });
    expect(next({ tries: 11, elapsedMs: 15 * MINUTE_MS })).toEqual({ next: 'pending' });
    expect(next({ tries: 50, elapsedMs: DAY_MS / 2, waitsMs: null })).toEqual({
      next: 'again',
      delayMs: 10 * MINUTE_MS,
    });
    expect(next({ tries: 1, elapsedMs: 0, waitsMs: 0 })).toEqual({ next: 'pending' });
  });

  it('a machine that slept with its first try on the way tries again before the row ends without its output', () => {
    const slept = { end: 'unanswered', elapsedMs: 9 * HOUR_MS } as const;
    expect([1, 2, 3].map((tries) => next({ ...slept, tries }))).toEqual(
      [2, 4, 8].map((seconds) => ({ next: 'again', delayMs: seconds * SECOND_MS })),
    );
    expect(next({ ...slept, tries: 4 })).toEqual({ next: 'pending' });
    // A large file that breaks off after long tries was tried all the while.
    expect(next({ end: 'unanswered', tries: 1, elapsedMs: HOUR_MS, triedMs: ROW_WAITS_MS })).toEqual({
      next: 'pending',
    });
  });

  it('a fresh URL is asked for where the host refuses this one, at growing gaps up to an hour; never for a broken line', () => {
    expect(next({ asked: askedOf(0, 0) })).toEqual({ next: 'ask' });
    expect(next({ asked: askedOf(1, 19_000) })).toMatchObject({ next: 'again' });
    expect(next({ asked: askedOf(1, 20_000) })).toEqual({ next: 'ask' });
    expect(next({ asked: askedOf(90, HOUR_MS - 1) })).toMatchObject({ next: 'again' });
    expect(next({ asked: askedOf(90, HOUR_MS) })).toEqual({ next: 'ask' });
    expect(next({ end: 'unanswered', asked: askedOf(0, 0) })).toMatchObject({ next: 'again' });
  });

  it('2-D3: nothing is lost while it may live, nor by silence soon after that, nor before it was asked for once more', () => {
    expect(next({ lifeLeftMs: 1, tries: 900, elapsedMs: DAY_MS })).toEqual({ next: 'pending' });
    expect(next({ lifeLeftMs: 0, tries: 2 })).toMatchObject({ next: 'again' });
    expect(next({ lifeLeftMs: 0, tries: 3, asked: askedOf(0, 0) })).toEqual({ next: 'ask' });
    // A service that was away when it was asked has said nothing: it is asked again, for as long as silence is borne.
    const unheard = { times: 9, agoMs: 0, isAnswered: false };
    expect(next({ lifeLeftMs: 0, tries: 9, asked: unheard })).toMatchObject({ next: 'again' });
    expect(next({ lifeLeftMs: -7 * DAY_MS, tries: 900, asked: unheard })).toEqual({ next: 'lost' });
    expect(next({ lifeLeftMs: 0, tries: 4, asked: askedOf(1, 0) })).toEqual({ next: 'lost' });
    expect(next({ lifeLeftMs: 0, tries: 3 })).toEqual({ next: 'lost' });
    const silent = { end: 'unanswered', tries: 900, waitsMs: null } as const;
    expect(next({ ...silent, lifeLeftMs: -6 * DAY_MS })).toMatchObject({ next: 'again' });
    expect(next({ ...silent, lifeLeftMs: -7 * DAY_MS })).toEqual({ next: 'lost' });
  });

  it('F43: a body without end is not fetched for days; a person is asked, and nothing is lost', () => {
    expect(next({ end: 'too_large', tries: 2 })).toMatchObject({ next: 'again' });
    expect(next({ end: 'too_large', tries: 3, lifeLeftMs: -30 * DAY_MS })).toEqual({ next: 'refused' });
  });

  it("every try has an end: a delay above zero and never past the row's wait, or a word", () => {
    const asked = fc.option(fc.record({ times: fc.nat(200), agoMs: fc.nat(DAY_MS), isAnswered: fc.boolean() }));
    fc.assert(
      fc.property(
        fc.record({
          end: fc.constantFrom('refused', 'unanswered', 'too_large'),
          tries: fc.integer({ min: 1, max: 5_000 }),
          elapsedMs: fc.nat(30 * DAY_MS),
          triedMs: fc.nat(DAY_MS),
          lifeLeftMs: fc.integer({ min: -30 * DAY_MS, max: 7 * DAY_MS }),
          asked,
          waitsMs: fc.constantFrom(null, 0, ROW_WAITS_MS),
        }),
        (one) => {
          const after = afterFailedTry(one);
          if (after.next === 'lost') expect(one.lifeLeftMs).toBeLessThanOrEqual(0);
          if (after.next !== 'again') return;
          expect(after.delayMs).toBeGreaterThan(0);
          expect(after.delayMs).toBeLessThanOrEqual(10 * MINUTE_MS);
          if (one.waitsMs !== null && one.elapsedMs < one.waitsMs)
            expect(one.elapsedMs + after.delayMs).toBeLessThanOrEqual(one.waitsMs);
        },
      ),
    );
  });
});

it('an output lives as long as the documents say of its URL or its handle, whichever is longer', () => {
  const hours = Object.fromEntries(KINDS.map((kind) => [kind, factsOf(kind).outputLifeMs / HOUR_MS]));
  expect(hours).toMatchObject({
    'svc/image': 168,
    'vendor-a/omni-video': 168,
    'vendor-b/avatar': 24,
    'vendor-c/video': 24,
    'vendor-g/video': 24,
    'vendor-d/video': 24,
    'vendor-e/video': 168,
    'vendor-f/video': 1.5,
  });
});
