import { type Attempt, type AttemptRef, type Intent, intentOf, standingOf } from '../domain/attempt.js';
import { KINDS, type Kind } from '../domain/kind.js';
import type { CreditsRange } from '../domain/money.js';
import type { Row } from '../domain/row.js';
import { countTime } from '../reconcile/counted-time.js';
import type { CaseFacts, SettleEvidence } from '../reconcile/evidence.js';
import { chargesOf, type KnownAttempt } from '../reconcile/known-attempt.js';
import { discounted } from '../reconcile/price-book.js';
import type { BookedAttempt } from '../store/charge-book.js';
import { adapterFor } from '../vendors/index.js';
import type { Dependencies } from './dependencies.js';
import { multipliersOf } from './discounts.js';
import { lambdaMs as lambdaOf, timingOf } from './learned.js';
import { expectedCredits, widest, withFollowUp } from './prices.js';
import { loadRow } from './row-work.js';
import { lastRunning, nameOf } from './running.js';
import { renderMaxMs, syncMaxMs } from './waits.js';

/** Balance readings this long before a claim are still looked at for its starting balance, ms of the clock. */
const LOOK_BACK_MS = 600_000;
/** While a case is open the balance is read every minute: a longer gap is a sleeping machine or a clock that was set. */
const GAP_MAX_MS = 90_000;
/** However fast a rehearsal is, a machine may be this slow, ms of the clock. */
const GAP_MIN_MS = 4_000;
/** More starting points than this narrow nothing further. */
const BASES_MAX = 30;

/** An attempt of the account with what the balance shows of it. */
export interface NamedAttempt extends AttemptRef {
  name: string;
  kind: Kind;
  known: KnownAttempt;
}

/**
 * Everything in the home that bears on one ambiguous attempt. `sinceMs` leaves out the readings between its claim and
 * then: what they showed has been weighed.
 */
export async function gatherEvidence(
  deps: Dependencies,
  kind: Kind,
  ref: AttemptRef,
  attempt: Attempt,
  sinceMs = 0,
): Promise<SettleEvidence> {
  const { waits, timeScale, exclusive } = deps.settings;
  const subject = await caseFacts(deps, kind, ref, attempt);
  const { claimedAtMs } = subject;
  const readings = await deps.home.checkpointsSince(claimedAtMs - LOOK_BACK_MS);
  const before = readings.filter((c) => c.atMs <= claimedAtMs).slice(-BASES_MAX);
  const checkpoints = [...before, ...readings.filter((c) => c.atMs > claimedAtMs)];
  const lambdaMs = await lambdaOf(deps);
  const { known, cases } = await attemptsSince(deps, (before[0]?.atMs ?? claimedAtMs) - lambdaMs);
  const evidence: SettleEvidence = {
    nowMs: deps.now(),
    exclusive,
    thetaMs: waits.thetaMs / timeScale,
    lambdaMs,
    checkpoints: checkpoints.map(({ askedMs, atMs, balanceNano }) => ({ askedMs, atMs, balanceNano })),
    charges: known.filter(({ name }) => name !== subject.name).flatMap((other) => chargesOf(other.known)),
    subject,
    rivals: cases.filter(({ name }) => name !== subject.name),
  };
  const counted = countTime(evidence, Math.max(GAP_MIN_MS, GAP_MAX_MS / timeScale));
  // Counted first: what is left out was looked at all the same.
  const counts = checkpoints.map(({ atMs }) => atMs <= claimedAtMs || atMs > sinceMs);
  return { ...counted, checkpoints: counted.checkpoints.filter((_, i) => counts[i]) };
}

/** All attempts of the account that may have moved the balance since a time: known ones, and open cases. */
export async function attemptsSince(
  deps: Dependencies,
  sinceMs: number,
): Promise<{ known: NamedAttempt[]; cases: CaseFacts[] }> {
  const known: NamedAttempt[] = [];
  const cases: CaseFacts[] = [];
  const booked = new Set<string>();
  for (const entry of await deps.book.since(sinceMs)) {
    const { batch, id, n, kind, list: _, ...rest } = entry;
    // What may turn up of it later is known by the ledger.
    if (entry.end !== 'not_billed') booked.add(nameOf(entry));
    const timing = await timingOf(deps, kind);
    const price = await priceNow(deps, entry);
    known.push({ batch, id, n, kind, name: nameOf(entry), known: { timing, ...rest, ...price } });
  }
  for await (const open of deps.ledger.open()) {
    if (booked.has(nameOf(open))) continue;
    const attempt = await deps.ledger.readAttempt(open);
    if (attempt === undefined) continue;
    const standing = standingOf(attempt);
    if (standing === 'open_case') cases.push(await caseFacts(deps, open.kind, open, attempt));
    else if (standing !== 'void' && standing !== 'refused' && standing !== 'not_billed') {
      const { batch, id, n, kind } = open;
      known.push({ batch, id, n, kind, name: nameOf(open), known: await openAttempt(deps, open, attempt, open.atMs) });
    }
  }
  return { known, cases };
}

/** What a booked attempt cost by the discounts that are known now: some are read only when others were booked. */
async function priceNow(deps: Dependencies, entry: BookedAttempt): Promise<CreditsRange> {
  const { kind, lo, hi, list, claimedAtMs, endedAtMs } = entry;
  if (list === undefined) return { lo, hi };
  const multipliers = await multipliersOf(deps, adapterFor(kind), claimedAtMs, endedAtMs);
  return {
    lo: discounted(list.lo, Math.min(...multipliers)),
    hi: list.hi === null ? null : discounted(list.hi, Math.max(...multipliers)),
  };
}

/** An ambiguous attempt as the credits check sees it. */
async function caseFacts(deps: Dependencies, kind: Kind, ref: AttemptRef, attempt: Attempt): Promise<CaseFacts> {
  const { timeScale } = deps.settings;
  const intent = intentOf(attempt);
  // A torn claim has no time; its first later record bounds it.
  const claimedAtMs = intent?.atMs ?? attempt.states[0]?.atMs ?? deps.now();
  const lost = attempt.states.find((s) => s.state === 'unknown' || s.state === 'created_lost');
  return {
    name: nameOf(ref),
    claimedAtMs,
    gaveUpAtMs: lost?.atMs ?? claimedAtMs,
    flow: adapterFor(kind).flow,
    charge: await timingOf(deps, kind),
    expected: await expectedOf(deps, ref, attempt),
    renderMaxMs: renderMaxMs(deps, KINDS.indexOf(kind)) / timeScale,
    syncMaxMs: syncMaxMs(deps.settings, kind),
  };
}

/**
 * What an attempt would cost in all, by what was known at its claim and by what is known of discounts and prices now.
 */
export async function expectedOf(deps: Dependencies, ref: AttemptRef, attempt: Attempt): Promise<CreditsRange | null> {
  const intent = intentOf(attempt);
  if (!intent) return null;
  const { expected, atMs, kind } = intent;
  const row = await rowOf(deps, ref, intent);
  const now = await expectedCredits(deps, row, adapterFor(kind), atMs);
  return withFollowUp(row, expected === null ? now : widest(expected, now ?? expected));
}

/** The row of an attempt, as it was when the attempt was claimed. */
export async function rowOf(deps: Dependencies, { batch, id }: AttemptRef, intent: Intent): Promise<Row> {
  const { generation, part, index, kind } = intent;
  return (await loadRow(deps, { batch, id, generation, part, index, kind: KINDS.indexOf(kind) })).row;
}

/** An attempt that has not ended may have been charged anything up to its expected price. */
async function openAttempt(
  deps: Dependencies,
  ref: AttemptRef & { kind: Kind },
  attempt: Attempt,
  listedAtMs: number,
): Promise<KnownAttempt> {
  const intent = intentOf(attempt);
  return {
    timing: await timingOf(deps, ref.kind),
    claimedAtMs: intent?.atMs ?? listedAtMs,
    createdAtMs: attempt.states.find(({ state }) => state === 'created')?.atMs,
    runningAtMs: lastRunning(deps, ref),
    end: 'open',
    endedAtMs: null,
    ...((await expectedOf(deps, ref, attempt)) ?? { lo: 0, hi: null }),
  };
}
