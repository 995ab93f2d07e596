import { withFollowUp } from '../src/books/prices/row-price.js';
import { callHeldMs, headersLimitMs, leavingMaxMs } from '../src/books/waits.js';
import type { GrantedMeanwhile, HeldGrant, SubmitInput, SubmitResult } from '../src/contract/attempts.js';
import type { Attempt, AttemptRef } from '../src/domain/attempt.js';
import type { ServiceRequest } from '../src/domain/exchange.js';
import { loadRow, type RowWork } from '../src/home/row-work.js';
import { notOrdered } from '../src/home/run-order.js';
import { StoreError } from '../src/store/port.js';
import type { Dependencies } from './dependencies.js';
import { tryAgain } from './failures.js';
import { buildRequest } from './files/media.js';
import { notAtOnce, type SaveAtOnce } from './files/save-at-once.js';
import { withHeartbeat } from './heartbeat.js';
import { claim, mayClaim, noteAwaited, noteUnderWay, readAttempts } from './row/claims.js';
import { readClosed } from './row/closed-models.js';
import { holdForHome, isOwnHome } from './row/home-marks.js';
import { type Instant, instant, refuseOld } from './row/instant.js';
import { type CallbackOffer, intentFor, newCallbackOffer } from './row/intent.js';
import { aboveReserved, claimWithin, loweredBudget } from './row/lowered-budget.js';
import { noteResult } from './row/semaphore-notes.js';
import { formatOf, isGivenUp, lateStanding, replacement, standingResult, withOutput } from './row/submit-guard.js';
import { readExchange, recordOutcome } from './row/submit-outcome.js';
import { unheardEnd } from './row/unheard-end.js';
import { standBy } from './stand-by.js';

/** A submit that took longer tells its job directly: the server may have given the activity up. */
const SLOW_MS = 20_000;

export interface SubmitActivities {
  /**
   * One claim, one POST, one recorded outcome. An ambiguous outcome is a result, never an error. With a claim in
   * place nothing is sent and what stands there is returned.
   */
  submit(input: SubmitInput): Promise<SubmitResult & GrantedMeanwhile>;
}

export function submitActivities(deps: Dependencies, saveAtOnce = notAtOnce): SubmitActivities {
  return {
    submit: (input) =>
      withHeartbeat(async () => {
        const granted = await standBy(deps, input);
        if (granted === undefined) return { outcome: 'not_granted' };
        if (granted === 'at hand') return await submitHeld(deps, input, saveAtOnce);
        return await submitHeld(deps, { ...input, grant: granted.grant }, saveAtOnce, { granted });
      }),
  };
}

async function submitHeld(
  deps: Dependencies,
  input: SubmitInput,
  saveAtOnce: SaveAtOnce,
  meanwhile: GrantedMeanwhile = {},
): Promise<SubmitResult & GrantedMeanwhile> {
  const startedMs = deps.monotonic();
  const times = { sentMs: startedMs };
  const sent = await submitOnce(deps, input, times);
  void noteResult(deps, input.grant, sent, times.sentMs);
  const isSlow = (): boolean => deps.monotonic() - startedMs > SLOW_MS;
  // Of what comes late the row may have ended without it: its batch has to hear of that before its record.
  const result = { ...(isSlow() ? sent : await withOutput(saveAtOnce, input.row, sent)), ...meanwhile };
  if (isSlow()) {
    const { row, n } = input;
    const isHeard = await deps.messenger.outcomeKnown({ batch: row.batch, id: row.id }, { n, result });
    // The row may have ended in review meanwhile: what is known now outdoes that.
    if (!isHeard) await deps.messenger.reopen({ generation: row.generation, rows: 0, row });
  }
  return result;
}

async function submitOnce(deps: Dependencies, input: SubmitInput, times: Times): Promise<SubmitResult> {
  try {
    const ready = await prepare(deps, input);
    return 'outcome' in ready ? ready : await claimAndSend(deps, input, ready, times);
  } catch (error) {
    // Nothing was sent: what comes after the request is no StoreError any more.
    if (!(error instanceof StoreError)) throw error;
    if (error.code === 'DAMAGED') return { outcome: 'not_sent', reason: 'record_damaged' };
    deps.log.error({ id: input.row.id, n: input.n, code: error.code }, 'the home could not be used');
    return { outcome: 'no_record' };
  }
}

/** When its request left, by the clock that never jumps; before that, when it began. */
interface Times {
  sentMs: number;
}

interface Ready {
  work: RowWork;
  ref: AttemptRef;
  request: ServiceRequest;
  /** Stands in the request, so the claim must have it too. */
  offer: CallbackOffer | undefined;
  earlier: Attempt[];
  /** By the steady clock. */
  turnMs: number;
}

/** Everything that can be done, and refused, without a claim. */
async function prepare(deps: Dependencies, { row, n, sinceMs }: SubmitInput): Promise<Ready | SubmitResult> {
  const ref: AttemptRef = { batch: row.batch, id: row.id, n };
  const [work, earlier, closed] = await Promise.all([
    loadRow(deps, row),
    // Before a row's first attempt there is nothing to read; the claim finds out if that was wrong.
    n === 1 ? [] : readAttempts(deps, ref),
    readClosed(deps, ref.batch),
  ]);
  const standing = await standingResult(deps, earlier, row, work.row.hash, n);
  if (standing) return standing;
  const reason = closed(work.row);
  if (reason) return { outcome: 'not_sent', reason };
  if (isGivenUp(earlier, sinceMs)) return { outcome: 'not_sent', reason: 'answer_lost_unbilled' };
  const unheard = await unheardEnd(deps, row, work.row.hash, earlier);
  if (unheard) return { outcome: 'not_sent', reason: unheard };
  const offer = newCallbackOffer(deps, work);
  const request = await buildRequest(deps, { ...work, batch: ref.batch }, formatOf(work, earlier), offer);
  if (request === 'needs_inputs') return { outcome: 'needs_inputs' };
  if ('reason' in request) return { outcome: 'not_sent', ...request };
  await deps.requests.turn(Number.POSITIVE_INFINITY); // a claim must be fresh when it is sent
  return { work, ref, request, offer, earlier, turnMs: deps.monotonic() };
}

async function claimAndSend(
  deps: Dependencies,
  { row, grant, upToNano, sinceMs }: SubmitInput,
  ready: Ready,
  times: Times,
): Promise<SubmitResult> {
  const { work, ref } = ready;
  let claimedAt = instant(deps);
  noteUnderWay(deps, ref, 1);
  try {
    const [isOwn, intent, replaced, unordered, maxNano, late] = await Promise.all([
      isOwnHome(deps, ref.batch),
      intentFor(deps, ready, row, claimedAt.wallMs),
      replacement(deps, { ref: row, row: work.row }),
      notOrdered(deps, row, { hash: work.row.hash, earlier: ready.earlier, sinceMs }),
      loweredBudget(deps, ref.batch),
      lateStanding(deps, row, work.row.hash, ref.n),
    ]);
    if (!isOwn) {
      await holdForHome(deps, ref.batch);
      return { outcome: 'held' };
    }
    if (replaced) return replaced;
    if (unordered) return unordered;
    if (late) return late;
    const mostNano = withFollowUp(work.row, intent.expected)?.hi ?? null;
    const text = aboveReserved(mostNano, upToNano);
    if (text !== undefined) return { outcome: 'not_sent', reason: 'budget_reached', text };
    // Nothing was claimed, so whoever takes this row over finds a free place.
    if (!mayClaim(deps)) throw tryAgain('worker.ending', 'before the claim');
    const claimed = await claimWithin(deps, row, { maxNano, upToNano: mostNano }, () => {
      // The claims before it may have taken long.
      claimedAt = instant(deps);
      times.sentMs = claimedAt.monotonicMs;
      const untilMs = claimedAt.wallMs + callHeldMs(deps.settings, work.row.kind);
      noteAwaited(deps, ref, { creditsNano: mostNano, untilMs });
      return claim(deps, ref, { ...intent, atMs: claimedAt.wallMs });
    });
    if (claimed === 'over budget') return { outcome: 'not_sent', reason: 'budget_reached' };
    if (claimed === 'no_record') return { outcome: 'no_record' };
    if (claimed === 'taken') {
      const attempts = await readAttempts(deps, ref);
      return (await standingResult(deps, attempts, row, work.row.hash, ref.n)) ?? { outcome: 'no_record' };
    }
    return await send(deps, ready, claimedAt, grant);
  } finally {
    noteUnderWay(deps, ref, -1);
  }
}

/** The one POST of a claim, and its outcome made durable. */
async function send(
  deps: Dependencies,
  { work, ref, request, turnMs }: Ready,
  claimedAt: Instant,
  grant: HeldGrant['grant'],
): Promise<SubmitResult> {
  // The key may have been changed once the answer is there.
  const keyMark = deps.keyMark();
  const exchange = await deps.transport.send(request, {
    headersTimeoutMs: headersLimitMs(deps.settings, work.row.kind),
    leavingMaxMs: leavingMaxMs(deps.settings, work.row.kind),
    beforeSend: () => {
      refuseOld(deps, claimedAt);
      deps.requests.leaves(turnMs);
    },
  });
  try {
    const outcome = await readExchange(deps, work, exchange, request);
    return await recordOutcome(deps, work, ref, outcome, { claimedAtMs: claimedAt.wallMs, grant, keyMark });
  } catch (error) {
    // Its job may render: the slot stays with it, and the ledger is asked what became of it.
    if (error instanceof StoreError) throw tryAgain('records.unavailable', error.code);
    throw error;
  }
}
