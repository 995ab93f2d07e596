import { tellRevised } from '../src/books/revise.js';
import type { AttemptInput, DownloadInput, DownloadResult } from '../src/contract/attempts.js';
import type { AttemptRef } from '../src/domain/attempt.js';
import { defined } from '../src/domain/defined.js';
import { intentOf } from '../src/domain/standing.js';
import { resultState } from '../src/home/attempts.js';
import { feedsReader } from '../src/home/feeders.js';
import { noteLanded, noteLate } from '../src/home/late-outputs.js';
import { hasOutput } from '../src/home/row-standing.js';
import { loadRow, rowInForce } from '../src/home/row-work.js';
import { createDiskBudget, type DiskBudget } from '../src/store/disk-budget.js';
import type { Dependencies } from './dependencies.js';
import { tryAgain, withRecords } from './failures.js';
import { type FailedOutput, isAwaited, type Missing, nextTry } from './files/download-ends.js';
import { askFreshUrl } from './files/fresh-url.js';
import { type Landed, land, openLanding } from './files/landing.js';
import { storedBefore, takeStored } from './files/stored-again.js';
import { type Tries, triedText, whileStored, withTries } from './files/tries.js';
import { type Ending, endRow, isRecordedDone } from './row/record.js';

/** By activities of their own, and as many again by those that heard of an output. */
export const DOWNLOADS_MAX = 8;

const REFUSED = { next: 'refused' } as const;

export interface DownloadActivities {
  /** Fetches every output of an attempt to its final place, then writes the row's record and tells the batch. */
  download(input: DownloadInput): Promise<DownloadResult>;
  /**
   * Asks once what a rendered job has to give now. A fresh URL, or the word that there is nothing any more, stands in
   * the ledger afterwards; any other answer changes nothing.
   */
  askFreshUrl(input: AttemptInput): Promise<boolean>;
}

/** One try without the heartbeat of an activity. */
export type DownloadOnce = (tries: Tries, input: DownloadInput) => Promise<DownloadResult>;

export function createDownload(deps: Dependencies): DownloadOnce {
  const budget = createDiskBudget();
  return (tries, input) => download(deps, budget, tries, input);
}

export function downloadActivities(deps: Dependencies, once = createDownload(deps)): DownloadActivities {
  return {
    download: (input) =>
      withTries(input.before ?? { tries: 0, sinceMs: deps.now() }, (tries) =>
        whileStored(deps, input.row, tries, () => once(tries, input)),
      ),
    askFreshUrl: (input) => withRecords(() => ask(deps, input)),
  };
}

async function download(
  deps: Dependencies,
  budget: DiskBudget,
  tries: Tries,
  input: DownloadInput,
): Promise<DownloadResult> {
  const { row, n, isLate } = input;
  const { batch, id } = row;
  const work = await loadRow(deps, row);
  const attempt = await deps.ledger.readAttempt({ batch, id, n });
  const result = attempt && resultState(attempt);
  if (!result) return end(deps, input, { status: 'lost_paid', reason: 'download_failed' });
  const record = await deps.records.readRecord(batch, id);
  if (isLate && !isAwaited(record, attempt)) {
    // Perhaps a try of ours wrote the record and died before anybody was told.
    await deps.messenger.rewriteResults(batch);
    return { outcome: 'done' };
  }
  const taken = record && (await takeStored(deps, input, { work, attempt, record }));
  if (taken && isLate) {
    await tellRevised(deps.messenger, batch, record, taken);
    return { outcome: 'done' };
  }
  if (await isRecordedDone(deps, row, work, attempt)) return { outcome: 'done' };
  const { kind = work.row.kind } = intentOf(attempt) ?? {};
  const hasOthers = n > 1 && (await deps.ledger.read(batch, id)).some((one) => one.n !== n && hasOutput(one));
  const landed =
    (await storedBefore(deps, input, { work, attempt, record })) ??
    (await land(openLanding({ deps, budget, input, work, kind }, record, hasOthers), result.outputs));
  if (landed.missing) return withoutOutput({ deps, input, work, kind, attempt, record, tries }, landed, landed.missing);
  const { files, warnings } = landed;
  if (record?.reasonCode === 'output_pending') await noteLanded(deps.home, batch, id, deps.now());
  await endRow(deps, row, { status: 'done', n, files, warnings, ...(isLate ? { isLate } : {}) });
  return { outcome: 'done' };
}

/** Tries again, asks for a fresh URL, or ends the row; the record says what was tried and has the files that came. */
async function withoutOutput(failed: FailedOutput, landed: Landed, missing: Missing): Promise<DownloadResult> {
  const { deps, input, tries } = failed;
  const { keptAt, isElsewhere } = missing;
  const tried = keptAt === undefined || isElsewhere ? nextTry(failed, missing) : REFUSED;
  const next = tried.next === 'lost' && keptAt !== undefined ? REFUSED : tried;
  const said =
    keptAt === undefined || next !== REFUSED
      ? triedText(tries, missing, input.before?.asks ?? 0, deps.now())
      : `what came is kept as ${keptAt}`;
  const ending = { files: landed.files, warnings: landed.warnings, text: `${missing.text}; ${said}` };
  switch (next.next) {
    case 'again':
      throw tryAgain('download.interrupted', missing.why, next.delayMs / deps.settings.timeScale);
    case 'ask':
      return { outcome: 'ask', tries: tries.tries, sinceMs: tries.sinceMs };
    case 'refused':
      return end(deps, input, { ...ending, status: 'review', reason: 'output_rejected' });
    case 'lost':
      return end(deps, input, { ...ending, status: 'lost_paid', reason: 'output_expired' });
    case 'pending': {
      await holdWhatItFeeds(failed);
      const ended = await end(deps, input, { ...ending, status: 'review', reason: 'output_pending' });
      await fetchOn(deps, input, tries);
      return ended;
    }
  }
}

async function end(deps: Dependencies, { row, n, isLate }: DownloadInput, ending: Ending): Promise<DownloadResult> {
  await endRow(deps, row, { ...ending, n, ...(isLate ? { isLate } : {}) });
  return { outcome: 'ended', status: ending.status };
}

/** Whenever the output comes, what it feeds is begun by no one but a person. */
async function holdWhatItFeeds({ deps, input, work }: FailedOutput): Promise<void> {
  const now = await rowInForce(deps.rows, { ref: input.row, row: work.row });
  if (now === undefined) return;
  const { batch, generation, index, id } = now.ref;
  const fed = await feedsReader(deps, batch, generation).of(index);
  if (fed !== undefined) await noteLate(deps.home, batch, id, deps.now());
}

/** The record stands already: should this fail, the try is repeated and so is this. */
async function fetchOn(deps: Dependencies, { row, n, before }: DownloadInput, tries: Tries): Promise<void> {
  const { account, timeScale } = deps.settings;
  const { asks = 0, askedAtMs = 0, isAnswered } = before ?? {};
  const made = { tries: tries.tries, sinceMs: tries.sinceMs, asks, askedAtMs, ...defined({ isAnswered }) };
  await deps.messenger.fetchLate({ account, row, n, timeScale, before: made });
}

/** True where there is nothing more that the service could say. */
async function ask(deps: Dependencies, { row, n }: AttemptInput): Promise<boolean> {
  const ref: AttemptRef = { batch: row.batch, id: row.id, n };
  const attempt = await deps.ledger.readAttempt(ref);
  const work = await loadRow(deps, row, attempt && intentOf(attempt));
  return attempt === undefined || (await askFreshUrl(deps, ref, work.row, attempt)) !== 'unanswered';
}
