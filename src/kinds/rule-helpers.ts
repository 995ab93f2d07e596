import type { Json } from '../domain/json.js';
import type { Check, Column, DraftRow, FieldTree } from './rule.js';

/** The cell is filled, whatever its value. */
export function has(row: DraftRow, name: string): boolean {
  return row.filled.has(name);
}

/** The cell's good integer or decimal. */
export function numberOf(row: DraftRow, name: string): number | undefined {
  const value = row.cells[name];
  return typeof value === 'number' ? value : undefined;
}

/** The cell's good text. */
export function textOf(row: DraftRow, name: string): string | undefined {
  const value = row.cells[name];
  return typeof value === 'string' ? value : undefined;
}

/** The good JSON list of a cell. */
export function listOf(row: DraftRow, name: string): Json[] | undefined {
  const value = row.cells[name];
  return Array.isArray(value) ? value : undefined;
}

/** How many media items a column has. */
export function countOf(row: DraftRow, name: string): number {
  return row.mediaCounts.get(name) ?? 0;
}

/** `width and height go together`, the same on every svc kind (service document 1, Dimension rules). */
export const sizeTogether: Check = {
  rule: 'width and height go together',
  check(row, report) {
    if (has(row, 'width') === has(row, 'height')) return;
    report.problem(row, 'B14', has(row, 'width') ? 'width' : 'height', 'width and height go together');
  },
};

/** The model, where there is one alone. */
export function modelColumn(model: string): Column {
  return { name: 'model', type: 'choice', choices: [model], code: 'B13', help: 'May be left out: there is one.' };
}

/** A field tree in which every listed field is settled. */
export function settled(...names: string[]): FieldTree {
  return Object.fromEntries(names.map((name) => [name, true]));
}

/** `a, b or c` */
export function orList(values: readonly (string | number)[]): string {
  if (values.length < 2) return values.join('');
  return `${values.slice(0, -1).join(', ')} or ${values[values.length - 1]}`;
}
