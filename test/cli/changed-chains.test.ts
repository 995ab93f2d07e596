import { describe, expect, test } from 'vitest';
import { refuseChangedRows, withFedRows } from '../../src/cli/plan/refuse-rows.js';
import type { PlannedRow } from '../../src/cli/plan/row-planner.js';
import type { Row } from '../../src/domain/row.js';

const row = (id: string, line: number, feeder?: string): Row => ({
  ...{ index: line, line, id, kind: 'svc/edit', stem: id, cells: {}, hash: `hash-${id}` },
  media: feeder === undefined ? {} : { image: [{ source: 'row', id: feeder, at: 0 }] },
});

const changed = (one: Row, columns: string[]): PlannedRow => ({
  ...{ row: one, plan: { plan: 'submit' }, isUntried: false },
  changed: { submittedHash: 'old', isOpen: false, columns },
});

const hero = changed(row('hero', 2), ['prompt']);
const edit = changed(row('edit', 3, 'hero'), []);
const film = changed(row('film', 4, 'edit'), []);
const place = { path: 'story.csv' };

describe('a changed row and what it feeds', () => {
  test('the refusal names the row that was changed, not those that follow it', () => {
    const refuse = () => refuseChangedRows({ changed: [hero, edit, film], changedCount: 3 }, place, false);
    expect(refuse).toThrow(
      "story.csv:2:1: B48 row 'hero' was submitted with other values (changed: prompt); give it a new id or use --changed rerun=hero (costs again)\n3 rows were submitted",
    );
    expect(refuse).not.toThrow(/'film'/);
  });

  test('an order for it covers what it feeds; a row that was changed by itself needs its own', () => {
    const order = withFedRows(new Set(['hero']), [film, edit, hero]);
    expect(order).toEqual(new Set(['hero', 'edit', 'film']));
    expect(() => refuseChangedRows({ changed: [hero, edit, film], changedCount: 3 }, place, order)).not.toThrow();
    const other = changed(row('other', 5), ['width']);
    expect(() => refuseChangedRows({ changed: [hero, edit, other], changedCount: 3 }, place, order)).toThrow(/'other'/);
  });
});
