import { Context } from '@temporalio/activity';
import type { AttemptInput, DownloadResult } from '../contract/activities.js';
import type { RowRef } from '../contract/workflows.js';
import { askedOutput, disagreements } from '../domain/asked-output.js';
import type { RecordedOutput } from '../domain/attempt.js';
import type { OutputFile } from '../domain/outcome.js';
import { type Download, DownloadError } from '../service/download.js';
import { createDiskBudget, type DiskBudget } from '../store/disk-budget.js';
import { createOutputs, OutputRefused, type Outputs, type SavedOutput } from '../store/outputs.js';
import { type Store, StoreError } from '../store/port.js';
import { whileStored } from './blocked.js';
import type { Dependencies } from './dependencies.js';
import { afterRefusedBytes, afterRefusedDownload, BAD_BYTES_MAX, type Given, type Lost } from './download-ends.js';
import { type Tries, withTries } from './download-tries.js';
import { tryAgain } from './failures.js';
import { InputMissing } from './input-error.js';
import { fetchInputs } from './media.js';
import { endRow, isRecordedDone } from './record.js';
import { resultState } from './row-credits.js';
import { loadRow, type RowWork } from './row-work.js';

export interface DownloadActivities {
  /** Fetches every output of an attempt to its final place, then writes the row's record and tells the batch. */
  download(input: AttemptInput): Promise<DownloadResult>;
  /** Fetches what must go as bytes and uploads what must go as a URL; false when an input cannot be had. */
  fetchInputs(input: { row: RowRef }): Promise<boolean>;
}

export function downloadActivities(deps: Dependencies): DownloadActivities {
  const budget = createDiskBudget();
  return {
    download: (input) =>
      withTries(deps.now(), (tries) => whileStored(deps, input.row, tries, () => download(deps, budget, tries, input))),

    async fetchInputs({ row: rowRef }) {
      const work = await loadRow(deps, rowRef);
      const { row } = work;
      try {
        await fetchInputs(deps, { ...work, batch: rowRef.batch });
        return true;
      } catch (error) {
        if (error instanceof StoreError) throw tryAgain('records.unavailable', error.code);
        if (!(error instanceof DownloadError) && !(error instanceof InputMissing)) throw error;
        deps.log.warn({ id: row.id, error: error.name }, 'an input could not be fetched');
        if (error instanceof InputMissing || Context.current().info.attempt >= BAD_BYTES_MAX) return false;
        throw tryAgain('download.interrupted', error.reason);
      }
    },
  };
}

/** One try of all outputs of one attempt. */
interface Landing {
  deps: Dependencies;
  budget: DiskBudget;
  tries: Tries;
  ref: AttemptInput;
  work: RowWork;
  store: Store;
  outputs: Outputs;
  onExists: RowWork['options']['onExists'];
  given: Given;
}

async function download(
  deps: Dependencies,
  budget: DiskBudget,
  tries: Tries,
  ref: AttemptInput,
): Promise<DownloadResult> {
  const { batch, id } = ref.row;
  const work = await loadRow(deps, ref.row);
  const attempt = await deps.ledger.readAttempt({ batch, id, n: ref.n });
  const result = attempt && resultState(attempt);
  if (!result) return reject(deps, ref, { outcome: 'rejected', reason: 'download_failed', text: '' }, [], []);
  if (await isRecordedDone(deps, ref.row, work, attempt)) return { outcome: 'done' };
  const landing = await openLanding(deps, budget, tries, ref, work, result.atMs);
  const files: OutputFile[] = [];
  const warnings: string[] = [];
  const lost: Lost[] = [];
  // One output that cannot be had does not keep the others from being saved.
  for (const [i, output] of result.outputs.entries()) {
    const saved = await save(landing, output, i);
    if ('outcome' in saved) {
      lost.push(saved);
      continue;
    }
    const file = withFacts(saved.file, output);
    files.push(file);
    warnings.push(...saved.warnings, ...disagreements(askedOutput(work.row), file));
  }
  const expired = lost.find((one) => one.outcome === 'expired');
  if (expired) return expired;
  const [rejected] = lost;
  if (rejected?.outcome === 'rejected') return reject(deps, ref, rejected, files, warnings);
  await endRow(deps, ref.row, { status: 'done', files, warnings });
  return { outcome: 'done' };
}

async function openLanding(
  deps: Dependencies,
  budget: DiskBudget,
  tries: Tries,
  ref: AttemptInput,
  work: RowWork,
  resultAtMs: number,
): Promise<Landing> {
  const { batch } = ref.row;
  const { options, adapter } = work;
  const store = deps.openStore(options.out);
  const mayVersion = options.onExists === 'fail' && (await hasOlderFiles(deps, work, batch));
  const onExists = mayVersion ? 'version' : options.onExists;
  const given: Given = { tries, adapter, resultAtMs, nowMs: () => deps.now(), timeScale: deps.settings.timeScale };
  return { deps, budget, tries, ref, work, store, outputs: createOutputs(store, batch), onExists, given };
}

/** The record says what was tried; files that could be had are in it. */
async function reject(
  deps: Dependencies,
  { row }: AttemptInput,
  { reason, text }: Extract<Lost, { outcome: 'rejected' }>,
  files: OutputFile[],
  warnings: string[],
): Promise<DownloadResult> {
  await endRow(deps, row, { status: 'lost_paid', reason, files, warnings, text });
  return { outcome: 'rejected', reason };
}

async function save(landing: Landing, output: RecordedOutput, position: number): Promise<SavedOutput | Lost> {
  const { deps, budget, ref, work, store, outputs, onExists } = landing;
  let free: (() => void) | undefined;
  try {
    const source = await open(deps, output);
    if (source === undefined) return { outcome: 'rejected', reason: 'download_failed', text: 'no output was kept' };
    free = await budget.reserve(store, source.contentLength ?? 0);
    return await outputs.save(source.stream, {
      stem: work.row.stem,
      position,
      attemptName: `${work.row.id}-${ref.n}`,
      expected: expectedMedia(work.row.kind),
      onExists,
    });
  } catch (error) {
    if (error instanceof StoreError) throw error;
    deps.log.warn({ id: work.row.id, error: error instanceof Error ? error.name : 'unknown' }, 'download failed');
    if (error instanceof OutputRefused) return afterRefusedBytes(landing.given, error);
    if (error instanceof DownloadError) return afterRefusedDownload(landing.given, error);
    throw error;
  } finally {
    free?.();
  }
}

/** A row that was paid again after a change finds its own older files: they stay, and the new ones step aside. */
async function hasOlderFiles({ records }: Dependencies, { row }: RowWork, batch: string): Promise<boolean> {
  const record = await records.readRecord(batch, row.id);
  return record !== undefined && record.rowHash !== row.hash && record.files.length > 0;
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

function expectedMedia(kind: RowWork['row']['kind']): 'image' | 'video' | 'any' {
  if (kind === 'svc/image' || kind === 'svc/edit') return 'image';
  return kind === 'vendor-f/interaction' ? 'any' : 'video';
}
