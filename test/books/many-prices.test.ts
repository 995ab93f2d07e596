// Nine answers of nine prices are lost at once, as in an outage: a look at one of them runs in the worker that polls, downloads
// and beats for all others.
import { expect, test } from 'vitest';
import type { Case, Evidence, Movement } from '../../src/books/check/evidence.js';
import { settle } from '../../src/books/check/settle.js';

const MINUTE_MS = 60_000;
const NANO = 1_000_000;

/** Every other one was billed, one a minute; the balance is read every minute. */
function outage(movements: Movement[]): Evidence {
  const lost = Array.from({ length: 9 }, (_, i): Case => {
    const [claimedAtMs, nano] = [2_000 * i, (20 + 7 * i) * NANO];
    const due = { dueAfterMs: 63 * MINUTE_MS, backAfterMs: 93 * MINUTE_MS };
    return { name: `b/${i}/1`, claimedAtMs, t0Ms: claimedAtMs, ...due, price: { lo: nano, hi: nano } };
  });
  const billed = lost.filter((_, i) => i % 2 === 0).map(({ price }) => price?.lo ?? 0);
  const readings = Array.from({ length: 60 }, (_, i) => {
    const atMs = (i - 10) * MINUTE_MS;
    const taken = billed.slice(0, Math.max(0, i - 12)).reduce((sum, nano) => sum + nano, 0);
    return { askedMs: atMs, atMs, balanceNano: -taken };
  });
  const [subject, ...rivals] = lost;
  if (subject === undefined) throw new Error('nothing was lost');
  return {
    ...{ nowMs: 50 * MINUTE_MS, exclusive: true, lambdaMs: 2 * MINUTE_MS, rhoMs: 30 * MINUTE_MS, roundingNano: 1_000 },
    ...{ apartMs: 10_000, readings, movements, subject, rivals, equals: [] },
    ...{ patienceMs: 10 * MINUTE_MS, giveUpAfterMs: 100 * MINUTE_MS },
  };
}

test('a job of unknown price beside them, which explains nearly everything, lets the looks at all of them end', () => {
  const unpriced: Movement = { fromMs: 1, toMs: null, afterMs: 0, lo: 0, hi: null, peak: null };
  const evidence = outage([unpriced]);
  const lost = [evidence.subject, ...evidence.rivals];
  for (const subject of lost) {
    const rivals = lost.filter((one) => one !== subject);
    expect(settle({ ...evidence, subject, rivals })).toMatchObject({ outcome: 'wait' });
  }
}, 30_000);
