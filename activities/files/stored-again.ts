import type { DownloadInput } from '../../src/contract/attempts.js';
import type { RowRecord } from '../../src/domain/outcome.js';
import { intentOf } from '../../src/domain/standing.js';
import { noteLanded } from '../../src/home/late-outputs.js';
import { awayRender, pastRenderOf, withStored } from '../../src/home/past-renders.js';
import { createOutputs } from '../../src/store/outputs.js';
import type { Dependencies } from '../dependencies.js';
import type { FailedOutput } from './download-ends.js';
import type { Landed } from './landing.js';

/**
 * The record of a row whose files were away and lie at their places again, as it stands from now on: its output folder is
 * mounted again, or a person put copies back. Nothing is asked of the service.
 */
export async function takeStored(
  deps: Dependencies,
  { row: { batch, id } }: DownloadInput,
  { work, attempt, record }: Pick<FailedOutput, 'work' | 'attempt'> & { record: RowRecord },
): Promise<RowRecord | undefined> {
  const render = awayRender(record);
  if (render === undefined || render.submittedAtMs !== intentOf(attempt)?.atMs) return undefined;
  const files = await createOutputs(deps.openStore(work.options.out), batch).there(render.files);
  if (files === undefined) return undefined;
  if (record.reasonCode === 'output_pending') await noteLanded(deps.home, batch, id, deps.now());
  return deps.records.changeRecord(batch, id, (now) => withStored(now, files));
}

/**
 * What the attempt brought before the row was rendered with other values, where it lies whole at its place: with its old
 * values back the row has been paid for, and nothing is asked of the service, whose URL may be no more.
 */
export async function storedBefore(
  deps: Dependencies,
  { row: { batch }, isLate }: DownloadInput,
  { work, attempt, record }: Pick<FailedOutput, 'work' | 'attempt' | 'record'>,
): Promise<Landed | undefined> {
  const { atMs, rowHash } = intentOf(attempt) ?? {};
  if (isLate || record === undefined || atMs === undefined || rowHash === undefined) return undefined;
  const render = pastRenderOf(record, { submittedAtMs: atMs, rowHash });
  const files = render && (await createOutputs(deps.openStore(work.options.out), batch).there(render.files));
  // They are all that its record had, so also those that a record gets anew: each is said once.
  return files && { files, warnings: render.warnings };
}
