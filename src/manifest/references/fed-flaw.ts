import type { MediaFacts } from '../../domain/media-facts.js';
import type { Row } from '../../domain/row.js';
import type { DraftRow } from '../../kinds/rule.js';
import { KIND_RULES } from '../../kinds/rules.js';
import { columnsOf } from '../columns.js';
import { modelOf } from '../cost-notes.js';
import { bytesFlaw, factsFlaw } from '../media/media-limits.js';
import { wantedSort } from '../read-media.js';

/** What the bytes show that feed a column, in the order of its items; undefined for an item that no row feeds. */
export type FedFacts = ReadonlyMap<string, readonly (MediaFacts | undefined)[]>;

/** Why rendered files do not fit the columns that take them, as one sentence; undefined when they do. */
export function fedFlaw(row: Row, fed: FedFacts): string | undefined {
  for (const [column, facts] of fed) {
    const rule = columnsOf(row.kind).get(column);
    if (rule?.type !== 'media') continue;
    const wanted = wantedSort(row, rule);
    for (const one of facts) {
      if (one === undefined) continue;
      const flaw = bytesFlaw(column, one.bytes, rule.media) ?? factsFlaw(column, one, rule.media, wanted);
      if (flaw !== undefined) return flaw.message;
    }
  }
  return acrossColumns(row, fed);
}

/** The rules over all media of the row together, for those of them whose bytes are known. */
function acrossColumns(row: Row, fed: FedFacts): string | undefined {
  const found: string[] = [];
  const draft: DraftRow = {
    ...{ line: row.line, id: row.id, kind: row.kind, model: modelOf(row), cells: row.cells, bad: false },
    ...{ filled: new Map(), mediaCounts: new Map(), positionOf: () => undefined },
  };
  const report = { problem: (_row: DraftRow, _code: string, _field: string, text: string) => found.push(text) };
  const known = new Map(
    Object.entries(row.media).map(([column, list]) => [
      column,
      list.flatMap((item, i): MediaFacts[] => {
        const facts = fed.get(column)?.[i];
        if (facts !== undefined) return [facts];
        if (item.source !== 'blob') return [];
        return [{ sort: 'other', ...item }];
      }),
    ]),
  );
  for (const { check } of KIND_RULES[row.kind].mediaChecks ?? []) check(draft, known, { ...report, warning: () => 0 });
  return found[0];
}
