import { type Cell, cellSizeFlaw, type Finding, type RawRow } from '../domain/raw-row.js';
import { columnFlaw } from './columns.js';
import { quoted } from './problem.js';
import type { JsonlRecord } from './read-jsonl.js';

/** One JSONL record as a row: unknown, repeated and oversized fields are findings of that row. */
export function rowOfObject(record: JsonlRecord): RawRow {
  const { line } = record;
  const cells = new Map<string, Cell>();
  if ('message' in record) {
    const { message } = record;
    const findings: Finding[] = [{ line, column: 1, code: 'B60', message }];
    return { line, cells, positionOf: () => undefined, findings, isBroken: true };
  }
  const positions = new Map<string, number>();
  const findings: Finding[] = [];
  for (const cell of record.cells) {
    const { name, column } = cell;
    const earlier = positions.get(name);
    const unknown = columnFlaw(name);
    const large = cellSizeFlaw(cell.text);
    if (earlier !== undefined) {
      const message = `column ${quoted(name)} appears twice (${earlier}, ${column})`;
      findings.push({ line, column, code: 'B8', field: name, message });
    } else if (unknown !== undefined) findings.push({ line, column, field: name, ...unknown });
    else if (large !== undefined)
      findings.push({ line, column, code: 'B55', field: name, message: `${name}: ${large}` });
    else if (cell.text !== '') cells.set(name, cell);
    positions.set(name, column);
  }
  return { line, cells, positionOf: (name) => positions.get(name), findings };
}
