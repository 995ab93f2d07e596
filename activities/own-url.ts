import type { Attempt } from '../src/domain/attempt.js';
import type { OutputFile } from '../src/domain/outcome.js';
import type { RowWork } from '../src/home/row-work.js';
import { longestRenderMs } from '../src/kinds/expected.js';
import { factsOf } from '../src/kinds/facts.js';
import { DownloadError } from '../src/service/download.js';
import type { Dependencies } from './dependencies.js';

/** The row that is fed, with its batch's name. */
export type FedWork = Pick<RowWork, 'row' | 'feeders'> & { batch: string };

/**
 * The URL that the service itself gave for what another row rendered: for a column that takes URLs alone where no bucket
 * can be signed for. Only where it lives until the longest render of the fed row has ended, and where the file behind it
 * answers now and is as long as the one that was recorded. Undefined where that cannot be had.
 */
export async function ownUrl(deps: Dependencies, work: FedWork, sha256: string): Promise<string | undefined> {
  const feeder = work.feeders.find(({ file }) => file?.sha256 === sha256);
  if (feeder?.row === undefined || feeder.file === undefined) return undefined;
  const lifeMs = factsOf(feeder.row.kind).ownUrlLifeMs;
  const given = givenUrl(await deps.ledger.read(work.batch, feeder.row.id));
  if (lifeMs === undefined || given === undefined) return undefined;
  const ageMs = (deps.now() - given.atMs) * deps.settings.timeScale;
  if (ageMs + longestRenderMs(work.row, deps.settings.waits).ms > lifeMs) return undefined;
  return (await answers(deps, given.url, feeder.file)) ? given.url : undefined;
}

/** The newest, with the earliest time that its life can have begun. */
function givenUrl(attempts: readonly Attempt[]): { url: string; atMs: number } | undefined {
  for (const { states } of [...attempts].reverse()) {
    const given = states.findLast((state) => state.state === 'rendered' || state.state === 'done');
    const url = given?.outputs[0]?.url;
    if (given === undefined || url === undefined || !/^https?:/i.test(url)) continue;
    const accepted = states.find(({ state }) => state === 'created' || state === 'attached');
    return { url, atMs: accepted?.atMs ?? given.atMs };
  }
  return undefined;
}

async function answers(deps: Dependencies, url: string, { bytes }: OutputFile): Promise<boolean> {
  try {
    const { contentLength, stream } = await deps.downloader.fetchInput(url);
    // Its first byte is enough, and leaving the stream ends the request.
    for await (const chunk of stream)
      if (chunk.length > 0) return contentLength === undefined || contentLength === bytes;
    return false;
  } catch (error) {
    if (error instanceof DownloadError) return false;
    throw error;
  }
}
