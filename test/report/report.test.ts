// The report as a page: whole, small at any size, and nothing that was put into it becomes markup.
import { expect, test } from 'vitest';
import { sharesText } from '../../src/domain/outcome.js';
import { emptyTally, tallyResults } from '../../src/home/upstream.js';
import { type ResultLine, resultFields } from '../../src/manifest/result-fields.js';
import { collectRows } from '../../src/report/collect.js';
import { publicPage } from '../../src/report/media-page.js';
import { reportPage } from '../../src/report/report-page.js';
import type { ReportTerms } from '../../src/report/report-terms.js';
import { TimeBins } from '../../src/report/tallies.js';
import { storedRow, wholeRecord } from '../home/support/examples.js';

const HOSTILE = `"><img src=x onerror=alert(1)><script>alert(2)</script>' onmouseover='alert(3)\u202e\u061c`;
const TAGS = /<\/?([a-z]+)[^>]*>/gi;

const terms = (over: Partial<ReportTerms> = {}): ReportTerms => ({
  ...{ batch: 'shots', version: '1', writtenAtMs: 1, createdAtMs: 0, slots: 10, rpm: 200, spending: [] },
  ...{ settings: [['account', 'secret-account']], awaitsApproval: false, quote: [], ...over },
});

async function* lines(count: number, make: (index: number) => Partial<ResultLine>): AsyncIterable<ResultLine> {
  for (let index = 0; index < count; index += 1) {
    const { row } = storedRow(index);
    yield { row, originalCells: {}, ...make(index) };
  }
}

const done = (index: number): Partial<ResultLine> => {
  const { row } = storedRow(index, { group: `group ${index % 3}` });
  const times = {
    submittedAtMs: index * 1_000,
    renderedAtMs: index * 1_000 + 30_000,
    finishedAtMs: index * 1_000 + 31_000,
  };
  return { row, record: wholeRecord(row.id, times) };
};

test('what a row has cost with the values that it had before stands in the report and the results, as in the views', async () => {
  const anew: Partial<ResultLine> = { ended: 'not_started', endedFor: 'budget_reached', spentNano: 600_000 };
  const one = () => lines(1, () => anew);
  const tally = emptyTally();
  await tallyResults(one(), tally);
  const { total } = await collectRows(one(), { createdAtMs: 0 });
  for await (const line of one()) expect(resultFields(line).credits).toMatchObject({ text: '0.0006' });
  expect([total.creditsNano, tally.creditsNano]).toEqual([600_000, 600_000]);
});

test('counts, costs by kind, model and group, failures with their command, and rows that need a person', async () => {
  const rows = await collectRows(
    lines(6, (index) => {
      if (index === 3)
        return {
          record: wholeRecord('row-3', {
            status: 'failed',
            reasonCode: 'render_failed',
            reason: 'no faces',
            files: [],
            creditsNano: 0,
          }),
        };
      if (index === 4)
        return { record: wholeRecord('row-4', { status: 'review', reasonCode: 'answer_lost_undecided', files: [] }) };
      if (index === 5) return { live: 'rendering' };
      return done(index);
    }),
    { createdAtMs: 0 },
  );
  const page = reportPage(rows, terms(), []);
  expect(page).toContain('<code>callsheet retry shots --class render_failed</code>');
  expect(page).toContain('row-3: no faces');
  expect(page).toContain('1 row for a person');
  expect(page).toContain('<code>callsheet review list shots</code>');
  expect(page).toContain('1 row not ended yet');
  expect(page).toMatch(/By kind[\s\S]*svc\/image<\/th><td class="n">6<\/td><td class="n">3<\/td><td class="n">0.0024</);
  expect(page).toMatch(/group 2<\/th><td class="n">1<\/td><td class="n">1<\/td><td class="n">0.0006</);
  expect(page).toContain('href="./media/row-0.png"');
  expect(page).toMatch(/<svg[\s\S]*Jobs at once, on average of each \d+ s: at most 3 jobs|<svg[\s\S]*Jobs at once/);
});

test('a row that a failed one would have fed names it, and such rows stay one kind of failure', async () => {
  const make = (index: number): Partial<ResultLine> => {
    const endedText = `row ${'ab'[index]}, which feeds it: failed, render_failed`;
    return { ended: 'not_started', endedFor: 'upstream_failed', endedText };
  };
  const rows = await collectRows(lines(2, make), { createdAtMs: 0 });
  const page = reportPage(rows, terms(), []);
  const named = (feeder: string): string => `row ${feeder}, which feeds it: failed, render_failed`;
  expect(page).toContain(`<td>upstream_failed <span class="soft">${named('a')}</span></td>`);
  expect(page).toContain(`<td>upstream_failed <span class="soft">${named('b')}</span></td>`);
  expect(page).toContain(`<td>row-0: ${named('a')}</td>`);
  expect(rows.failures.map(({ count }) => count)).toEqual([2]);
});

test('rows that a person gave up, and what they feed, come with the order that pays for them again', async () => {
  const make = (index: number): Partial<ResultLine> =>
    index === 2
      ? { ended: 'not_started', endedFor: 'upstream_review' }
      : { record: wholeRecord(`row-${index}`, { status: 'lost_paid', reasonCode: 'marked_lost', files: [] }) };
  const again = '<code>callsheet review resubmit shots row-0 row-1</code>';
  const page = reportPage(await collectRows(lines(3, make), { createdAtMs: 0 }), terms(), []);
  expect(page.split(again)).toHaveLength(3);
  // `review list` has none of them.
  expect(page).not.toContain('review list');
  const many = await collectRows(
    lines(4, (index) => make(Math.min(index, 1))),
    { createdAtMs: 0 },
  );
  expect(reportPage(many, terms(), [])).toContain('<code>callsheet review resubmit shots &lt;id&gt;</code>');
});

test('on a phone the style names the column of each value, and no cell does', async () => {
  const failed = { status: 'failed' as const, reasonCode: 'render_failed' as const, files: [] };
  const rows = await collectRows(
    lines(2, (index) => (index === 0 ? done(0) : { record: wholeRecord('row-1', failed) })),
    { createdAtMs: 0 },
  );
  const page = reportPage(rows, terms(), []);
  for (const [, name = '', head = ''] of page.matchAll(/<table class="(\w+)">.*\n<thead>(.*)<\/thead>/g)) {
    for (const [i, [, column]] of [...head.matchAll(/<th scope="col">(.*?)<\/th>/g)].entries()) {
      expect(page).toContain(`.${name} td:nth-child(${i + 1})::before{content:"${column}"}`);
    }
  }
  expect(page.match(/<table class="\w+">/g)).toHaveLength(5);
  expect(page).toContain('<td>done</td><td></td><td class="n">0.0006</td>');
});

test('rows that take no slot are no jobs at once', async () => {
  const make = (index: number): Partial<ResultLine> => {
    const { row, ...line } = done(index);
    return { row: { ...storedRow(index).row, ...row, kind: 'vendor-f/interaction' }, ...line };
  };
  const { slots, submits } = await collectRows(lines(3, make), { createdAtMs: 0 });
  expect([slots.sums(), submits.sums()]).toEqual([[], [3]]);
});

test('what a sample holds back is approved, not resumed, and its quote stands on the page', async () => {
  const held = await collectRows(
    lines(2, () => ({ ended: 'not_started' })),
    { createdAtMs: 0 },
  );
  expect(reportPage(held, terms(), [])).toContain('<code>callsheet resume shots</code>');
  const quote: ReportTerms['quote'] = [['quote', '2 rows: 2 to 3 credits, 1 min to 2 min']];
  const page = reportPage(held, terms({ awaitsApproval: true, quote }), []);
  expect(page).toContain('<dt>quote</dt><dd>2 rows: 2 to 3 credits, 1 min to 2 min</dd>');
  expect(page).toMatch(/not_started[^<]*<[\s\S]*<code>callsheet approve shots<\/code>/);
  expect(page).not.toContain('callsheet resume');
});

test('what a budget has left goes on with a higher one, as the summary says', async () => {
  const left = await collectRows(
    lines(2, () => ({ ended: 'not_started', endedFor: 'budget_reached' })),
    { createdAtMs: 0 },
  );
  const order = (awaitsApproval: boolean) => reportPage(left, terms({ awaitsApproval }), []);
  expect(order(false)).toContain('<code>callsheet resume shots --max-credits &lt;more&gt;</code>');
  // An approval names its budget itself.
  expect(order(true)).toContain('<code>callsheet approve shots</code>');
});

test('identical rows say what they saved', async () => {
  const twin = (index: number): Partial<ResultLine> => {
    const { row } = storedRow(index, index > 0 ? { shares: 0 } : {});
    const copied = { creditsNano: 0, warnings: [sharesText('row-0')] };
    return { row, record: wholeRecord(row.id, index > 0 ? copied : { creditsNano: 600_000 }) };
  };
  const rows = await collectRows(lines(3, twin), { createdAtMs: 0 });
  expect(reportPage(rows, terms(), [])).toContain(
    '2 rows with the request of another row shared its render, which saved 0.0012 credits',
  );
});

test('a row that would share a render and was paid by itself saved nothing, and was sent', async () => {
  const make = (index: number): Partial<ResultLine> => {
    const { row } = storedRow(index, index > 0 ? { shares: 0 } : {});
    const paid = { creditsNano: 600_000, submittedAtMs: 1_000 };
    const lost = { status: 'lost_paid' as const, files: [] };
    return { row, record: wholeRecord(row.id, { ...paid, ...(index === 0 ? lost : {}) }) };
  };
  const { saved, total, submits } = await collectRows(lines(2, make), { createdAtMs: 0 });
  expect([saved, total.creditsNano]).toEqual([{ rows: 0, creditsNano: 0 }, 1_200_000]);
  expect(submits.sums()).toEqual([2]);
});

test('names, prompts, groups, files and the words of the service are text and nothing else', async () => {
  const make = (index: number): Partial<ResultLine> => {
    const { row } = storedRow(index, {
      ...{ group: HOSTILE, cells: { model: HOSTILE, prompt: HOSTILE }, passthrough: { 'x-title': HOSTILE } },
    });
    const files = [{ file: `media/${HOSTILE}`, contentType: 'image/png', bytes: 3, sha256: 'd' }];
    if (index === 0) return { row, record: wholeRecord(row.id, { files }) };
    return { row, record: wholeRecord(row.id, { status: 'failed', reason: HOSTILE, files: [] }) };
  };
  const rows = await collectRows(lines(2, make), { createdAtMs: 0 });
  const tiles = rows.outputs.map((output) => ({ output, poster: undefined }));
  for (const page of [
    reportPage(rows, terms({ batch: HOSTILE, settings: [['manifest', HOSTILE]] }), tiles),
    publicPage(HOSTILE, rows, tiles),
  ]) {
    const tags = new Set(Array.from(page.matchAll(TAGS), ([, name = '']) => name.toLowerCase()));
    expect([...tags].filter((name) => ['script', 'img', 'iframe', 'object'].includes(name))).toEqual([]);
    expect(page).not.toMatch(/[\u202e\u061c]/);
    expect(page).toContain(`content="default-src 'none'; img-src data:;`);
  }
});

test('a client sees media and titles: no cost, account, setting or message', async () => {
  const make = (index: number): Partial<ResultLine> => {
    const { row } = storedRow(index, { group: 'inner group', passthrough: { 'x-title': `Scene ${index}` } });
    if (index === 1)
      return { row, record: wholeRecord(row.id, { status: 'failed', reason: 'the words of the service', files: [] }) };
    return { row, record: wholeRecord(row.id) };
  };
  const rows = await collectRows(lines(3, make), { createdAtMs: 0 });
  const page = publicPage(
    'shots',
    rows,
    rows.outputs.map((output) => ({ output, poster: undefined })),
  );
  expect(page).toContain('Scene 0');
  expect(page).toContain('Scene 2');
  for (const inner of [
    '0.0006',
    'credit',
    'secret-account',
    'inner group',
    'the words',
    'prompt',
    'svc-alpha',
    'failed',
    'callsheet',
  ]) {
    expect(page).not.toContain(inner);
  }
});

test('2,000 rows with long texts leave room for pictures; 100,000 rows are counted, with the files that hold them', async () => {
  const long = (index: number): Partial<ResultLine> => {
    const { row } = storedRow(index, { group: `${index}${'&'.repeat(500)}` });
    return {
      row,
      record: wholeRecord(row.id, {
        status: 'failed',
        reasonCode: 'render_failed',
        reason: `${'<'.repeat(900)}${'abcdefghij'[index % 10]}`,
      }),
    };
  };
  const wide = reportPage(await collectRows(lines(2_000, long), { createdAtMs: 0 }), terms(), []);
  expect(Buffer.byteLength(wide)).toBeLessThan(1_200_000);
  const many = await collectRows(lines(100_000, done), { createdAtMs: 0 });
  const page = reportPage(many, terms(), []);
  expect(Buffer.byteLength(page)).toBeLessThan(200_000);
  expect(page).toContain('100000 rows. results.csv and results.jsonl hold every row');
});

test('bins widen as time goes on and lose nothing', () => {
  const bins = new TimeBins(1_000);
  bins.add(0, 1);
  bins.addSpan(1_000, 11_000);
  bins.add(1_000 + 7 * 86_400_000, 2);
  bins.addSpan(5_000, 86_400_000);
  const total = bins.sums().reduce((sum, one) => sum + one, 0);
  expect(total).toBe(1 + 10_000 + 2 + 86_395_000);
  expect(bins.sums().length).toBeLessThanOrEqual(240);
});
