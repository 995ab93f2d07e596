import { setTimeout as delay } from 'node:timers/promises';
import type { SubmitResult } from '../contract/activities.js';
import type { AttemptRef, AttemptState, RecordedOutput } from '../domain/attempt.js';
import type { Exchange } from '../domain/exchange.js';
import { creditsFromNumber } from '../domain/money.js';
import type { ErrorReading, Output } from '../domain/reading.js';
import { type Classified, classifySubmit } from '../reconcile/classify.js';
import { readError } from '../service/errors.js';
import { retryAfterMs } from '../service/retry-after.js';
import { LedgerError } from '../store/ledger.js';
import { lastReading } from './account.js';
import { bookCharge, bookUnbilled } from './charges.js';
import { close } from './closed-models.js';
import type { Dependencies } from './dependencies.js';
import { giveBack } from './give-back.js';
import type { RowWork } from './row-work.js';
import { noteCase } from './semaphore-notes.js';

/** How long an outcome that is in memory is offered to a home that cannot be written, ms. */
const OFFER_MS = 90_000;

/** About how long a slot takes from its release to the next request, ms. */
const HAND_OVER_MS = 60;

/** A classified submit with what the account's pauses want to know. */
export interface SubmitOutcome {
  classified: Classified;
  error: ErrorReading | undefined;
}

/** Has service and vendor read what came back, and classifies it. */
export function readExchange(deps: Dependencies, { adapter }: RowWork, exchange: Exchange): SubmitOutcome {
  const { flow } = adapter;
  if (exchange.outcome === 'lost') {
    const handle = exchange.partialBody && adapter.salvageHandle(exchange.partialBody);
    return {
      classified: classifySubmit({ flow, exchange, ...(handle ? { salvagedHandle: handle } : {}) }),
      error: undefined,
    };
  }
  if (exchange.outcome === 'not_sent') return { classified: classifySubmit({ flow, exchange }), error: undefined };
  const { answer } = exchange;
  if (answer.status >= 200 && answer.status < 300) {
    const reading = adapter.readSubmit(answer);
    const handle = reading.reading === 'unreadable' ? adapter.salvageHandle(answer.body) : undefined;
    const salvaged = handle ? { salvagedHandle: handle } : {};
    return { classified: classifySubmit({ flow, exchange, reading, ...salvaged }), error: undefined };
  }
  const error = readError(answer);
  const waitMs = retryAfterMs(answer.retryAfter, deps.now());
  const classified = classifySubmit({
    flow,
    exchange,
    ...(error ? { error, vendorRefusal: adapter.readRefusal(answer.status, error) } : {}),
    ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
  });
  return { classified, error };
}

/** Makes the outcome durable before anything else happens, and says what it means for the job. */
export async function recordOutcome(
  deps: Dependencies,
  work: RowWork,
  ref: AttemptRef,
  { classified, error }: SubmitOutcome,
  { claimedAtMs, grant }: { claimedAtMs: number; grant: number | null },
): Promise<SubmitResult> {
  const state = await offerToHome(deps, ref, classified);
  const { n } = ref;
  switch (state.state) {
    case 'refused': {
      // A failed call may have been charged before it was refunded; other refusals never are (service document 1).
      if (state.rule === 'S1') await bookUnbilled(deps, work, ref, { claimedAtMs, endedAtMs: state.atMs });
      await deps.ledger.close(ref);
      if (state.next === 'fail_model' || state.next === 'fail_route')
        await close(deps, ref.batch, work.row, state.next);
      const { next, retryAfterMs: waitMs } = state;
      return {
        outcome: 'refused',
        n,
        next,
        ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
        ...money(deps, error),
      };
    }
    case 'done': {
      const released = await giveBack(deps, { grant }, { done: true });
      // The next submit goes through the same process and disk: the books let it pass.
      if (released.released) await delay(HAND_OVER_MS);
      await bookCharge(deps, work, ref, { claimedAtMs, endedAtMs: state.atMs, facts: state.facts });
      await deps.ledger.close(ref);
      return { outcome: 'standing', n, standing: 'done', ...released };
    }
    case 'created':
      return { outcome: 'standing', n, standing: 'created' };
    default:
      await noteCase(deps, ref, await deps.ledger.readAttempt(ref));
      return { outcome: 'standing', n, standing: 'open_case' };
  }
}

/** Bytes that came in the answer are in the home before the state that names them. */
async function withBlobs(deps: Dependencies, classified: Classified, atMs: number): Promise<AttemptState> {
  if (classified.state !== 'done') return { ...classified, atMs };
  const outputs = await Promise.all(classified.outputs.map((output) => keepBytes(deps, output)));
  return { state: 'done', atMs, outputs, facts: classified.facts };
}

async function keepBytes(deps: Dependencies, { base64, ...output }: Output): Promise<RecordedOutput> {
  if (base64 === undefined) return output;
  return { ...output, blobSha256: await deps.home.putBlob(Buffer.from(base64, 'base64')) };
}

/** The outcome exists only here until it is written: a home that is away for a moment must not lose it. */
async function offerToHome(deps: Dependencies, ref: AttemptRef, classified: Classified): Promise<AttemptState> {
  const atMs = deps.now();
  const untilMs = deps.monotonic() + OFFER_MS;
  for (;;) {
    try {
      const state = await withBlobs(deps, classified, atMs);
      await deps.ledger.append(ref, state);
      return state;
    } catch (error) {
      if (error instanceof LedgerError || deps.monotonic() > untilMs) throw error;
      deps.log.error(
        { ...ref, state: classified.state, error: String(error) },
        'the outcome could not be written; trying again',
      );
      await delay(1_000);
    }
  }
}

function money(deps: Dependencies, error: ErrorReading | undefined): { needNano?: number; balanceNano?: number } {
  const need = creditsFromNumber(error?.creditsRequired);
  const balance = creditsFromNumber(error?.creditsBalance) ?? lastReading(deps)?.value.balanceNano ?? undefined;
  return {
    ...(need === undefined ? {} : { needNano: need }),
    ...(balance === undefined ? {} : { balanceNano: balance }),
  };
}
