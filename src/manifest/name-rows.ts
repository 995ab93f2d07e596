import type { RawRow } from '../domain/raw-row.js';
import type { Report } from '../kinds/rule.js';
import type { CheckedRow } from './check-row.js';
import { foldName } from './ids.js';
import { createLineIndex } from './line-index.js';
import { quoted } from './problem.js';
import { type StemFields, stemFrom } from './stem.js';

/** Gives every row its stem: from its own `output`, the name template, or the default for the size of the batch. */
export interface RowNamer {
  /** The row's stem, or undefined after a problem was reported. `isLarge`: the manifest has over 1,000 rows. */
  name(row: CheckedRow, raw: RawRow, index: number, isLarge: boolean, report: Report): string | undefined;
}

export interface NamerOptions {
  nameTemplate?: string;
  date: string;
  /** Whether rows may have a column of this name. */
  hasColumn(name: string): boolean;
  /** Told once when the batch's template itself cannot be used; its rows are bad then. */
  onBadTemplate(message: string): void;
}

/** Up to this many rows the default names need no folders. */
export const FLAT_ROWS_MAX = 1000;

export function createRowNamer(options: NamerOptions): RowNamer {
  const lines = createLineIndex();
  let isTemplateBad = false;
  return {
    name(row, raw, index, isLarge, report) {
      if (row.id === '') return undefined;
      const template = row.output ?? options.nameTemplate ?? (isLarge ? '{part}/{id}' : '{id}');
      const stem = stemFrom(template, fieldsOf(row, raw, index, options));
      if (!stem.ok) {
        if (row.output !== undefined) report.problem(row, 'B46', 'output', stem.message);
        else if (!isTemplateBad) options.onBadTemplate(stem.message);
        isTemplateBad ||= row.output === undefined;
        return undefined;
      }
      const earlier = lines.add(foldName(stem.stem), row.line);
      if (earlier !== undefined && !row.bad) {
        report.problem(row, 'B46', 'output', `lines ${earlier} and ${row.line} both write ${quoted(stem.stem)}`);
      }
      return stem.stem;
    },
  };
}

function fieldsOf(row: CheckedRow, raw: RawRow, index: number, options: NamerOptions): StemFields {
  return {
    id: row.id,
    kind: row.kind,
    model: row.model,
    group: row.group,
    index,
    date: options.date,
    cell: (name) => raw.cells.get(name)?.text,
    hasColumn: options.hasColumn,
  };
}
