// What a row rendered before its newest render was paid and lies beside it: its record goes on telling of it (design 9).

import { describe, expect, test } from 'vitest';
import type { OutputFile, RowRecord } from '../../src/domain/outcome.js';
import { failedAgain, keepEarlier } from '../../src/home/earlier-render.js';
import { awayRender, keepRenders, rendersOf, withStored } from '../../src/home/past-renders.js';
import { rowRecord } from '../support/row-record.js';

const fileOf = (file: string): OutputFile => ({ file, contentType: 'image/png', bytes: 5, sha256: `of ${file}` });
/** The record of a row after its `n`-th render, each at 5. */
const rendered = (n: number, over: Partial<RowRecord> = {}): RowRecord =>
  rowRecord({ files: [fileOf(`a.v${n}.png`)], attempts: n, creditsNano: 5 * n, finishedAtMs: n, ...over });

/** As the row's records are written one over the other. */
function written(...records: RowRecord[]): RowRecord {
  const [first = rendered(1), ...others] = records;
  return others.reduce((before, made) => keepRenders(before, made, keepEarlier(before, made)), first);
}

const shown = (record: RowRecord) =>
  rendersOf(record).map(({ files, creditsNano }) => `${files[0]?.file} ${creditsNano}`);

test('each render with its own cost, the newest first', () => {
  expect(shown(written(rendered(1), rendered(2), rendered(3)))).toEqual(['a.v3.png 5', 'a.v2.png 5', 'a.v1.png 5']);
});

test('the same record written again names no render twice', () => {
  expect(shown(written(rendered(1), rendered(2), rendered(2)))).toEqual(['a.v2.png 5', 'a.v1.png 5']);
});

test('one that is made anew just now is not told of, those before it are', () => {
  expect(shown({ ...written(rendered(1), rendered(2)), rerunAtMs: 9 })).toEqual(['a.v1.png 5']);
});

test('another render that failed leaves the earlier one the only one; one that needs a person hides it from nobody', () => {
  const ordered = rendered(1, { rerunAtMs: 9 });
  const failed = rowRecord({ status: 'failed', attempts: 2, creditsNano: 5 });
  expect(shown(written(ordered, failed))).toEqual(['a.v1.png 5']);
  const lost = rowRecord({ status: 'review', reasonCode: 'answer_lost_undecided', attempts: 2 });
  const review = written(ordered, lost);
  expect(shown(review)).toEqual(['a.v1.png 5']);
  expect(shown(keepRenders(review, failed, failedAgain(review, failed)))).toEqual(['a.v1.png 5']);
  expect(shown(keepRenders(review, rendered(2), rendered(2)))).toEqual(['a.v2.png 5', 'a.v1.png 5']);
});

test('what came late for other values stands beside what the row asks for now', () => {
  const present = rendered(2, { creditsNano: 5 });
  const late = rendered(1, { rowHash: 'other values', creditsNano: 12 });
  const record = keepRenders(present, late, { ...present, creditsNano: 12 });
  expect(rendersOf(record).map(({ rowHash, creditsNano }) => [rowHash, creditsNano])).toEqual([
    ['h', 5],
    ['other values', 7],
  ]);
});

test('a copy of another row is no render of the row, and an unknown cost stays unknown', () => {
  expect(shown(written(rendered(1, { reusedFrom: 'b/x' }), rendered(2)))).toEqual(['a.v2.png 10']);
  const { creditsNano: _unknown, ...first } = rendered(1);
  expect(shown(written(first, rendered(2)))).toEqual(['a.v2.png undefined', 'a.v1.png undefined']);
});

describe('F46a: what was stored of a row whose files are away', () => {
  const done = rendered(1, { submittedAtMs: 3, warnings: ['small'], inputs: [{ row: 'x', sha256: 'y' }] });
  const { inputs: _inputs, ...rest } = done;
  const awaited: RowRecord = { ...rest, status: 'review', reasonCode: 'output_pending', reason: 'gone', files: [] };
  const away = keepRenders(done, awaited, awaited);

  test('is known until it is there again: then the record is as it was', () => {
    const made = rowRecord({ status: 'lost_paid', reasonCode: 'output_expired', submittedAtMs: 3, creditsNano: 5 });
    for (const record of [away, keepRenders(away, made, made)]) {
      const render = awayRender(record);
      expect(render?.files).toEqual(done.files);
      expect(withStored(record, done.files)).toEqual(done);
    }
  });

  test('is no earlier render beside the same one that was fetched again, under whatever name', () => {
    const again = rendered(1, { submittedAtMs: 3, files: [fileOf('a.v9.png')] });
    expect(shown(keepRenders(away, again, again))).toEqual(['a.v9.png 5']);
    const another = rendered(2, { submittedAtMs: 4 });
    expect(shown(keepRenders(away, another, another))).toEqual(['a.v2.png 5', 'a.v1.png 5']);
  });

  test('stands for nothing where a person has to say what an attempt cost, or gave the row up', () => {
    expect(awayRender({ ...away, reasonCode: 'verdict_contradicted' })).toBeUndefined();
    expect(awayRender({ ...away, status: 'lost_paid', reasonCode: 'marked_lost' })).toBeUndefined();
    expect(awayRender({ ...away, submittedAtMs: 4 })).toBeUndefined();
  });
});
