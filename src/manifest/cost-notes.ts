import type { Row } from '../domain/row.js';
import { factsOf } from '../kinds/facts.js';
import { KIND_RULES } from '../kinds/rules.js';

/** Sentences about what the row leaves to a default that costs more than need be; `plan` shows them. */
export function costNotesOf(row: Pick<Row, 'kind' | 'cells' | 'media'>): string[] {
  return KIND_RULES[row.kind].costNotes({ model: modelOf(row), cells: row.cells, media: row.media });
}

/** The row's model, or the one that the service takes when none is named; empty where the kind has none. */
export function modelOf(row: Pick<Row, 'kind' | 'cells'>): string {
  const { model } = row.cells;
  return typeof model === 'string' ? model : factsOf(row.kind).model;
}
