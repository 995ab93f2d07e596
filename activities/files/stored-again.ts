import type { DownloadInput } from '../../src/contract/attempts.js';
import type { RowRecord } from '../../src/domain/outcome.js';
import { intentOf } from '../../src/domain/standing.js';
import { noteLanded } from '../../src/home/late-outputs.js';
import { awayRender, withStored } from '../../src/home/past-renders.js';
import { createOutputs } from '../../src/store/outputs.js';
import type { Dependencies } from '../dependencies.js';
import type { FailedOutput } from './download-ends.js';

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
