import type { MediaFacts, MediaSort } from '../domain/media-type.js';
import type { Media } from '../domain/row.js';
import { rulesOf } from '../kinds/index.js';
import type { MediaColumn, Report } from '../kinds/rule.js';
import type { CheckedRow } from './check-row.js';
import { mediaForm, readReference } from './media/media-cell.js';
import type { MediaReader } from './media/media-reader.js';

/** Reads and checks the media of a row; gives them by column, without those that are bad. */
export async function readMedia(
  row: CheckedRow,
  reader: MediaReader,
  report: Report,
): Promise<Record<string, Media[]>> {
  const media: Record<string, Media[]> = {};
  const facts = new Map<string, MediaFacts[]>();
  for (const { column, items } of row.mediaItems) {
    const { name } = column;
    const wanted = wantedSort(row, column);
    const good: Media[] = [];
    const shown: MediaFacts[] = [];
    for (const [at, text] of items.entries()) {
      const called = items.length === 1 ? name : `${name} ${at + 1}`;
      if (mediaForm(text) === 'row') {
        const reference = readReference(called, text);
        // Which row that is, is known once all were read.
        if ('id' in reference) good.push({ source: 'row', at: -1, ...reference });
        else report.problem(row, 'B70', name, reference.message);
        continue;
      }
      const reading = reader.read(called, text, column.media, wanted);
      const item = reading instanceof Promise ? await reading : reading;
      if (!item.ok) {
        report.problem(row, item.code, name, item.message);
        continue;
      }
      good.push(item.media);
      if (item.facts !== undefined) shown.push(item.facts);
    }
    media[name] = good;
    facts.set(name, shown);
  }
  for (const { check } of rulesOf(row.kind).mediaChecks ?? []) check(row, facts, report);
  return media;
}

export function wantedSort(row: Pick<CheckedRow, 'cells'>, column: MediaColumn): MediaSort {
  const { sort, sortBy } = column.media;
  const value = sortBy === undefined ? undefined : row.cells[sortBy.column];
  const sorts = sortBy?.sorts;
  return sorts !== undefined && typeof value === 'string' && Object.hasOwn(sorts, value)
    ? (sorts[value] ?? sort)
    : sort;
}
