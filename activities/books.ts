import { movementsOf } from '../src/books/check/evidence.js';
import { balanceBooks } from '../src/books/check/residual.js';
import { beginOf, readBooks, writeBooks } from '../src/home/learned.js';
import { useReadings } from './after-reading.js';
import { attemptsSince } from './attempts-since.js';
import type { Dependencies } from './dependencies.js';
import { readingOf } from './evidence.js';
import { withRecords } from './failures.js';
import { lambdaMs, rhoMs, roundingNano } from './learned.js';

export interface BookActivities {
  /** Uses the last reading of the balance, and writes what the account spent since the batch began. */
  closeBooks(input: { batch: string; sinceMs: number }): Promise<void>;
}

/** A reading this long before a batch still shows what it started from, ms of the clock. */
const LOOK_BACK_MS = 600_000;

export function bookActivities(deps: Dependencies): BookActivities {
  return { closeBooks: ({ batch, sinceMs }) => withRecords(() => closeBooks(deps, batch, sinceMs)) };
}

async function closeBooks(deps: Dependencies, batch: string, sinceMs: number): Promise<void> {
  await useReadings(deps);
  const readings = (await deps.home.checkpointsSince(sinceMs - LOOK_BACK_MS)).flatMap(readingOf);
  const base = readings.findLast(({ atMs }) => atMs <= sinceMs) ?? readings[0];
  const at = readings.at(-1);
  if (!base || !at || base === at) return;
  const lambda = await lambdaMs(deps);
  const rho = await rhoMs(deps);
  const { known, cases } = await attemptsSince(deps, base.atMs - lambda - rho);
  const open = cases.map(({ claimedAtMs, price }) => {
    const hi = price?.hi ?? null;
    return { fromMs: claimedAtMs, toMs: null, afterMs: 0, lo: 0, hi, peak: hi };
  });
  const movements = [...known.flatMap((attempt) => movementsOf(attempt.known, rho)), ...open];
  const { exclusive } = deps.settings;
  const account = { nowMs: deps.now(), exclusive, lambdaMs: lambda, rhoMs: rho, apartMs: 0, readings, movements };
  const rounded = {
    ...account,
    roundingNano: await roundingNano(
      deps,
      readings.map(({ balanceNano }) => balanceNano),
    ),
  };
  const { topUpNano, unattributed } = balanceBooks(rounded, base, at);
  if (unattributed && (unattributed.lo !== 0 || unattributed.hi !== 0) && exclusive) {
    deps.log.warn({ batch, ...unattributed }, 'the balance moved by more than is known here');
  }
  await writeBooks(deps.home, batch, {
    schema: 1,
    fromMs: base.atMs,
    toMs: at.atMs,
    startNano: base.balanceNano,
    ...beginOf(await readBooks(deps.home, batch), { fromMs: base.atMs, startNano: base.balanceNano }),
    endNano: at.balanceNano,
    topUpNano,
    unattributed,
  });
}
