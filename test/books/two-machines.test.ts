// Two machines whose workers share an account: a reading of one is compared with a claim of the other (design 3, t0: "clocks
// of two machines are not compared").
import { expect, test } from 'vitest';
import type { Row } from '../../src/domain/row.js';
import { clocksApartMs, newestTimeMs, noteClock } from '../../src/home/clocks.js';
import { filmsAtHand, filmsOf } from './support/films-at-hand.js';

const ROWS = filmsOf('a');
const [A] = ROWS as [Row];
const HOUR_MS = 3_600_000;

/** The claim at minute 5 and one second is charged at once; a machine a second behind reads that as of minute 5. */
async function chargeSeenBeforeItsClaim(machines: readonly string[]) {
  const { deps, clock, lose, readUntil, settle } = await filmsAtHand(ROWS);
  for (const machine of machines) await noteClock(deps.home, machine, clock.nowMs);
  await readUntil(5, (minute) => (minute === 5 ? 0.2 : 0));
  await lose(A);
  await readUntil(80, () => 0.2);
  return settle(A);
}

test('a charge that a machine with a slower clock saw is none that was there before the claim', async () => {
  expect(await chargeSeenBeforeItsClaim(['one', 'two'])).toMatchObject({ outcome: 'verdict', verdict: 'billed' });
});

test('on one machine what was spent before the claim is not its charge', async () => {
  expect(await chargeSeenBeforeItsClaim(['one'])).toMatchObject({ outcome: 'wait' });
});

test('a machine that no longer serves the account bounds only what is older than its last note', async () => {
  const { deps, clock } = await filmsAtHand(ROWS);
  const startMs = clock.nowMs;
  await noteClock(deps.home, 'one', startMs);
  await noteClock(deps.home, 'two', startMs + 24 * HOUR_MS);
  expect(await clocksApartMs(deps.home, startMs)).toBe(2_000);
  expect(await clocksApartMs(deps.home, startMs + 12 * HOUR_MS)).toBe(0);
  await noteClock(deps.home, 'two', startMs + 60 * 24 * HOUR_MS);
  expect(await deps.home.store.names(deps.home.keys.clocks)).toHaveLength(1);
});

test('a worker whose clock was set back reads nothing before the claims that it finds', async () => {
  const { deps, clock, lose, readUntil } = await filmsAtHand(ROWS);
  expect(await newestTimeMs(deps)).toBe(0);
  await readUntil(5);
  clock.nowMs += HOUR_MS;
  await lose(A);
  expect(await newestTimeMs(deps)).toBe(clock.nowMs);
});
