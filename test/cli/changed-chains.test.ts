import { describe, expect, test } from 'vitest';

import type { BatchPlace, HomeAccess } from '../../src/cli/access/home-access.js';
import { type ChangedId, noteChanged } from '../../src/cli/plan/changed-rows.js';
import type { RefusingPlace } from '../../src/cli/plan/errors-file.js';
import { keepFedRows, recordKept } from '../../src/cli/plan/kept-rows.js';
import { coveredBy, refuseChangedRows, withFedRows } from '../../src/cli/plan/refuse-rows.js';
import { type PlannedRow, planRow } from '../../src/cli/plan/row-planner.js';
import { UserError } from '../../src/cli/user-error.js';
import type { RowRecord } from '../../src/domain/outcome.js';
import { fedMedia, type Row } from '../../src/domain/row.js';
import { recordFor } from '../../src/home/row-standing.js';
import { fedHash, rowHash } from '../../src/manifest/row-hash.js';
import { rowRecord } from '../support/row-record.js';

const row = (id: string, line: number, feeder?: string): Row => ({
  ...{ index: line, line, id, kind: 'svc/edit', stem: id, cells: {}, hash: `hash-${id}` },
  media: feeder === undefined ? {} : { image: [{ source: 'row', id: feeder, at: 0 }] },
});

const changed = (one: Row, columns: string[]): PlannedRow => ({
  ...{ row: one, plan: { plan: 'submit' }, isUntried: false },
  changed: { submittedHash: 'old', isOpen: false, columns },
});

function noted(...rows: PlannedRow[]): ChangedId[] {
  const found: ChangedId[] = [];
  for (const one of rows) noteChanged(found, one);
  return found;
}

const hero = changed(row('hero', 2), ['prompt']);
const edit = changed(row('edit', 3, 'hero'), []);
const film = changed(row('film', 4, 'edit'), []);
const place = { path: 'story.csv' };

describe('a changed row and what it feeds', () => {
  test('the refusal names the row that was changed, not those that follow it', () => {
    const refuse = () => refuseChangedRows(noted(hero, edit, film), place, false);
    expect(refuse).toThrow(
      "story.csv:2:1: B48 row 'hero' was submitted with other values (changed: prompt); give it a new id or use --changed rerun=hero (costs again)\n3 rows were submitted with other values, 2 of which changed rows feed: nothing was submitted now",
    );
    expect(refuse).not.toThrow(/'film'/);
    const many = Array.from({ length: 22 }, (_, at) => changed(row(`own${at}`, 9 + at), ['prompt']));
    expect(() => refuseChangedRows(noted(...many), place, false)).toThrow(
      /'own19' .*\n22 rows were submitted with other values, 2 of which are not shown: nothing was submitted now$/,
    );
    expect(() => refuseChangedRows(noted(hero, edit, ...many), place, false)).toThrow(
      /\n24 rows were submitted with other values, 1 of which changed rows feed and 3 are not shown: nothing was/,
    );
  });

  test('`--errors` has all of them, those that follow it too', () => {
    const told = (at: RefusingPlace) => {
      try {
        refuseChangedRows(noted(hero, edit, film), at, false);
      } catch (error) {
        if (error instanceof UserError) return error.problems?.map(({ code, line, id }) => [code, line, id]);
      }
      return [];
    };
    const first = ['B48', 2, 'hero'];
    expect(told(place)).toEqual([first]);
    expect(told({ ...place, errorsFile: 'problems.csv' })).toEqual([first, ['B48', 3, 'edit'], ['B48', 4, 'film']]);
  });

  test('an order for it covers what it feeds; a row that was changed by itself needs its own', () => {
    const order = withFedRows(new Set(['hero']), noted(film, edit, hero));
    expect(order).toEqual(new Set(['hero', 'edit', 'film']));
    expect(() => refuseChangedRows(noted(hero, edit, film), place, order)).not.toThrow();
    const other = changed(row('other', 5), ['width']);
    expect(() => refuseChangedRows(noted(hero, edit, other), place, order)).toThrow(/'other'/);
  });

  test('a row that is fed by a copy follows the row that renders it', () => {
    const [copy] = fedMedia(film.row);
    const ofCopy = changed(
      { ...film.row, media: { image: [{ ...copy, source: 'row', id: 'twin', at: edit.row.index }] } },
      [],
    );
    const refuse = () => refuseChangedRows(noted(edit, ofCopy), place, false);
    expect(refuse).toThrow(/'edit'/);
    expect(refuse).not.toThrow(/'film'/);
    expect(withFedRows(new Set(['edit']), noted(edit, ofCopy))).toEqual(new Set(['edit', 'film']));
  });

  test('an order for it goes through a row that was taken over to what that feeds', () => {
    const taken: PlannedRow = { ...edit, reusedFrom: 'b/edit' };
    delete taken.changed;
    const found = noted(hero, taken, film);
    expect(withFedRows(new Set(['hero']), found)).toEqual(new Set(['hero', 'edit', 'film']));
    expect(() => refuseChangedRows(found, place, withFedRows(new Set(['hero']), found))).not.toThrow();
    const refuse = () => refuseChangedRows(found, place, false);
    expect(refuse).toThrow(/'hero' .*\n2 rows were submitted with other values, 1 of which changed rows feed/);
    expect(refuse).not.toThrow(/'film'|'edit'/);
  });

  test('a copy whose render anew a person ordered is not changed: nothing goes through it', () => {
    const rerun = rowRecord({ id: 'edit', rowHash: 'hash-edit', attempts: 0, reusedFrom: 'b/edit', rerunAtMs: 1 });
    const planned = planRow(edit.row, rerun, [], null, false);
    expect(planned).toMatchObject({ plan: { plan: 'submit' }, reusedFrom: 'b/edit' });
    expect(noted(planned)).toEqual([]);
    expect(noted(planRow({ ...edit.row, hash: 'other' }, rerun, [], null, false))).toMatchObject([{ passes: true }]);
  });

  test('the head of a chain is named also where it was taken over itself, before any request of its own', () => {
    const takenOver = ({ row: of }: PlannedRow): PlannedRow => {
      return { row: of, plan: { plan: 'submit' }, isUntried: true, reusedFrom: `b/${of.id}` };
    };
    const heads = [noted(takenOver(hero), takenOver(edit), film), noted(takenOver(hero), edit, film)];
    for (const found of heads) {
      const refuse = () => refuseChangedRows(found, place, false);
      expect(refuse).toThrow(
        "story.csv:2:1: B48 row 'hero' was taken over with other values; give it a new id or use --changed rerun=hero (costs again)\n",
      );
      expect(refuse).toThrow(/, \d of which changed rows feed: nothing was submitted now$/);
      expect(refuse).not.toThrow(/'film'|'edit'/);
      expect(() => refuseChangedRows(found, place, withFedRows(new Set(['hero']), found))).not.toThrow();
    }
    // One that feeds nothing which is refused costs nothing that nobody ordered.
    const other = changed(row('other', 5), ['width']);
    const refuse = () => refuseChangedRows(noted(takenOver(hero), other), place, false);
    expect(refuse).toThrow(/'other'/);
    expect(refuse).not.toThrow(/'hero'/);
  });

  test('a row that was taken over stays too, where nothing but what feeds it was changed', async () => {
    const own = rowHash(edit.row);
    const records = new Map([
      ['hero', rowRecord({ id: 'hero', rowHash: 'old-hero', attempts: 1 })],
      ['edit', rowRecord({ id: 'edit', rowHash: fedHash(own, ['old-hero']), attempts: 0, reusedFrom: 'b/edit' })],
    ]);
    const access = homeOf(records, {});
    const keptOf = async (now: Row) => {
      const keep = keepFedRows({ access, batch: 'story' } as BatchPlace, new Set(['hero']));
      const planned: PlannedRow = { row: now, plan: { plan: 'submit' }, isUntried: true, reusedFrom: 'b/edit' };
      return (await keep([hero, planned])).map(({ isKept }) => isKept ?? false);
    };
    const now = { ...edit.row, hash: fedHash(own, ['new-hero']) };
    expect(await keptOf(now)).toEqual([false, true]);
    const edited = { ...now, cells: { prompt: 'another' } };
    expect(await keptOf({ ...edited, hash: fedHash(rowHash(edited), ['new-hero']) })).toEqual([false, false]);
    // Nothing was changed: it is finished by itself.
    expect(await keptOf({ ...now, hash: fedHash(own, ['old-hero']) })).toEqual([false, false]);
  });

  test('without what it feeds: the rest stays, but for rows that were changed by themselves or are named', async () => {
    const records = new Map(['edit', 'film', 'own'].map((id) => [id, rowRecord({ id, rowHash: 'old', attempts: 1 })]));
    const access = homeOf(records, { own: { prompt: 'as it was' } });
    const own = changed({ ...row('own', 5, 'hero'), cells: { prompt: 'another' } }, []);
    const keep = keepFedRows({ access, batch: 'story' } as BatchPlace, new Set(['hero', 'film']));
    const planned = await keep([hero, edit, film, own]);
    expect(planned.map(({ row: { id }, isKept, plan }) => [id, isKept ?? false, plan.plan])).toEqual([
      ['hero', false, 'submit'],
      ['edit', true, 'finished'],
      ['film', false, 'submit'],
      ['own', false, 'submit'],
    ]);
    expect(coveredBy(new Set(['hero']), noted(hero, own), true)).toEqual(new Set(['hero']));
    await recordKept(access, 'story', { kept: [{ id: 'edit', hash: 'hash-edit' }] });
    const kept = records.get('edit');
    expect(kept).toMatchObject({ status: 'done', rowHash: 'old', keptFor: 'hash-edit' });
    // With the content that it was kept for it is done, with any other it is not.
    expect(kept && recordFor(kept, 'hash-edit').status).toBe('done');
    expect(kept && recordFor(kept, 'other')).toMatchObject({ status: 'review', reasonCode: 'row_changed' });
  });

  test('a row that went on meanwhile is not left as it was', async () => {
    const records = new Map([['edit', rowRecord({ id: 'edit', rowHash: 'old', rerunAtMs: 1 })]]);
    const kept = [{ id: 'edit', hash: 'hash-edit' }];
    await expect(recordKept(homeOf(records, {}), 'story', { kept })).rejects.toThrow(/'edit' went on meanwhile/);
  });
});

/** A home whose rows were submitted with these cells. */
function homeOf(records: Map<string, RowRecord>, before: Record<string, Row['cells']>): HomeAccess {
  const intent = { state: 'intent', rowHash: 'old', generation: 'g', part: 0, index: 0 };
  let asked = '';
  return {
    ledger: {
      read: async (_batch: string, id: string) => {
        asked = id;
        return [{ n: 1, states: [intent], torn: false }];
      },
    },
    rows: { readRow: async () => ({ row: { ...row(asked, 1, FEEDER[asked]), cells: before[asked] ?? {} }, raw: {} }) },
    records: {
      readRecord: async (_batch: string, id: string) => records.get(id),
      readRecords: async (_batch: string, ids: string[]) => ids.map((id) => records.get(id)),
      changeRecord: async (_batch: string, id: string, next: (now: RowRecord | undefined) => RowRecord | undefined) => {
        const record = next(records.get(id));
        if (record !== undefined) records.set(id, record);
      },
    },
  } as unknown as HomeAccess;
}

const FEEDER: Record<string, string> = { edit: 'hero', film: 'edit', own: 'hero' };
