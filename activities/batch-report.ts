import { readBatchOptions } from '../src/home/batch-order.js';
import type { ResultLine } from '../src/manifest/result-fields.js';

import { collectRows, type ReportRows } from '../src/report/collect.js';
import { writeReport } from '../src/report/write-report.js';
import { type ResultSources, resultLines } from './result-files.js';

/** Writes the report of a batch as it stands now, which takes one pass over its rows; gives the page. */
export async function writeBatchReport(
  sources: ResultSources,
  batch: string,
  generation: string,
  { isPublic }: { isPublic: boolean },
): Promise<string> {
  const { collect, collected } = collectedRows(sources, batch);
  await collect(resultLines(sources, batch, generation));
  return storeReport(sources, batch, collected(), { isPublic });
}

/** Gathers what a report says while somebody else reads the lines. */
export function collectedRows({ home }: ResultSources, batch: string) {
  let rows: ReportRows | undefined;
  return {
    collect: async (lines: AsyncIterable<ResultLine>): Promise<void> => {
      rows = await collectRows(lines, { createdAtMs: (await home.readBatch(batch))?.createdAtMs ?? 0 });
    },
    collected: (): ReportRows => {
      if (rows === undefined) throw new Error('the lines were not read to their end');
      return rows;
    },
  };
}

export async function storeReport(
  { home, openStore, posters, now }: ResultSources,
  batch: string,
  rows: ReportRows,
  { isPublic }: { isPublic: boolean },
): Promise<string> {
  const out = openStore((await readBatchOptions(home, batch)).out);
  return writeReport({ home, out, batch, posters, isPublic, nowMs: now() }, rows);
}
