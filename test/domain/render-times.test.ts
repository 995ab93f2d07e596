import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pollGapMs } from '../../src/domain/poll-schedule.js';
import { endsWith, expectedTimes, type RenderEnd } from '../../src/domain/render-times.js';

const BASE_MS = 5_000;
const AT_ONCE = 10;
/** From when a poll is due until it is there. */
const OVERHEAD_MS = 50;

/** How late each of so many renders is seen to have ended, ms, ten at once, with what the ones before have taught. */
function lateness(renders: readonly number[]): number[] {
  let ends: readonly RenderEnd[] = [];
  const open: { atMs: number; end: RenderEnd }[] = [];
  return renders.map((renderMs, turn) => {
    open.sort((a, b) => a.atMs - b.atMs);
    const freed = open.length < AT_ONCE ? undefined : open.shift();
    if (freed) ends = endsWith(ends, freed.end);
    const expected = expectedTimes(ends, BASE_MS, turn);
    let [ranMs, elapsedMs] = [0, 0];
    for (let poll = 0; elapsedMs < renderMs; poll += 1) {
      ranMs = elapsedMs;
      elapsedMs += pollGapMs({ poll, elapsedMs, baseMs: BASE_MS, expected }) + OVERHEAD_MS;
    }
    open.push({ atMs: (freed?.atMs ?? 0) + elapsedMs, end: [ranMs, elapsedMs] });
    return elapsedMs - renderMs;
  });
}

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
const lastOf = (renders: readonly number[]): number => mean(lateness(renders).slice(-500));

describe('expectedTimes', () => {
  it('expects nothing of fewer than three renders', () => {
    const end: RenderEnd = [50, 60];
    expect(expectedTimes([end, end], BASE_MS, 0)).toBeNull();
    expect(expectedTimes([end, end, end], BASE_MS, 1)).toMatchObject({ p5: 60, p50: 60, p95: 60 });
  });

  it('takes an end to lie where the most of what was seen allows it', () => {
    const ends: RenderEnd[] = [
      [40_000, 65_000],
      [55_000, 60_000],
      [59_000, 64_000],
      [57_000, 62_000],
    ];
    expect(expectedTimes(ends, BASE_MS, 1)).toEqual({ p5: 60_000, p50: 60_000, p95: 60_000, fromMs: 60_000 });
  });

  it.each([12_000, 60_000, 62_300, 180_000])('sees renders of %d ms end soon, after thousands as after a few', (ms) => {
    expect(lastOf(Array.from({ length: 3_000 }, () => ms))).toBeLessThan(1_000);
  });

  it('sees that renders have become faster, or slower', () => {
    const both = (first: number, then: number) => Array.from({ length: 2_000 }, (_, i) => (i < 1_000 ? first : then));
    expect(lastOf(both(90_000, 60_000))).toBeLessThan(1_000);
    expect(lastOf(both(60_000, 90_000))).toBeLessThan(1_000);
  });

  it('waits half a gap for renders that vary by more than gaps', () => {
    // Evenly between 30 and 90 s, in an order that repeats late.
    const renders = Array.from({ length: 3_000 }, (_, i) => 30_000 + ((i * 7_919) % 60_000));
    expect(lastOf(renders)).toBeLessThan(4_000);
  });

  it('asks densely from the early ends on where there are early and late ones', () => {
    const ends = Array.from({ length: 40 }, (_, i): RenderEnd => [i * 2_000, 5_000 + i * 2_000]);
    const { p5, fromMs } = expectedTimes(ends, BASE_MS, 1) ?? {};
    expect(fromMs).toBeLessThanOrEqual(p5 ?? 0);
  });

  it('one that ended early hides nothing of the others: they are still asked after a little earlier now and then', () => {
    const ends: RenderEnd[] = [...Array.from({ length: 39 }, (): RenderEnd => [55_000, 60_050]), [0, 25_050]];
    for (let turn = 0; turn < 100; turn += 1) {
      const { fromMs = 0 } = expectedTimes(ends, BASE_MS, turn) ?? {};
      expect(fromMs).toBeGreaterThanOrEqual(55_000);
      expect(fromMs).toBeLessThanOrEqual(60_050);
    }
  });

  it('an end before its beginning, as a clock that is set back makes it, is left out', () => {
    const ends: RenderEnd[] = [[50, 60]];
    for (const [ranMs, endedMs] of [
      [0, 0],
      [0, -5],
      [9, 3],
      [-1, 4],
      [Number.NaN, 4],
    ] as const) {
      expect(endsWith(ends, [ranMs, endedMs])).toBe(ends);
    }
    expect(endsWith(ends, [51.2, 61.4])).toEqual([
      [50, 60],
      [51, 61],
    ]);
  });

  it('says something sensible of any ends', () => {
    const end = fc
      .tuple(fc.nat(400_000), fc.integer({ min: 1, max: 60_000 }))
      .map(([ran, more]): RenderEnd => [ran, ran + more]);
    fc.assert(
      fc.property(fc.array(end, { minLength: 3, maxLength: 40 }), fc.nat(), (ends, turn) => {
        const { p5, p50, p95, fromMs = 0 } = expectedTimes(ends, BASE_MS, turn) ?? { p5: 2, p50: 1, p95: 0 };
        const last = Math.max(...ends.map(([, endedMs]) => endedMs));
        expect(p5).toBeLessThanOrEqual(p50);
        expect(p50).toBeLessThanOrEqual(p95);
        expect(p95).toBeLessThanOrEqual(last);
        expect(fromMs).toBeGreaterThanOrEqual(0);
        expect(fromMs).toBeLessThanOrEqual(last);
      }),
    );
  });
});
