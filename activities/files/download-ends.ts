import type { DownloadInput } from '../../src/contract/attempts.js';
import type { Attempt } from '../../src/domain/attempt.js';
import { speaksOfHost } from '../../src/domain/exchange.js';
import type { Kind } from '../../src/domain/kind.js';
import type { RowRecord } from '../../src/domain/outcome.js';
import { afterFailedTry, type NextTry, ROW_WAITS_MS, type TryEnd } from '../../src/domain/output-tries.js';
import { intentOf, standingOf } from '../../src/domain/standing.js';
import { resultStates } from '../../src/home/attempts.js';
import { awayRender } from '../../src/home/past-renders.js';
import type { RowWork } from '../../src/home/row-work.js';
import { factsOf } from '../../src/kinds/facts.js';
import { adapterFor } from '../../src/kinds/index.js';
import { DownloadError } from '../../src/service/download.js';
import { OutputRefused } from '../../src/store/outputs.js';
import type { Dependencies } from '../dependencies.js';
import type { Tries } from './tries.js';

/** What a failed try of a download means, and what follows from it. */

/** An output that could not be had this time; `text` says it for people. */
export interface Missing {
  end: TryEnd;
  why: string;
  status?: number;
  text: string;
  /** There is no place left where it could be. */
  isGone?: true;
  /** Where the bytes that came with the answer are kept for a person. */
  keptAt?: string;
  /** They are not all that there is: what is missing may still come from its URL. */
  isElsewhere?: true;
}

/** What a thrown error says of the output; everything else is thrown on. */
export function missingOf(error: unknown): Missing {
  if (error instanceof OutputRefused) return { end: 'refused', why: error.reason, text: error.message };
  if (!(error instanceof DownloadError)) throw error;
  const { reason: why, status, message: text } = error;
  return { end: endOf(error), why, text, ...(status === undefined ? {} : { status }) };
}

function endOf({ reason, status = 0 }: DownloadError): TryEnd {
  switch (reason) {
    case 'too_large':
      return 'too_large';
    case 'expired':
    case 'forbidden_address':
    case 'not_media':
      return 'refused';
    case 'http':
      return speaksOfHost(status) ? 'unanswered' : 'refused';
    case 'unreachable':
    case 'short':
    case 'too_slow':
      return 'unanswered';
  }
}

/** What a failed try is judged by. */
export interface FailedOutput {
  deps: Dependencies;
  input: DownloadInput;
  work: RowWork;
  /** What the attempt asked for: its row may ask for another by now. */
  kind: Kind;
  attempt: Attempt;
  record: RowRecord | undefined;
  tries: Tries;
}

export function nextTry(failed: FailedOutput, { end, isGone }: Missing): NextTry {
  const { deps, input, kind, attempt, tries } = failed;
  const nowMs = deps.now();
  const serviceMs = (sinceMs: number) => (nowMs - sinceMs) * deps.settings.timeScale;
  // The service says that the job failed or expired after all: nobody can be asked any more, and nothing lives longer.
  const last = attempt.states.at(-1);
  const overAtMs = isGone ? nowMs : last?.state === 'ended' ? last.atMs : null;
  const renderedAtMs = resultStates(attempt)[0]?.atMs ?? nowMs;
  const leftMs = factsOf(kind).outputLifeMs - serviceMs(renderedAtMs);
  const { asks = 0, askedAtMs = 0, isAnswered = false } = input.before ?? {};
  const asked = { times: asks, agoMs: serviceMs(askedAtMs), isAnswered };
  return afterFailedTry({
    end,
    tries: tries.tries,
    elapsedMs: serviceMs(tries.sinceMs),
    triedMs: tries.triedMs * deps.settings.timeScale,
    lifeLeftMs: overAtMs === null ? leftMs : Math.min(leftMs, -serviceMs(overAtMs)),
    asked: overAtMs !== null || adapterFor(kind).flow === 'sync' ? null : asked,
    waitsMs: input.isLate ? null : isPending(failed.record, failed) ? 0 : ROW_WAITS_MS,
  });
}

/**
 * The row has waited for this output before: one more try, and it goes on waiting without the row. For that of an attempt
 * that was paid since, it has not.
 */
function isPending(record: RowRecord | undefined, { work, attempt }: FailedOutput): boolean {
  if (record?.reasonCode !== 'output_pending' || record.rowHash !== work.row.hash) return false;
  return record.submittedAtMs === intentOf(attempt)?.atMs;
}

/** False when an output that is fetched late is no longer waited for: it was had, or a person settled the row. */
export function isAwaited(record: RowRecord | undefined, attempt: Attempt): boolean {
  const standing = standingOf(attempt);
  return record?.reasonCode === 'output_pending' && (standing === 'done' || standing === 'rendered');
}

/** A row that was paid again after a change, or whose file was changed, finds older files: they stay, the new ones step aside. */
export function hasOlderFiles(record: RowRecord | undefined, { row }: RowWork): boolean {
  if (record === undefined || (record.files.length === 0 && awayRender(record) === undefined)) return false;
  return record.rowHash !== row.hash || record.reasonCode === 'output_pending';
}
