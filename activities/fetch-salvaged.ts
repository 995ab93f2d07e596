import { Context } from '@temporalio/activity';
import { bookCharge } from '../src/books/charges.js';
import { noteAsked } from '../src/books/settle-case.js';
import type { AttemptInput } from '../src/contract/activities.js';
import type { Attempt, AttemptRef } from '../src/domain/attempt.js';
import { intentOf, isLost, standingOf } from '../src/domain/standing.js';
import { loadRow } from '../src/home/row-work.js';
import { DownloadError } from '../src/service/download.js';
import { isOutputOfAnother, ownsOutputs, salvagedUrl } from './contested.js';
import type { Dependencies } from './dependencies.js';
import { withRecords } from './failures.js';
import { isWholeFile } from './salvaged-output.js';
import { noteCaseEnd } from './semaphore-notes.js';

/** The largest documented output, an image of 8192 x 8192 with four bytes a pixel. */
const FILE_BYTES_MAX = 8192 * 8192 * 4;
const HEARTBEAT_MS = 5_000;

/** `open`: no whole file so far, and the URL may still give one. `nothing`: no URL is known. */
type Fetched = 'done' | 'open' | 'nothing';

export interface FetchSalvagedActivities {
  /** Fetches the output that a lost synchronous answer named (TS): a whole file makes the attempt done. */
  fetchSalvaged(input: AttemptInput): Promise<Fetched>;
}

export function fetchSalvagedActivities(deps: Dependencies): FetchSalvagedActivities {
  return {
    async fetchSalvaged(input) {
      const beat = setInterval(() => Context.current().heartbeat(), HEARTBEAT_MS);
      try {
        return await withRecords(() => fetchSalvaged(deps, input));
      } finally {
        clearInterval(beat);
      }
    },
  };
}

async function fetchSalvaged(deps: Dependencies, { row, n }: AttemptInput): Promise<Fetched> {
  const ref: AttemptRef = { batch: row.batch, id: row.id, n };
  noteAsked(deps.books, ref);
  const attempt = await deps.ledger.readAttempt(ref);
  const url = attempt && urlOf(attempt);
  if (attempt === undefined || url === undefined) return 'nothing';
  const work = await loadRow(deps, row);
  if (await isOutputOfAnother(deps, ref, work.row, url)) return 'nothing';
  const bytes = await fetchWhole(deps, ref, url);
  if (bytes === undefined) return 'open';
  const atMs = deps.now();
  const blobSha256 = await deps.home.putBlob(bytes);
  const facts = { warnings: ['the answer was lost, but its output could be fetched'] };
  await deps.ledger.append(ref, { state: 'done', atMs, outputs: [{ blobSha256 }], facts });
  if (!(await ownsOutputs(deps, ref, work.row, [{ url }]))) return 'nothing';
  await bookCharge(deps.books, work.row, ref, { claimedAtMs: intentOf(attempt)?.atMs ?? atMs, endedAtMs: atMs, facts });
  await deps.ledger.close(ref);
  await noteCaseEnd(deps, ref, false);
  return 'done';
}

/** Only an attempt whose answer is lost has need of it. */
function urlOf(attempt: Attempt): string | undefined {
  const standing = standingOf(attempt);
  if (standing !== 'open_case' && !isLost(standing)) return undefined;
  return salvagedUrl(attempt.states);
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
