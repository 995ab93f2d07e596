import { type Cell, cellSizeFlaw, type Finding, type RawRow } from '../domain/raw-row.js';
import { columnFlaw } from './columns.js';
import { otherDelimiter } from './other-delimiter.js';
import { quoted } from './problem.js';
import type { CsvRecord } from './read-csv.js';

/** The header of a CSV manifest, read once; `null` stands for a column that cannot be used. */
export interface CsvHeader {
  names: readonly (string | null)[];
  positions: ReadonlyMap<string, number>;
  findings: readonly Finding[];
}

/** Reads the header; throws `ManifestStop` (B7) when the file is separated by another character. */
export function readHeader(record: CsvRecord, delimiter: string): CsvHeader {
  const { line, cells } = record;
  checkDelimiter(record, delimiter);
  const positions = new Map<string, number>();
  const findings: Finding[] = [];
  const names = cells.map((name, at) => {
    const column = at + 1;
    const earlier = positions.get(name);
    if (earlier !== undefined) {
      const message = `column ${quoted(name)} appears twice (${earlier}, ${column})`;
      findings.push({ line, column, code: 'B8', field: name, message });
      return null;
    }
    positions.set(name, column);
    const flaw = columnFlaw(name);
    if (flaw === undefined) return name;
    findings.push({ line, column, field: name, ...flaw });
    return null;
  });
  if (!positions.has('id')) {
    findings.push({ line, column: 1, code: 'B10', field: 'id', message: "the header has no 'id' column" });
  }
  return { names, positions, findings };
}

function checkDelimiter({ line, cells }: CsvRecord, delimiter: string): void {
  if (cells.includes('id')) return;
  const stop = otherDelimiter(cells.join(delimiter), line, delimiter);
  if (stop !== undefined) throw stop;
}

/** One record as a row; with a wrong number of cells nobody knows which cell is which. */
export function rowOfRecord(record: CsvRecord, header: CsvHeader): RawRow {
  const { line, cells: texts } = record;
  const { names, positions } = header;
  const cells = new Map<string, Cell>();
  const findings: Finding[] = [];
  const row: RawRow = { line, cells, findings, positionOf: (name) => positions.get(name) };
  if (!positions.has('id')) row.lacksIdColumn = true;
  if (texts.length !== names.length) {
    const hint = texts.length > names.length ? ' (unquoted comma?)' : ' (a delimiter or a quote missing?)';
    const message = `row has ${texts.length} cells, header has ${names.length}${hint}`;
    findings.push({ line, column: 1, code: 'B6', message });
    return { ...row, isBroken: true };
  }
  for (const [at, text] of texts.entries()) {
    const name = names[at];
    if (text === '' || name === null || name === undefined) continue;
    const column = at + 1;
    const large = cellSizeFlaw(text);
    if (large === undefined) cells.set(name, { name, column, form: 'csv', text });
    else findings.push({ line, column, code: 'B55', field: name, message: `${name}: ${large}` });
  }
  return row;
}
