import fc from 'fast-check';
import { expect, it } from 'vitest';
import { pollGapMs } from '../../src/domain/poll-schedule.js';
import { KINDS, pollBaseMs } from '../../src/kinds/facts.js';

const SECOND_MS = 1_000;
const times = fc
  .tuple(fc.nat(7_200_000), fc.nat(7_200_000))
  .map(([a, b]) => ({ p5: Math.min(a, b), p95: Math.max(a, b) }));

it('I13: polls start at 5 s, avatars at 10 s, and never pause for more than 30 s (service document 2, flow 2)', () => {
  for (const kind of KINDS) expect(pollBaseMs(kind)).toBe((kind === 'vendor-b/avatar' ? 10 : 5) * SECOND_MS);
  fc.assert(
    fc.property(
      fc.constantFrom(5_000, 10_000),
      fc.option(times),
      fc.nat(40),
      fc.nat(9_000_000),
      (baseMs, expected, poll, elapsedMs) => {
        const gap = pollGapMs({ poll, elapsedMs, baseMs, expected });
        expect(gap).toBeGreaterThanOrEqual(baseMs);
        expect(gap).toBeLessThanOrEqual(30 * SECOND_MS);
      },
    ),
  );
});

it('without earlier renders the gaps grow to 25 s', () => {
  const gaps = [0, 1, 2, 3, 4].map((poll) => pollGapMs({ poll, elapsedMs: 0, baseMs: 5_000, expected: null }));
  expect(gaps).toEqual([5_000, 10_000, 20_000, 25_000, 25_000]);
});

it('around the expected end it asks every base, before and after it more seldom', () => {
  const gapAt = (poll: number, elapsedMs: number) =>
    pollGapMs({ poll, elapsedMs, baseMs: 5_000, expected: { p5: 60_000, p95: 90_000 } });
  expect([
    gapAt(0, 0),
    gapAt(1, 25_000),
    gapAt(2, 50_000),
    gapAt(3, 60_000),
    gapAt(9, 90_000),
    gapAt(10, 120_000),
  ]).toEqual([25_000, 25_000, 10_000, 5_000, 5_000, 25_000]);
});

it('the gaps before the expected end lead to it, whatever it is', () => {
  for (let fromMs = 6_000; fromMs < 200_000; fromMs += 700) {
    const expected = { p5: fromMs, p95: fromMs };
    let elapsedMs = 0;
    for (let poll = 0; elapsedMs < fromMs; poll += 1)
      elapsedMs += pollGapMs({ poll, elapsedMs, baseMs: 5_000, expected });
    expect(elapsedMs).toBe(fromMs);
  }
});
