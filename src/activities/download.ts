import { Context } from '@temporalio/activity';
import type { AttemptInput, DownloadResult } from '../contract/activities.js';
import type { RowRef } from '../contract/workflows.js';
import type { RecordedOutput } from '../domain/attempt.js';
import type { OutputFile } from '../domain/outcome.js';
import { DownloadError } from '../service/download.js';
import { createOutputs, OutputRefused, type Outputs } from '../store/outputs.js';
import { StoreError } from '../store/port.js';
import type { Dependencies } from './dependencies.js';
import { tryAgain } from './failures.js';
import { fetchInputs, InputMissing } from './media.js';
import { endRow, isRecordedDone } from './record.js';
import { resultState } from './row-credits.js';
import { loadRow, type RowWork } from './row-work.js';

const HEARTBEAT_MS = 5_000;
/** Wrong bytes this often are what the URL serves. */
const BAD_BYTES_MAX = 6;
/** With up to 30 s between tries this is beyond the shortest life of an output URL (an hour). */
const TRIES_MAX = 130;

export interface DownloadActivities {
  /** Fetches every output of an attempt to its final place, then writes the row's record and tells the batch. */
  download(input: AttemptInput): Promise<DownloadResult>;
  /** Fetches the URLs of a row that must go as bytes; false when one cannot be had. */
  fetchInputs(input: { row: RowRef }): Promise<boolean>;
}

export function downloadActivities(deps: Dependencies): DownloadActivities {
  return {
    async download({ row: rowRef, n }) {
      const beat = setInterval(() => Context.current().heartbeat(), HEARTBEAT_MS);
      try {
        const work = await loadRow(deps, rowRef);
        const attempt = await deps.ledger.readAttempt({ batch: rowRef.batch, id: rowRef.id, n });
        const result = attempt && resultState(attempt);
        if (!result) return { outcome: 'rejected', reason: 'download_failed' };
        if (await isRecordedDone(deps, rowRef, work, attempt)) return { outcome: 'done' };
        const outputs = createOutputs(deps.openStore(work.options.out), rowRef.batch);
        const files: OutputFile[] = [];
        const warnings: string[] = [];
        for (const [i, output] of result.outputs.entries()) {
          const saved = await save(deps, { ...work, batch: rowRef.batch, n }, outputs, output, i);
          if ('outcome' in saved) return canRefresh(work, saved);
          files.push(withFacts(saved.file, output));
          warnings.push(...saved.warnings);
        }
        await endRow(deps, rowRef, { status: 'done', files, warnings });
        return { outcome: 'done' };
      } finally {
        clearInterval(beat);
      }
    },

    async fetchInputs({ row: rowRef }) {
      const { row, adapter } = await loadRow(deps, rowRef);
      try {
        await fetchInputs(deps, row, adapter);
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

interface Saved {
  file: OutputFile;
  warnings: string[];
}

async function save(
  deps: Dependencies,
  work: RowWork & { batch: string; n: number },
  outputs: Outputs,
  output: RecordedOutput,
  position: number,
): Promise<Saved | DownloadResult> {
  const { row, options, batch, n } = work;
  try {
    const source = await open(deps, output);
    return await outputs.save(source, {
      stem: row.stem,
      position,
      attemptName: `${row.id}-${n}`,
      expected: expectedMedia(row.kind),
      onExists: options.onExists === 'fail' && (await hasOlderFiles(deps, work, batch)) ? 'version' : options.onExists,
    });
  } catch (error) {
    if (error instanceof StoreError) {
      deps.log.warn({ id: row.id, code: error.code }, 'the output could not be stored; it is tried again');
      throw tryAgain('output.unavailable', error.code);
    }
    deps.log.warn({ id: row.id, error: error instanceof Error ? error.name : 'unknown' }, 'download failed');
    if (error instanceof OutputRefused) return afterBadBytes(error);
    if (error instanceof DownloadError) return afterDownloadError(error);
    throw error;
  }
}

/** A row that was paid again after a change finds its own older files: they stay, and the new ones step aside. */
async function hasOlderFiles({ records }: Dependencies, { row }: RowWork, batch: string): Promise<boolean> {
  const record = await records.readRecord(batch, row.id);
  return record !== undefined && record.rowHash !== row.hash && record.files.length > 0;
}

async function open(deps: Dependencies, { url, blobSha256 }: RecordedOutput): Promise<AsyncIterable<Uint8Array>> {
  if (url !== undefined) return (await deps.downloader.fetchOutput(url)).stream;
  const blob = blobSha256 === undefined ? undefined : await deps.home.readBlob(blobSha256);
  if (blob) return blob;
  throw new StoreError('ENOENT', 'the answer of the service had no output that could be kept');
}

/** A page of a proxy or a cut file may be better at the next try; the same bytes again and again will not. */
function afterBadBytes(error: OutputRefused): DownloadResult {
  if (Context.current().info.attempt >= BAD_BYTES_MAX) return { outcome: 'rejected', reason: 'output_rejected' };
  throw tryAgain('download.interrupted', error.reason);
}

function afterDownloadError(error: DownloadError): DownloadResult {
  switch (error.reason) {
    case 'expired':
      return { outcome: 'expired', canRefresh: true };
    case 'forbidden_address':
    case 'too_large':
      return { outcome: 'rejected', reason: 'output_rejected' };
    default:
      if (Context.current().info.attempt >= TRIES_MAX) return { outcome: 'rejected', reason: 'download_failed' };
      throw tryAgain('download.interrupted', error.reason);
  }
}

/** Only a job with a handle can be asked for a fresh URL. */
function canRefresh({ adapter }: RowWork, result: DownloadResult): DownloadResult {
  return result.outcome === 'expired' ? { outcome: 'expired', canRefresh: adapter.flow === 'async' } : result;
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
