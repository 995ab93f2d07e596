import { setTimeout as delay } from 'node:timers/promises';
import { bookEnd, bookRefusal } from '../../src/books/charges.js';
import type { Expected, SubmitResult } from '../../src/contract/attempts.js';
import type { AttemptRef, AttemptState, RecordedOutput, RefusalNext } from '../../src/domain/attempt.js';
import type { ErrorReading, Exchange, Output, ServiceRequest } from '../../src/domain/exchange.js';
import { creditsFromNumber } from '../../src/domain/money.js';
import { refusalText } from '../../src/home/earlier-render.js';
import type { RowWork } from '../../src/home/row-work.js';
import type { Adapter } from '../../src/kinds/adapter.js';
import { factsOf } from '../../src/kinds/facts.js';
import { type Classified, classifySubmit, type SubmitEvidence } from '../../src/service/classify.js';
import { readError, readRetryAfter, retryAfterNote } from '../../src/service/errors.js';
import { StoreError } from '../../src/store/port.js';
import type { Dependencies } from '../dependencies.js';
import { salvageOutput } from '../files/salvaged-output.js';
import { noteUnwritten } from './claims.js';
import { close } from './closed-models.js';
import { ownSalvaged, ownsHandle, ownsOutputs } from './contested.js';
import { goOnIfLate } from './late-answer.js';
import { giveBack, noteCase } from './semaphore-notes.js';

/** What no waiting mends in a home that cannot be written. */
const FOR_GOOD: readonly string[] = ['BAD_KEY', 'DAMAGED', 'EEXIST'];
const OFFER_EVERY_MS = 1_000;

/** About how long a slot takes from its release to the next request, ms. */
const HAND_OVER_MS = 60;

/** A classified submit with what the account's pauses want to know. */
export interface SubmitOutcome {
  classified: Classified;
  error: ErrorReading | undefined;
}

/** Has service and vendor read what came back, and classifies it. */
export async function readExchange(
  deps: Dependencies,
  { adapter, row }: RowWork,
  exchange: Exchange,
  request: ServiceRequest,
): Promise<SubmitOutcome> {
  const base = { flow: adapter.flow, errorForms: adapter.errorForms, exchange };
  if (exchange.outcome === 'not_sent') return { classified: classifySubmit(base), error: undefined };
  if (exchange.outcome === 'lost') {
    const { partialBody, status } = exchange;
    const salvaged = partialBody ? await salvage(adapter, partialBody, status) : {};
    return { classified: classifySubmit({ ...base, ...salvaged }), error: undefined };
  }
  const { answer } = exchange;
  if (answer.status >= 200 && answer.status < 300) {
    const reading = adapter.readSubmit(answer);
    const salvaged = reading.reading === 'unreadable' ? await salvage(adapter, answer.body, answer.status) : {};
    return { classified: classifySubmit({ ...base, reading, ...salvaged }), error: undefined };
  }
  const error = readError(answer);
  const classified = classifySubmit({
    ...base,
    ...(await salvage(adapter, answer.body, answer.status)),
    ...(error ? { error, vendorRefusal: adapter.readRefusal(answer.status, error) } : {}),
    // The body of an interaction is the row's own, and stays as it is.
    askedForBytes: request.body?.response_format === 'b64_json' && factsOf(row.kind).output !== 'any',
  });
  return { classified: withWait(deps, classified, answer.retryAfter), error };
}

/** A handle or an output that stands in the answer, whatever its status and wherever it was cut (TH, TS). */
async function salvage(
  adapter: Adapter,
  body: Uint8Array,
  status: number | undefined,
): Promise<Pick<SubmitEvidence, 'salvagedHandle' | 'salvagedOutput'>> {
  const isAccepted = status !== undefined && status >= 200 && status < 300;
  if (adapter.flow === 'async') {
    const handle = adapter.salvageHandle(body, isAccepted);
    return handle === undefined ? {} : { salvagedHandle: handle };
  }
  const output = await salvageOutput(adapter, body, isAccepted);
  return output === undefined ? {} : { salvagedOutput: output };
}

/** Refusals after which the header is followed: after the others nothing waits for it. */
const FOLLOWED: ReadonlySet<RefusalNext> = new Set(['wait_provider', 'wait_turn', 'wait_gateway']);

/** How long a refusal asks to wait; what nobody can mean is followed as little as may be, and said. */
function withWait(deps: Dependencies, classified: Classified, header: string | undefined): Classified {
  const asked = classified.state === 'refused' ? readRetryAfter(header, deps.now()) : undefined;
  if (classified.state !== 'refused' || asked === undefined) return classified;
  const note = FOLLOWED.has(classified.next) ? retryAfterNote(header, asked) : undefined;
  const message = note === undefined ? classified.message : `${classified.message}; ${note}`;
  if (note !== undefined) deps.log.warn({ rule: classified.rule, waitMs: asked.waitMs }, note);
  return { ...classified, message, retryAfterMs: asked.waitMs };
}

/** Makes the outcome durable before anything else happens, and says what it means for the job. */
export async function recordOutcome(
  deps: Dependencies,
  work: RowWork,
  ref: AttemptRef,
  { classified, error }: SubmitOutcome,
  { claimedAtMs, grant, keyMark }: { claimedAtMs: number; grant: number | null; keyMark: string },
): Promise<SubmitResult> {
  const state = await offerToHome(deps, ref, classified);
  const { n } = ref;
  const openCase: SubmitResult = { outcome: 'standing', n, standing: 'open_case' };
  switch (state.state) {
    case 'refused': {
      await bookRefusal(deps.books, work.row, ref, state, { claimedAtMs });
      await goOnIfLate(deps, ref, work.row, claimedAtMs);
      if (state.next === 'fail_model' || state.next === 'fail_route')
        await close(deps, ref.batch, work.row, state.next, { said: refusalText(state), named: error?.model });
      const { next, retryAfterMs: waitMs } = state;
      return {
        outcome: 'refused',
        n,
        next,
        ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
        ...untilChanged(deps, next, { error, keyMark }),
      };
    }
    case 'done': {
      if (!(await ownsOutputs(deps, ref, work.row, state.outputs))) return openCase;
      const released = await giveBack(deps, { grant }, { done: true });
      // The next submit goes through the same process and disk: it is written down first.
      if (released.released) await delay(HAND_OVER_MS);
      await bookEnd(deps.books, work.row, ref, state, { claimedAtMs });
      await goOnIfLate(deps, ref, work.row, claimedAtMs);
      return { outcome: 'standing', n, standing: 'done', ...released };
    }
    case 'created':
      if (!(await ownsHandle(deps, ref, state.handle))) return openCase;
      await goOnIfLate(deps, ref, work.row, claimedAtMs);
      return { outcome: 'standing', n, standing: 'created', ...(await expectedOf(deps, work, claimedAtMs)) };
    default:
      await ownSalvaged(deps, ref, state);
      await noteCase(deps, ref, await deps.ledger.readAttempt(ref));
      return openCase;
  }
}

async function expectedOf(deps: Dependencies, { row }: RowWork, turn: number): Promise<Expected> {
  const expected = await deps.renders.expected(row, turn);
  return expected === null ? {} : { expected };
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

/**
 * The outcome exists only here until it is written, and may be paid for: it is offered to a home that cannot take it, on a
 * full disk for one, for as long as this process lives.
 */
async function offerToHome(deps: Dependencies, ref: AttemptRef, classified: Classified): Promise<AttemptState> {
  const atMs = deps.now();
  for (;;) {
    try {
      const state = await withBlobs(deps, classified, atMs);
      await deps.ledger.append(ref, state);
      return state;
    } catch (error) {
      if (!(error instanceof StoreError) || FOR_GOOD.includes(error.code)) throw error;
      noteUnwritten(deps, ref);
      deps.log.error(
        { ...ref, state: classified.state, error: String(error) },
        'the outcome could not be written; trying again',
      );
      await delay(OFFER_EVERY_MS);
    }
  }
}

/** A balance in a refusal may be rounded down to cents: a reading of the same balance is no rise above it. */
const ROUNDED_NANO = 10_000_000;

/** What must change before the account goes on: its balance, or its key. */
function untilChanged(
  deps: Dependencies,
  next: RefusalNext,
  { error, keyMark }: { error: ErrorReading | undefined; keyMark: string },
): { needNano?: number; seenNano?: number[]; keyMark?: string } {
  if (next === 'pause_key') return { keyMark };
  if (next !== 'pause_credits') return {};
  const need = creditsFromNumber(error?.creditsRequired);
  const told = creditsFromNumber(error?.creditsBalance);
  const isRounded = told !== undefined && told !== null && told % ROUNDED_NANO === 0;
  const seen = [isRounded ? told + ROUNDED_NANO : told, deps.books.latest?.value.balanceNano];
  return {
    ...(need === undefined ? {} : { needNano: need }),
    seenNano: seen.filter((nano) => nano !== undefined && nano !== null),
  };
}
