import { Context } from '@temporalio/activity';
import type { SubmitInput, SubmitResult } from '../contract/activities.js';
import type { Attempt, AttemptRef, Intent } from '../domain/attempt.js';
import { allowsAnother, standingOf } from '../domain/attempt.js';
import type { ResponseFormat } from '../domain/batch-options.js';
import type { ServiceRequest } from '../domain/exchange.js';
import { BALANCE_TOLERANCE_NANO } from '../domain/money.js';
import { wasCancelled } from '../store/batch-marks.js';
import { StoreError } from '../store/port.js';
import { type CallbackOffer, newCallbackOffer } from './callback-offer.js';
import { readClosed } from './closed-models.js';
import type { Dependencies } from './dependencies.js';
import { InputMissing, InputNotFetched } from './input-error.js';
import type { InputWork } from './input-urls.js';
import { intentFor } from './intent.js';
import { resolveMedia } from './media.js';
import { standsFor } from './row-letter.js';
import { loadRow, type RowWork } from './row-work.js';
import { noteResult } from './semaphore-notes.js';
import { readExchange, recordOutcome } from './submit-outcome.js';
import { resultOf } from './submit-result.js';
import { noteUnderWay } from './under-way.js';
import { readAttempts, rememberUnsent } from './unsent-claims.js';
import { headersLimitMs } from './waits.js';

/** A claim older than this sends nothing any more: its process was paused and the world has moved on. */
export const FRESH_MS = 15_000;
/** Attempts of one job that may be found not billed before its row fails. */
const UNBILLED_MAX = 3;
const HEARTBEAT_MS = 5_000;
/** A submit that took longer tells its job directly: the server may have given the activity up. */
const SLOW_MS = 20_000;

export interface SubmitActivities {
  /**
   * One claim, one POST, one recorded outcome. An ambiguous outcome is a result, never an error. With a claim in
   * place nothing is sent and what stands there is returned.
   */
  submit(input: SubmitInput): Promise<SubmitResult>;
}

export function submitActivities(deps: Dependencies): SubmitActivities {
  return {
    async submit(input) {
      const beat = setInterval(() => Context.current().heartbeat(), HEARTBEAT_MS);
      const startedMs = deps.monotonic();
      try {
        const result = await submitOnce(deps, input);
        void noteResult(deps, input.grant, result);
        if (deps.monotonic() - startedMs > SLOW_MS) {
          const { row, n } = input;
          const isHeard = await deps.messenger.outcomeKnown({ batch: row.batch, id: row.id }, { n, result });
          // The row may have ended in review meanwhile: what is known now outdoes that.
          if (!isHeard) await deps.messenger.reopen({ generation: row.generation, rows: 0, row });
        }
        return result;
      } finally {
        clearInterval(beat);
      }
    },
  };
}

async function submitOnce(deps: Dependencies, input: SubmitInput): Promise<SubmitResult> {
  try {
    const ready = await prepare(deps, input);
    return 'outcome' in ready ? ready : await claimAndSend(deps, input, ready);
  } catch (error) {
    // Before the claim nothing was sent; after it the next try finds the claim and sends nothing either.
    if (!(error instanceof StoreError)) throw error;
    deps.log.error({ id: input.row.id, n: input.n, code: error.code }, 'the home could not be used');
    return { outcome: 'no_record' };
  }
}

interface Ready {
  work: RowWork;
  ref: AttemptRef;
  request: ServiceRequest;
  /** Stands in the request, so the claim must have it too. */
  offer: CallbackOffer | undefined;
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
  const standing = standingResult(earlier, n, work.row.hash);
  if (standing) return standing;
  const reason = closed(work.row);
  if (reason) return { outcome: 'not_sent', reason };
  if (isGivenUp(earlier, sinceMs)) return { outcome: 'not_sent', reason: 'answer_lost_unbilled' };
  const offer = newCallbackOffer(deps, work);
  const request = await buildRequest(deps, { ...work, batch: ref.batch }, formatOf(work, earlier), offer);
  if (request === 'needs_inputs') return { outcome: 'needs_inputs' };
  if (typeof request === 'string') return { outcome: 'not_sent', reason: request };
  return { work, ref, request, offer };
}

/** The ledger's guard: nothing is sent over a claim, nor while an earlier attempt may cost. */
function standingResult(attempts: Attempt[], n: number, rowHash: string): SubmitResult | undefined {
  const same = attempts.find((attempt) => attempt.n === n);
  if (same) return resultOf(same);
  const open = attempts.find((attempt) => standsFor(attempt, rowHash) && !allowsAnother(standingOf(attempt)));
  return open && resultOf(open);
}

/** Found not billed this often since its job began, a row is not sent again by itself. */
function isGivenUp(earlier: Attempt[], sinceMs: number): boolean {
  const unbilled = earlier.filter((attempt) => standingOf(attempt) === 'not_billed');
  return unbilled.filter((attempt) => (attempt.states[0]?.atMs ?? 0) >= sinceMs).length >= UNBILLED_MAX;
}

/** What was too large to be returned as bytes is asked for by URL from then on. */
function formatOf({ row, options }: RowWork, earlier: Attempt[]): ResponseFormat {
  const wasTooLarge = earlier.some((attempt) => {
    const last = attempt.states.at(-1);
    return standsFor(attempt, row.hash) && last?.state === 'refused' && last.next === 'retry_as_url';
  });
  return wasTooLarge ? 'url' : options.responseFormat;
}

async function buildRequest(
  deps: Dependencies,
  { row, adapter, options, batch }: InputWork,
  responseFormat: ResponseFormat,
  offer: CallbackOffer | undefined,
): Promise<ServiceRequest | 'input_missing' | 'needs_inputs' | 'invalid_request'> {
  try {
    return adapter.submitRequest(row, await resolveMedia(deps, { row, adapter, options, batch }), {
      responseFormat,
      aliasPaths: deps.settings.aliasPaths,
      ...(offer ? { callbackUrl: offer.url } : {}),
    });
  } catch (error) {
    if (error instanceof InputNotFetched) return 'needs_inputs';
    if (error instanceof InputMissing) return 'input_missing';
    if (!(error instanceof TypeError)) throw error;
    // An adapter that cannot build the body: the same row would fail for ever.
    deps.log.error({ id: row.id, kind: row.kind, error: error.message }, 'the request could not be built');
    return 'invalid_request';
  }
}

async function claimAndSend(
  deps: Dependencies,
  { row, grant, upToNano, sinceMs }: SubmitInput,
  ready: Ready,
): Promise<SubmitResult> {
  const { work, ref, request } = ready;
  const claimedWallMs = deps.now();
  const claimedMonotonicMs = deps.monotonic();
  noteUnderWay(deps, ref, 1);
  try {
    const [intent, isCancelled] = await Promise.all([
      intentFor(deps, ready, row, claimedWallMs),
      wasCancelled(deps.home, row.batch, sinceMs),
    ]);
    // The word that ends the job may still be on its way to it, for as long as no worker runs.
    if (isCancelled) return { outcome: 'not_sent', reason: 'cancelled_by_user' };
    // The price has risen since the batch's budget reserved it, by more than a balance can show.
    const reserved = (upToNano ?? Number.POSITIVE_INFINITY) + BALANCE_TOLERANCE_NANO;
    if ((intent.expected?.hi ?? Number.MAX_VALUE) > reserved) {
      return { outcome: 'not_sent', reason: 'budget_reached' };
    }
    const claimed = await claim(deps, ref, intent);
    if (claimed === 'no_record') return { outcome: 'no_record' };
    if (claimed === 'taken')
      return standingResult(await readAttempts(deps, ref), ref.n, work.row.hash) ?? { outcome: 'no_record' };
    const exchange = await deps.transport.send(request, {
      headersTimeoutMs: headersLimitMs(deps.settings, work.row.kind),
      beforeSend: () => {
        const wallMs = deps.now() - claimedWallMs;
        const ageMs = Math.max(wallMs, deps.monotonic() - claimedMonotonicMs);
        // A wall clock that was set back proves nothing about the age either.
        if (ageMs > FRESH_MS || wallMs < -FRESH_MS) throw new Error('the claim is too old to be sent');
      },
    });
    return await recordOutcome(deps, work, ref, await readExchange(deps, work, exchange, request), {
      claimedAtMs: claimedWallMs,
      grant,
    });
  } finally {
    noteUnderWay(deps, ref, -1);
  }
}

async function claim(deps: Dependencies, ref: AttemptRef, intent: Intent): Promise<'claimed' | 'taken' | 'no_record'> {
  try {
    return (await deps.ledger.claim(ref, intent)) ? 'claimed' : 'taken';
  } catch (error) {
    rememberUnsent(deps, ref, intent.nonce);
    deps.log.error({ ...ref, error: String(error) }, 'the claim could not be written; nothing was sent');
    return 'no_record';
  }
}
