import type { DownloadInput, DownloadResult } from '../src/contract/outputs.js';
import type { RecordedOutput } from '../src/domain/attempt.js';
import type { OutputFile, RowRecord } from '../src/domain/outcome.js';
import { askedOutput, disagreements } from '../src/kinds/asked-output.js';
import { factsOf } from '../src/kinds/facts.js';
import type { Download } from '../src/service/download.js';
import { createDiskBudget, type DiskBudget } from '../src/store/disk-budget.js';
import { createOutputs, type Outputs, type SavedOutput } from '../src/store/outputs.js';
import { type Store, StoreError } from '../src/store/port.js';
import { whileStored } from './blocked.js';
import type { Dependencies } from './dependencies.js';
import { type FailedOutput, hasOlderFiles, isAwaited, type Missing, missingOf, nextTry } from './download-ends.js';
import { type Tries, triedText, withTries } from './download-tries.js';
import { hasEarlier } from './earlier-render.js';
import { tryAgain } from './failures.js';
import { type Ending, endRow, isRecordedDone } from './record.js';
import { resultState } from './row-credits.js';
import { loadRow, type RowWork } from './row-work.js';

/** By activities of their own, and as many again by those that heard of an output. */
export const DOWNLOADS_MAX = 8;

export interface DownloadActivities {
  /** Fetches every output of an attempt to its final place, then writes the row's record and tells the batch. */
  download(input: DownloadInput): Promise<DownloadResult>;
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
  };
}

/** One try of all outputs of one attempt. */
interface Landing {
  deps: Dependencies;
  budget: DiskBudget;
  input: DownloadInput;
  work: RowWork;
  store: Store;
  outputs: Outputs;
  onExists: RowWork['options']['onExists'];
}

/** What a try brought: files with their warnings, and the first output that it did not bring. */
interface Landed {
  files: OutputFile[];
  warnings: string[];
  missing?: Missing;
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
  if (await isRecordedDone(deps, row, work, attempt)) return { outcome: 'done' };
  const landed = await land(await openLanding(deps, budget, input, work, record), result.outputs);
  if (landed.missing) return withoutOutput({ deps, input, work, attempt, record, tries }, landed, landed.missing);
  const { files, warnings } = landed;
  await endRow(deps, row, { status: 'done', files, warnings, ...(isLate ? { isLate } : {}) });
  return { outcome: 'done' };
}

async function openLanding(
  deps: Dependencies,
  budget: DiskBudget,
  input: DownloadInput,
  work: RowWork,
  record: RowRecord | undefined,
): Promise<Landing> {
  const { options } = work;
  const store = deps.openStore(options.out);
  const isAnother = record !== undefined && hasEarlier(record);
  const mayVersion = isAnother || (options.onExists === 'fail' && hasOlderFiles(record, work));
  const onExists = mayVersion ? 'version' : options.onExists;
  return { deps, budget, input, work, store, outputs: createOutputs(store, input.row.batch), onExists };
}

/** One output that cannot be had does not keep the others from being saved. */
async function land(landing: Landing, outputs: RecordedOutput[]): Promise<Landed> {
  const landed: Landed = { files: [], warnings: [] };
  for (const [i, output] of outputs.entries()) {
    const saved = await save(landing, output, i);
    if ('why' in saved) {
      landed.missing ??= saved;
      continue;
    }
    const file = withFacts(saved.file, output);
    landed.files.push(file);
    landed.warnings.push(...saved.warnings, ...disagreements(askedOutput(landing.work.row), file));
  }
  return landed;
}

/** Tries again, asks for a fresh URL, or ends the row; the record says what was tried and has the files that came. */
async function withoutOutput(failed: FailedOutput, landed: Landed, missing: Missing): Promise<DownloadResult> {
  const { deps, input, tries } = failed;
  const { keptAt } = missing;
  const next = keptAt === undefined ? nextTry(failed, missing) : ({ next: 'refused' } as const);
  const said =
    keptAt === undefined
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
      const ended = await end(deps, input, { ...ending, status: 'review', reason: 'output_pending' });
      await fetchOn(deps, input, tries);
      return ended;
    }
  }
}

async function end(deps: Dependencies, { row, isLate }: DownloadInput, ending: Ending): Promise<DownloadResult> {
  await endRow(deps, row, { ...ending, ...(isLate ? { isLate } : {}) });
  return { outcome: 'ended', status: ending.status };
}

/** The record stands already: should this fail, the try is repeated and so is this. */
async function fetchOn(deps: Dependencies, { row, n, before }: DownloadInput, tries: Tries): Promise<void> {
  const { account, timeScale } = deps.settings;
  const { asks = 0, askedAtMs = 0 } = before ?? {};
  const made = { tries: tries.tries, sinceMs: tries.sinceMs, asks, askedAtMs };
  await deps.messenger.fetchLate({ account, row, n, timeScale, before: made });
}

async function save(landing: Landing, output: RecordedOutput, position: number): Promise<SavedOutput | Missing> {
  const { deps, budget, input, work, store, outputs, onExists } = landing;
  let free: (() => void) | undefined;
  try {
    const source = await open(deps, output);
    if (source === undefined) return { end: 'refused', why: 'no_bytes', text: 'no output was kept', isGone: true };
    free = await budget.reserve(store, source.contentLength ?? 0);
    return await outputs.save(source.stream, {
      stem: work.row.stem,
      position,
      attemptName: `${work.row.id}-${input.n}`,
      expected: factsOf(work.row.kind).output,
      onExists,
    });
  } catch (error) {
    if (error instanceof StoreError) throw error;
    deps.log.warn({ id: work.row.id, error: error instanceof Error ? error.name : 'unknown' }, 'download failed');
    const missing = missingOf(error);
    if (output.url !== undefined || output.blobSha256 === undefined) return missing;
    // What our own home gives now it gives for ever.
    return { ...missing, keptAt: `${deps.home.store.location}/${deps.home.keys.blob(output.blobSha256)}` };
  } finally {
    free?.();
  }
}

async function open(
  deps: Dependencies,
  { url, blobSha256 }: RecordedOutput,
): Promise<Pick<Download, 'stream' | 'contentLength'> | undefined> {
  if (url !== undefined) return await deps.downloader.fetchOutput(url);
  const blob = blobSha256 === undefined ? undefined : await deps.home.readBlob(blobSha256);
  return blob && { stream: blob };
}

/** What the file shows wins; what it does not show is taken from the answer. */
function withFacts(file: OutputFile, output: RecordedOutput): OutputFile {
  const { url: _url, blobSha256: _blob, ...told } = output;
  return { ...told, ...file };
}
