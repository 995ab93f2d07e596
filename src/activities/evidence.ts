import { type Attempt, type AttemptRef, intentOf, standingOf } from '../domain/attempt.js';
import { KINDS } from '../domain/kind.js';
import type { CaseEvidence, Charge } from '../reconcile/evidence.js';
import type { OpenAttempt } from '../store/ledger.js';
import type { Dependencies } from './dependencies.js';
import type { RowWork } from './row-work.js';
import { renderMaxMs, SYNC_MAX_MS } from './settle.js';

/** Balance readings this long before a claim are still looked at for its starting balance, unscaled ms. */
const LOOK_BACK_MS = 600_000;
/** More starting points than this narrow nothing further. */
const BASES_MAX = 30;

/** Everything in the home that bears on one ambiguous attempt. */
export async function gatherEvidence(
  deps: Dependencies,
  { row, adapter }: RowWork,
  ref: AttemptRef,
  attempt: Attempt,
): Promise<CaseEvidence> {
  const { waits, timeScale, exclusive } = deps.settings;
  const intent = intentOf(attempt);
  // A torn claim has no time; its first later record bounds it.
  const claimedAtMs = intent?.atMs ?? attempt.states[0]?.atMs ?? deps.now();
  const gaveUpAtMs =
    attempt.states.find((s) => s.state === 'unknown' || s.state === 'created_lost')?.atMs ?? claimedAtMs;
  const readings = await deps.home.checkpointsSince(claimedAtMs - LOOK_BACK_MS);
  const before = readings.filter((c) => c.atMs <= claimedAtMs).slice(-BASES_MAX);
  const checkpoints = [...before, ...readings.filter((c) => c.atMs > claimedAtMs)];
  const lambdaMs = waits.lambdaMs / timeScale;
  return {
    nowMs: deps.now(),
    claimedAtMs,
    gaveUpAtMs,
    flow: adapter.flow,
    charge: adapter.charge,
    exclusive,
    expected: intent?.expected ?? null,
    thetaMs: waits.thetaMs / timeScale,
    lambdaMs,
    renderMaxMs: renderMaxMs(deps, KINDS.indexOf(row.kind)) / timeScale,
    syncMaxMs: SYNC_MAX_MS / timeScale,
    checkpoints: checkpoints.map(({ atMs, balanceNano }) => ({ atMs, balanceNano })),
    others: await otherCharges(deps, ref, (before[0]?.atMs ?? claimedAtMs) - lambdaMs),
  };
}

/** What all other attempts did, or may do, to the balance since a time. */
async function otherCharges(deps: Dependencies, ref: AttemptRef, sinceMs: number): Promise<Charge[]> {
  const others: Charge[] = [];
  const booked = new Set<string>();
  for (const charge of await deps.book.since(sinceMs)) {
    booked.add(nameOf(charge));
    if (nameOf(charge) === nameOf(ref)) continue;
    const { chargedFromMs, chargedToMs, lo, hi, peak } = charge;
    others.push({ fromMs: chargedFromMs, toMs: chargedToMs, lo, hi, peak });
  }
  for await (const open of deps.ledger.open()) {
    if (nameOf(open) === nameOf(ref) || booked.has(nameOf(open))) continue;
    const charge = await openCharge(deps, open);
    if (charge) others.push(charge);
  }
  return others;
}

/** An attempt that has not ended may have been charged anything up to its expected price. */
async function openCharge(deps: Dependencies, open: OpenAttempt): Promise<Charge | undefined> {
  const attempt = await deps.ledger.readAttempt(open);
  const standing = attempt && standingOf(attempt);
  if (!attempt || standing === 'void' || standing === 'refused' || standing === 'not_billed') return undefined;
  const expected = intentOf(attempt)?.expected ?? null;
  const hi = expected?.hi ?? null;
  return { fromMs: intentOf(attempt)?.atMs ?? open.atMs, toMs: null, lo: 0, hi, peak: hi };
}

function nameOf({ batch, id, n }: AttemptRef): string {
  return `${batch}/${id}/${n}`;
}
