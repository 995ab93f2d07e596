import type { DownloadInput } from '../../src/contract/attempts.js';
import type { RecordedOutput } from '../../src/domain/attempt.js';
import type { Kind } from '../../src/domain/kind.js';
import type { OutputFile, RowRecord } from '../../src/domain/outcome.js';
import { hasEarlier } from '../../src/home/earlier-render.js';
import type { RowWork } from '../../src/home/row-work.js';
import { askedOutput, disagreements } from '../../src/kinds/expected.js';
import { factsOf } from '../../src/kinds/facts.js';
import type { Download } from '../../src/service/download.js';
import type { Booking, DiskBudget } from '../../src/store/disk-budget.js';
import { createOutputs, type Outputs, type SavedOutput } from '../../src/store/outputs.js';
import { type Store, StoreError } from '../../src/store/port.js';
import type { Dependencies } from '../dependencies.js';
import { hasOlderFiles, type Missing, missingOf } from './download-ends.js';

/** Brings the outputs of one attempt, one after the other, to their final places. */

/** One try of all outputs of one attempt. */
interface Landing {
  deps: Dependencies;
  budget: DiskBudget;
  input: DownloadInput;
  work: RowWork;
  /** What the attempt asked for: its row may ask for another by now. */
  kind: Kind;
  store: Store;
  outputs: Outputs;
  onExists: RowWork['options']['onExists'];
}

/** What a try brought: files with their warnings, and the first output that it did not bring. */
export interface Landed {
  files: OutputFile[];
  warnings: string[];
  missing?: Missing;
}

export function openLanding(
  opened: Pick<Landing, 'deps' | 'budget' | 'input' | 'work' | 'kind'>,
  record: RowRecord | undefined,
  hasOthers: boolean,
): Landing {
  const { deps, input, work } = opened;
  const store = deps.openStore(work.options.out);
  const onExists = onExistsOf(record, work, hasOthers);
  return { ...opened, store, outputs: createOutputs(store, input.row.batch), onExists };
}

/**
 * What is to happen where a row's name is taken: by files of its own, the new ones step aside. `hasOthers`: other attempts
 * of it brought outputs too, of which its record need not tell any more.
 */
export function onExistsOf(record: RowRecord | undefined, work: RowWork, hasOthers = false): Landing['onExists'] {
  const { onExists } = work.options;
  const isAnother = record !== undefined && hasEarlier(record);
  const isOwn = hasOthers || hasOlderFiles(record, work);
  return isAnother || (onExists === 'fail' && isOwn) ? 'version' : onExists;
}

/** One output that cannot be had does not keep the others from being saved. */
export async function land(landing: Landing, outputs: RecordedOutput[]): Promise<Landed> {
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

/** Bytes that came beside a URL are in hand and gone nowhere: the URL is for bytes that are no output. */
async function save(landing: Landing, output: RecordedOutput, position: number): Promise<SavedOutput | Missing> {
  const { url, ...inHand } = output;
  if (url === undefined || inHand.blobSha256 === undefined) return saveFrom(landing, output, position);
  const kept = await saveFrom(landing, inHand, position);
  if (!('why' in kept)) return kept;
  const { blobSha256: _, ...away } = output;
  const fetched = await saveFrom(landing, away, position);
  return 'why' in fetched && kept.keptAt !== undefined
    ? { ...fetched, keptAt: kept.keptAt, isElsewhere: true }
    : fetched;
}

async function saveFrom(landing: Landing, output: RecordedOutput, position: number): Promise<SavedOutput | Missing> {
  const { deps, budget, input, work, kind, store, outputs, onExists } = landing;
  let booking: Booking | undefined;
  const over = new AbortController();
  try {
    const source = await open(deps, output, over.signal);
    if (source === undefined) return { end: 'refused', why: 'no_bytes', text: 'no output was kept', isGone: true };
    booking = await budget.reserve(store, source.contentLength ?? 0);
    return await outputs.save(booking.counted(source.stream), {
      stem: work.row.stem,
      position,
      attemptName: `${work.row.id}-${input.n}`,
      expected: factsOf(kind).output,
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
    // An answer that nobody reads keeps its connection for ever, and a full disk is tried every few seconds.
    over.abort();
    booking?.end();
  }
}

async function open(
  deps: Dependencies,
  { url, blobSha256 }: RecordedOutput,
  signal: AbortSignal,
): Promise<Pick<Download, 'stream' | 'contentLength'> | undefined> {
  if (url !== undefined) return await deps.downloader.fetchOutput(url, { signal });
  const blob = blobSha256 === undefined ? undefined : await deps.home.readBlob(blobSha256);
  return blob && { stream: blob };
}

/** What the file shows wins; what it does not show is taken from the answer. */
function withFacts(file: OutputFile, output: RecordedOutput): OutputFile {
  const { url: _url, blobSha256: _blob, ...told } = output;
  return { ...told, ...file };
}
