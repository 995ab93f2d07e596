import { Context } from '@temporalio/activity';
import { bookEnd } from '../src/books/charges.js';
import { noteAsked } from '../src/books/settle-case.js';
import type { AttemptInput, ConfirmInput, ConfirmResult } from '../src/contract/attempts.js';
import type { Attempt, AttemptRef, AttemptState } from '../src/domain/attempt.js';
import type { Exchange, PollReading } from '../src/domain/exchange.js';
import { intentOf, standingOf } from '../src/domain/standing.js';
import { endStateOf, hasLostAnswer } from '../src/home/attempts.js';
import { isNameOfAnother } from '../src/home/handles.js';
import { loadRow } from '../src/home/row-work.js';
import type { AsyncAdapter } from '../src/kinds/adapter.js';
import { readPolled } from '../src/kinds/readings.js';
import { DownloadError } from '../src/service/download.js';
import type { Dependencies } from './dependencies.js';
import { askedWaitMs, type FailureType, readTurn, tryAgain, withRecords } from './failures.js';
import { isWholeFile } from './files/salvaged-output.js';
import { withHeartbeat } from './heartbeat.js';
import { isOutputOfAnother, ownsHandle, ownsOutputs, salvagedUrl } from './row/contested.js';
import { noteCaseEnd } from './row/semaphore-notes.js';

/** Asks after what a lost answer named. */
export interface SalvageActivities {
  /** Takes one handle that is known by a hint alone (a cut answer, a callback) for real if a poll confirms it. */
  confirmHandle(input: ConfirmInput): Promise<ConfirmResult>;
  /** Fetches the output that a lost synchronous answer named (TS): a whole file makes the attempt done. */
  fetchSalvaged(input: AttemptInput): Promise<Fetched>;
}

/** A poll that fails in passing is repeated this often; then the case goes on without it. */
const TRIES_MAX = 5;

interface Candidate {
  handle: string;
  warning: string;
}

export function salvageActivities(deps: Dependencies): SalvageActivities {
  return {
    confirmHandle: (input) => withRecords(() => confirm(deps, input)),
    fetchSalvaged: (input) => withHeartbeat(() => withRecords(() => fetchSalvaged(deps, input))),
  };
}

async function confirm(deps: Dependencies, { row, n, candidate }: ConfirmInput): Promise<ConfirmResult> {
  const ref: AttemptRef = { batch: row.batch, id: row.id, n };
  const attempt = await deps.ledger.readAttempt(ref);
  const noted = await handlesNoted(deps, attempt);
  noteAsked(deps.books, ref, noted.length);
  // Its own answer came after all.
  if (attempt && standingOf(attempt) === 'created') {
    await noteCaseEnd(deps, ref, true);
    return { confirmed: true, more: false };
  }
  if (!attempt || !hasLostAnswer(attempt)) return { confirmed: false, more: false };
  const candidates = candidatesOf(attempt, noted);
  const found = candidates[candidate];
  if (found === undefined) return { confirmed: false, more: false };
  const refuted: ConfirmResult = { confirmed: false, more: candidate + 1 < candidates.length };
  const work = await loadRow(deps, row, intentOf(attempt));
  // A poll would confirm the handle of any job of the account: one that another attempt has is not this one's.
  if (work.adapter.flow !== 'async' || (await isNameOfAnother(deps.home, found.handle, ref))) return refuted;
  await readTurn(deps);
  const exchange = await deps.transport.send(work.adapter.pollRequest(found.handle, work.row));
  // Waited for in here, an hour would keep the case from its own late answer and from a person's word.
  const waitMs = heldMs(deps, exchange);
  if (waitMs !== undefined) return { confirmed: false, more: false, open: true, waitMs };
  const reading = readingOf(work.adapter, found.handle, exchange);
  // A 404 may come of a job that is not to be seen yet: the case goes on, and the handle is asked after again.
  if (reading === undefined) return { ...refuted, open: true };
  const { handle, warning } = found;
  await deps.ledger.append(ref, { state: 'created', atMs: deps.now(), handle, warning });
  if (!(await ownsHandle(deps, ref, handle))) return refuted;
  // The poll that confirms may be told the end already: nobody asks again after that (I13).
  if (reading.reading === 'succeeded' || reading.reading === 'failed') {
    const end = endStateOf(reading, deps.now());
    await deps.ledger.append(ref, end);
    await bookEnd(deps.books, work.row, ref, end, { claimedAtMs: attempt.states[0]?.atMs ?? end.atMs });
  }
  await noteCaseEnd(deps, ref, true);
  return { confirmed: true, more: false };
}

/** How long a 429 asks to be left alone; undefined where it names no time. */
function heldMs(deps: Dependencies, exchange: Exchange): number | undefined {
  if (exchange.outcome !== 'answered' || exchange.answer.status !== 429) return undefined;
  return askedWaitMs(deps, exchange.answer.retryAfter);
}

/** What the poll showed, or undefined where it showed nothing; what may pass is tried again a few times first. */
function readingOf(adapter: AsyncAdapter, handle: string, exchange: Exchange): PollReading | undefined {
  const again = (code: string, type: FailureType = 'service.unavailable'): undefined => {
    if (Context.current().info.attempt < TRIES_MAX) throw tryAgain(type, code);
  };
  if (exchange.outcome !== 'answered') return again(exchange.code);
  const { answer } = exchange;
  if (answer.status === 401) return again('401', 'service.key-refused');
  if (answer.status === 429 || answer.status >= 500) return again(String(answer.status));
  const reading = readPolled(adapter, handle, answer);
  // A gateway's `{}` reads as a job without a known word: that is no word of this one.
  const isWord = reading.reading === 'running' ? reading.known : reading.reading !== 'unreadable';
  return answer.status === 200 && isWord ? reading : undefined;
}

/** The handles that callbacks named for the attempt. */
export async function handlesNoted({ callbacks }: Dependencies, attempt: Attempt | undefined): Promise<string[]> {
  const intent = attempt && intentOf(attempt);
  return intent === undefined ? [] : callbacks.handles(intent);
}

function candidatesOf(attempt: Attempt, noted: readonly string[]): Candidate[] {
  const found = new Map<string, string>();
  for (const state of attempt.states) {
    if (state.state !== 'created_lost' || state.salvagedHandle === undefined) continue;
    const where = state.evidence.rule === 'TH' ? state.evidence.message : 'a handle was found in a cut answer';
    found.set(state.salvagedHandle, `${where}, and a poll confirmed it`);
  }
  for (const handle of noted) {
    if (!found.has(handle)) found.set(handle, 'the handle came by a callback and was confirmed by a poll');
  }
  return [...found].map(([handle, warning]) => ({ handle, warning }));
}

/** The largest documented output, an image of 8192 x 8192 with four bytes a pixel. */
const FILE_BYTES_MAX = 8192 * 8192 * 4;
/** `open`: no whole file so far, and the URL may still give one. `nothing`: no URL is known. */
type Fetched = 'done' | 'open' | 'nothing';

async function fetchSalvaged(deps: Dependencies, { row, n }: AttemptInput): Promise<Fetched> {
  const ref: AttemptRef = { batch: row.batch, id: row.id, n };
  noteAsked(deps.books, ref, 0);
  const attempt = await deps.ledger.readAttempt(ref);
  if (attempt && standingOf(attempt) === 'done') {
    await noteCaseEnd(deps, ref, false);
    return 'done';
  }
  const url = attempt && urlOf(attempt);
  if (attempt === undefined || url === undefined) return 'nothing';
  const work = await loadRow(deps, row, intentOf(attempt));
  if (await isOutputOfAnother(deps, ref, work.row, url)) return 'nothing';
  const bytes = await fetchWhole(deps, ref, url);
  if (bytes === undefined) return 'open';
  const atMs = deps.now();
  const blobSha256 = await deps.home.putBlob(bytes);
  const warnings = ['the answer was lost, but its output could be fetched'];
  const facts = { warnings, mayBeUnbilled: true as const };
  const done: AttemptState = { state: 'done', atMs, outputs: [{ blobSha256 }], facts };
  await deps.ledger.append(ref, done);
  if (!(await ownsOutputs(deps, ref, work.row, [{ url }]))) return 'nothing';
  await bookEnd(deps.books, work.row, ref, done, { claimedAtMs: intentOf(attempt)?.atMs ?? atMs });
  await noteCaseEnd(deps, ref, false);
  return 'done';
}

/** Only an attempt whose answer is lost has need of it. */
function urlOf(attempt: Attempt): string | undefined {
  return hasLostAnswer(attempt) ? salvagedUrl(attempt.states) : undefined;
}

async function fetchWhole(deps: Dependencies, ref: AttemptRef, url: string): Promise<Buffer | undefined> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of (await deps.downloader.fetchOutput(url)).stream) {
      length += piece.length;
      if (length > FILE_BYTES_MAX) return undefined;
      pieces.push(piece);
    }
  } catch (error) {
    if (!(error instanceof DownloadError)) throw error;
    deps.log.warn({ ...ref, reason: error.reason }, 'the output of a lost answer could not be fetched yet');
    return undefined;
  }
  const bytes = Buffer.concat(pieces, length);
  return (await isWholeFile(bytes)) ? bytes : undefined;
}
