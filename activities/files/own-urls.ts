import { setTimeout as sleep } from 'node:timers/promises';
import { isRetouched, type OutputFile } from '../../src/domain/outcome.js';
import { intentOf } from '../../src/domain/standing.js';
import type { Feeder } from '../../src/home/feeders.js';
import { ownUrlOf, staysReadable } from '../../src/home/own-url.js';
import type { RowWork } from '../../src/home/row-work.js';
import { DownloadError } from '../../src/service/download.js';
import type { Dependencies } from '../dependencies.js';
import { askFreshUrl } from './fresh-url.js';

/** The URLs that the service itself gave for what rows rendered, which rows that they feed may name. */

/** How often, and how soon again, such a URL is looked at. */
const LOOKS_MAX = 3;
const LOOK_AGAIN_MS = 2_000;

/** The row that is fed, with its batch's name. */
export type FedWork = Pick<RowWork, 'row' | 'feeders'> & { batch: string };

/** The URL where it can be named now; `away`, for people, why one that lives cannot. Neither where none lives long enough. */
export interface OwnLook {
  url?: string;
  away?: string;
}

/**
 * The URL that the service itself gave for what another row rendered: for a column that takes URLs alone where no bucket
 * can be signed for long enough. Only where it lives until the longest render of the fed row has ended, and where the file
 * behind it answers now and is as long as the one that was recorded.
 */
export async function ownUrl(deps: Dependencies, work: FedWork, sha256: string): Promise<OwnLook> {
  const feeder = feederOf(work, sha256);
  if (feeder?.row === undefined || feeder.file === undefined) return {};
  // What a person has made of the file is at no URL of the service.
  if (feeder.record !== undefined && isRetouched(feeder.record)) return {};
  const { reusedFrom, reusedSubmittedAtMs, submittedAtMs = reusedSubmittedAtMs } = feeder.record ?? {};
  const rendered = { batch: work.batch, id: feeder.row.id, reusedFrom, submittedAtMs };
  const given = await ownUrlOf(deps.ledger, rendered);
  const { timeScale, waits } = deps.settings;
  const at = { nowMs: deps.now(), timeScale, waits };
  if (given === undefined || !staysReadable(feeder.row.kind, given, work.row, at)) return {};
  const away = await failureOf(deps, given.url, feeder.file);
  return away === undefined ? { url: given.url } : { away };
}

/** The same; where it cannot be named, the service is asked once for what its job has to give now. */
export async function freshOwnUrl(deps: Dependencies, work: FedWork, sha256: string): Promise<OwnLook> {
  const look = await ownUrl(deps, work, sha256);
  if (look.url !== undefined || !(await askAnew(deps, work, sha256))) return look;
  return ownUrl(deps, work, sha256);
}

/** False where nobody can be asked: of what was taken over, and of what stands back for a render that failed. */
async function askAnew(deps: Dependencies, work: FedWork, sha256: string): Promise<boolean> {
  const { row, record } = feederOf(work, sha256) ?? {};
  if (row === undefined || record?.status !== 'done' || record.attempts === 0) return false;
  if (record.reusedFrom !== undefined || record.flags.includes('rerun_failed') || isRetouched(record)) return false;
  const attempts = await deps.ledger.read(work.batch, row.id);
  const attempt = attempts.find((one) => intentOf(one)?.atMs === record.submittedAtMs) ?? attempts.at(-1);
  if (attempt === undefined) return false;
  return (await askFreshUrl(deps, { batch: work.batch, id: row.id, n: attempt.n }, row, attempt)) !== 'nobody';
}

function feederOf({ feeders }: FedWork, sha256: string): Feeder | undefined {
  return feeders.find(({ file }) => file?.sha256 === sha256);
}

/** Why it does not give the file, undefined where it does. One look that failed says nothing of the file. */
async function failureOf(
  deps: Dependencies,
  url: string,
  file: OutputFile,
  looks = LOOKS_MAX,
): Promise<string | undefined> {
  try {
    return (await givesFile(deps, url, file)) ? undefined : 'it gives another file';
  } catch (error) {
    if (!(error instanceof DownloadError)) throw error;
    // Without its host: this stands in the row's result.
    if (looks <= 1) return error.status === undefined ? error.reason : `HTTP ${error.status}`;
    await sleep(LOOK_AGAIN_MS / deps.settings.timeScale);
    return failureOf(deps, url, file, looks - 1);
  }
}

async function givesFile(deps: Dependencies, url: string, { bytes }: OutputFile): Promise<boolean> {
  const { contentLength, stream } = await deps.downloader.fetchInput(url);
  // Its first byte is enough, and leaving the stream ends the request.
  for await (const chunk of stream) if (chunk.length > 0) return contentLength === undefined || contentLength === bytes;
  return false;
}
