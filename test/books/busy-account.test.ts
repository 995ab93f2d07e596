// A lost answer on an account that is never quiet: a look at it must not grow with attempts times readings.
import { expect, test } from 'vitest';
import type { Evidence, Movement } from '../../src/books/check/evidence.js';
import { indexMovements, momentAt } from '../../src/books/check/movement-index.js';
import { settle } from '../../src/books/check/settle.js';
import { historyBefore } from '../../src/books/history.js';
import type { PriceRule } from '../../src/domain/price.js';
import { accountAtHand, MINUTE_MS, plainRow } from '../activities/support/account-at-hand.js';

const STEP_MS = 1_000;
const RENDER_MS = 3_000;
const LAMBDA_MS = 120_000;
const RHO_MS = 1_800_000;
const NANO = 1_000_000;
const HOUR_MS = 60 * MINUTE_MS;

/** One image a second for two hours, each charged with its answer; the balance is read every minute. */
function busyAccount(movementOf: (movement: Movement) => Movement): Evidence {
  const count = (2 * HOUR_MS) / STEP_MS;
  const movements = Array.from({ length: count }, (_, i) => {
    const fromMs = i * STEP_MS;
    return movementOf({ fromMs, toMs: fromMs + RENDER_MS, afterMs: 0, lo: NANO, hi: NANO, peak: NANO });
  });
  const readings = Array.from({ length: 120 }, (_, i) => {
    const atMs = i * MINUTE_MS;
    const charged = Math.max(0, Math.floor((atMs - RENDER_MS) / STEP_MS) + 1);
    return { askedMs: atMs - 100, atMs, balanceNano: -charged * NANO };
  });
  const lost = { name: 'b/lost/1', claimedAtMs: HOUR_MS, t0Ms: HOUR_MS, dueAfterMs: 15 * MINUTE_MS };
  return {
    ...{ nowMs: 2 * HOUR_MS, exclusive: true, lambdaMs: LAMBDA_MS, rhoMs: RHO_MS, roundingNano: 1, apartMs: 0 },
    ...{ readings, movements, rivals: [], equals: [], patienceMs: 10 * MINUTE_MS, giveUpAfterMs: 100 * MINUTE_MS },
    subject: { ...lost, backAfterMs: null, price: { lo: NANO, hi: NANO } },
  };
}

test('each movement is looked at once, however many readings are compared', () => {
  let looked = 0;
  const evidence = busyAccount((movement) => ({
    ...movement,
    get toMs() {
      looked += 1;
      return movement.toMs;
    },
  }));
  looked = 0;
  expect(settle(evidence).outcome).toBe('wait');
  expect(looked).toBeLessThanOrEqual(2 * evidence.movements.length);
});

test('a reading is compared by what is moving at it alone', () => {
  const evidence = busyAccount((movement) => movement);
  const index = indexMovements(evidence);
  const moving = evidence.readings.map((at) => momentAt(index, at).moving.length);
  expect(Math.max(...moving)).toBeLessThanOrEqual((LAMBDA_MS + RENDER_MS + STEP_MS) / STEP_MS);
});

const PRICES: PriceRule[] = [{ kind: 'svc/image', components: [{ unit: 'request', credits: '0.001' }] }];

/** How far before a claim attempts are asked for, where so many of the last ten minutes are known, ms. */
async function lookedBackMs(attempts: number): Promise<number> {
  const { deps, clock } = await accountAtHand([plainRow('lost')], PRICES);
  const claimedAtMs = clock.nowMs;
  const firstMs = claimedAtMs - 10 * MINUTE_MS;
  const askedSinceMs: number[] = [];
  Object.assign(deps.books.book, {
    each: async function* (sinceMs: number) {
      askedSinceMs.push(sinceMs);
      const cells = { kind: 'svc/image', model: 'svc-alpha.2-klein-4b', end: 'charged', lo: NANO, hi: NANO } as const;
      for (let i = 0; i < attempts; i += 1) {
        const atMs = firstMs + Math.floor((i / attempts) * 10 * MINUTE_MS);
        yield { batch: 'b', id: `r${i}`, n: 1, ...cells, claimedAtMs: atMs, endedAtMs: atMs + RENDER_MS };
      }
    },
  });
  const reading = { balanceNano: 0, rpm: null, concurrent: null, plan: null };
  Object.assign(deps.home, {
    checkpointsSince: async (sinceMs: number) =>
      Array.from({ length: 24 * 60 }, (_, i) => claimedAtMs - (24 * 60 - i) * MINUTE_MS)
        .filter((atMs) => atMs >= sinceMs)
        .map((atMs) => ({ askedMs: atMs, atMs, ...reading })),
  });
  const history = await historyBefore(deps.books, claimedAtMs);
  expect(history.known).toHaveLength(attempts);
  return claimedAtMs - Math.min(...askedSinceMs) - LAMBDA_MS - RHO_MS;
}

test('a quiet moment is looked for further back, but not behind fifty thousand attempts', async () => {
  expect(await lookedBackMs(500)).toBe(HOUR_MS);
  expect(await lookedBackMs(50_000)).toBe(10 * MINUTE_MS);
}, 60_000);
