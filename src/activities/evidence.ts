import { type Attempt, type AttemptRef, intentOf, standingOf } from '../domain/attempt.js';
import { KINDS, type Kind } from '../domain/kind.js';
import type { CaseFacts, Charge, SettleEvidence } from '../reconcile/evidence.js';
import { adapterFor } from '../vendors/index.js';
import type { Dependencies } from './dependencies.js';
import { renderMaxMs, SYNC_MAX_MS } from './settle.js';

/** Balance readings this long before a claim are still looked at for its starting balance, unscaled ms. */
const LOOK_BACK_MS = 600_000;
/** More starting points than this narrow nothing further. */
const BASES_MAX = 30;

/** Everything in the home that bears on one ambiguous attempt. */
export async function gatherEvidence(
  deps: Dependencies,
  kind: Kind,
  ref: AttemptRef,
  attempt: Attempt,
): Promise<SettleEvidence> {
  const { waits, timeScale, exclusive } = deps.settings;
  const subject = caseFacts(deps, kind, ref, attempt);
  const { claimedAtMs } = subject;
  const readings = await deps.home.checkpointsSince(claimedAtMs - LOOK_BACK_MS);
  const before = readings.filter((c) => c.atMs <= claimedAtMs).slice(-BASES_MAX);
  const checkpoints = [...before, ...readings.filter((c) => c.atMs > claimedAtMs)];
  const lambdaMs = waits.lambdaMs / timeScale;
  const { charges, rivals } = await otherAttempts(deps, ref, (before[0]?.atMs ?? claimedAtMs) - lambdaMs);
  return {
    nowMs: deps.now(),
    exclusive,
    thetaMs: waits.thetaMs / timeScale,
    lambdaMs,
    checkpoints: checkpoints.map(({ atMs, balanceNano }) => ({ atMs, balanceNano })),
    charges,
    subject,
    rivals,
  };
}

/** An ambiguous attempt as the credits check sees it. */
function caseFacts(deps: Dependencies, kind: Kind, ref: AttemptRef, attempt: Attempt): CaseFacts {
  const { timeScale } = deps.settings;
  const { flow, charge } = adapterFor(kind);
  const intent = intentOf(attempt);
  // A torn claim has no time; its first later record bounds it.
  const claimedAtMs = intent?.atMs ?? attempt.states[0]?.atMs ?? deps.now();
  const lost = attempt.states.find((s) => s.state === 'unknown' || s.state === 'created_lost');
  return {
    name: nameOf(ref),
    claimedAtMs,
    gaveUpAtMs: lost?.atMs ?? claimedAtMs,
    flow,
    charge,
    expected: intent?.expected ?? null,
    renderMaxMs: renderMaxMs(deps, KINDS.indexOf(kind)) / timeScale,
    syncMaxMs: SYNC_MAX_MS / timeScale,
  };
}

/** What all other attempts did, or may do, to the balance since a time. */
async function otherAttempts(
  deps: Dependencies,
  ref: AttemptRef,
  sinceMs: number,
): Promise<{ charges: Charge[]; rivals: CaseFacts[] }> {
  const charges: Charge[] = [];
  const rivals: CaseFacts[] = [];
  const booked = new Set<string>([nameOf(ref)]);
  for (const charge of await deps.book.since(sinceMs)) {
    if (nameOf(charge) === nameOf(ref)) continue;
    booked.add(nameOf(charge));
    const { chargedFromMs, chargedToMs, lo, hi, peak } = charge;
    charges.push({ fromMs: chargedFromMs, toMs: chargedToMs, lo, hi, peak });
  }
  for await (const open of deps.ledger.open()) {
    if (booked.has(nameOf(open))) continue;
    const attempt = await deps.ledger.readAttempt(open);
    if (attempt === undefined) continue;
    const standing = standingOf(attempt);
    if (standing === 'open_case') rivals.push(caseFacts(deps, open.kind, open, attempt));
    else if (standing !== 'void' && standing !== 'refused' && standing !== 'not_billed') {
      charges.push(openCharge(attempt, open.atMs));
    }
  }
  return { charges, rivals };
}

/** An attempt that has not ended may have been charged anything up to its expected price. */
function openCharge(attempt: Attempt, claimedAtMs: number): Charge {
  const hi = intentOf(attempt)?.expected?.hi ?? null;
  return { fromMs: claimedAtMs, toMs: null, lo: 0, hi, peak: hi };
}

function nameOf({ batch, id, n }: AttemptRef): string {
  return `${batch}/${id}/${n}`;
}
