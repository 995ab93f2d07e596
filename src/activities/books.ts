import { balanceBooks } from '../reconcile/books.js';
import { chargesOf } from '../reconcile/known-attempt.js';
import { writeBooks } from '../store/books.js';
import { useReadings } from './after-reading.js';
import type { Dependencies } from './dependencies.js';
import { attemptsSince } from './evidence.js';
import { withRecords } from './failures.js';
import { lambdaMs } from './learned.js';

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
  const checkpoints = await deps.home.checkpointsSince(sinceMs - LOOK_BACK_MS);
  const base = checkpoints.findLast(({ atMs }) => atMs <= sinceMs) ?? checkpoints[0];
  const at = checkpoints.at(-1);
  if (!base || !at || base === at) return;
  const lambda = await lambdaMs(deps);
  const { known, cases } = await attemptsSince(deps, base.atMs - lambda);
  const open = cases.map(({ claimedAtMs, expected }) => {
    const hi = expected?.hi ?? null;
    return { fromMs: claimedAtMs, toMs: null, lo: 0, hi, peak: hi };
  });
  const charges = [...known.flatMap((attempt) => chargesOf(attempt.known)), ...open];
  const { exclusive } = deps.settings;
  const account = { nowMs: deps.now(), exclusive, thetaMs: 0, lambdaMs: lambda, checkpoints, charges };
  const { topUpNano, unattributed } = balanceBooks(account, base, at);
  if (unattributed && (unattributed.lo !== 0 || unattributed.hi !== 0) && exclusive) {
    deps.log.warn({ batch, ...unattributed }, 'the balance moved by more than is known here');
  }
  await writeBooks(deps.home, batch, {
    schema: 1,
    fromMs: base.atMs,
    toMs: at.atMs,
    startNano: base.balanceNano,
    endNano: at.balanceNano,
    topUpNano,
    unattributed,
  });
}
