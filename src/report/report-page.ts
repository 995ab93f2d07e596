import { REASONS } from '../domain/failure.js';
import { formatCredits } from '../domain/money.js';
import { orderWords } from '../domain/order-words.js';
import { STATUSES } from '../domain/outcome.js';
import type { ReportRows, Share, ShownRow } from './collect.js';
import { barChart, besideHref, type Html, html, instant, rowsText, shortened, TABLES_HEAD, table } from './html.js';
import { mediaList, type Tile } from './media-page.js';
import { nextCommand } from './next-command.js';
import type { ReportTerms } from './report-terms.js';
import type { FailureGroup } from './tallies.js';

/** The report of a batch for whoever runs it, as one page that runs nothing and asks nobody. Pure. */

const FAILURES_SHOWN = 50;
const SHARES_SHOWN = 50;
/** Bytes that the rows may take, so that the pictures have room. */
const ROWS_BYTES_MAX = 600_000;
const MORE_FILES = 'results.csv and results.jsonl hold every row, failed.csv those to run again.';

export function reportPage(rows: ReportRows, terms: ReportTerms, tiles: readonly Tile[]): string {
  const { batch } = terms;
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">${TABLES_HEAD}<title>${batch}: report</title></head>
<body><main><h1>${batch}</h1>
<p class="soft">Report of ${instant(terms.writtenAtMs)}, callsheet ${terms.version}. ${rows.open > 0 ? `${rowsText(rows.open)} not ended yet.` : ''}</p>
${counts(rows)}${rest(terms)}${persons(rows, batch)}${failures(rows, terms)}
<h2>Outputs</h2>${outputs(rows, tiles)}
<h2>Cost</h2>${cost(rows, terms)}
<h2>Time</h2>${charts(rows, terms)}
<h2>Settings</h2>${settings(rows, terms)}
${everyRow(rows)}</main></body></html>
`;
  return page.text;
}

function counts({ counts: ended, open, total, saved, removed }: ReportRows): Html {
  const shown: [string, number][] = [
    ['rows', total.rows],
    ...STATUSES.map((one): [string, number] => [one, ended[one]]),
  ];
  const items = [...shown, ['open', open] as [string, number]].filter(([, count]) => count > 0);
  const notes = [
    ...(saved.rows > 0 ? [savedText(saved)] : []),
    ...(removed > 0 ? [`${rowsText(removed)} left the manifest after an attempt; results.csv has them.`] : []),
  ];
  return html`<ul class="counts">${items.map(([word, count]) => html`<li><b>${count}</b>${word}</li>`)}
<li><b>${creditsText(total)}</b>credits</li></ul>${notes.map((note) => html`<p>${note}</p>`)}`;
}

function rest({ quote, batch }: ReportTerms): Html {
  if (quote.length === 0) return html``;
  const lines = quote.map(([name, text]) => html`<dt>${name}</dt><dd>${text}</dd>`);
  return html`<h2>The rest waits</h2><dl>${lines}</dl><p><code>callsheet ${orderWords('approve', batch)}</code> runs it.</p>`;
}

function savedText({ rows, creditsNano }: ReportRows['saved']): string {
  const what = creditsNano > 0 ? `${formatCredits(creditsNano)} credits` : 'their price';
  return `${rowsText(rows)} with the request of another row shared its render, which saved ${what}.`;
}

function creditsText({ creditsNano, creditsUnknown }: Share): string {
  if (creditsUnknown === 0) return formatCredits(creditsNano);
  const known = creditsNano === 0 ? '' : `${formatCredits(creditsNano)} + `;
  return `${known}unknown of ${rowsText(creditsUnknown)}`;
}

function persons({ forPerson, forPersonCount }: ReportRows, batch: string): Html {
  if (forPersonCount === 0) return html``;
  const rows = forPerson.map((row) => html`<tr><th scope="row">${row.id}</th><td>${row.status}</td>${why(row)}</tr>`);
  const more = forPersonCount > forPerson.length ? ` The first ${forPerson.length} are shown.` : '';
  return html`<h2 class="warn">${rowsText(forPersonCount)} for a person</h2>
<p><code>callsheet ${orderWords('review list', batch)}</code>${more}</p>${table('Rows that need a person', 'persons', rows)}`;
}

function why({ reasonCode, reason }: ShownRow): Html {
  if (reasonCode === '' && reason === '') return html`<td></td>`;
  return html`<td>${reasonCode} <span class="soft">${shortened(reason, 200)}</span></td>`;
}

function failures(report: ReportRows, terms: ReportTerms): Html {
  const { failures: all } = report;
  if (all.length === 0) return html``;
  const rows = all.slice(0, FAILURES_SHOWN).map((group) => failureRow(group, nextCommand(group, report, terms)));
  const hidden = all.length - rows.length;
  const more = hidden > 0 ? html`<p>${hidden} more kinds of failures stand in results.csv.</p>` : html``;
  return html`<h2>Not done</h2>${table('Equal failures together', 'failures', rows)}${more}`;
}

function failureRow({ status, reasonCode, reason, count, ids }: FailureGroup, next: string): Html {
  const facts =
    reasonCode !== undefined && reasonCode in REASONS ? REASONS[reasonCode as keyof typeof REASONS] : undefined;
  const example = `${ids[0] ?? ''}${reason === undefined ? '' : `: ${shortened(reason, 300)}`}`;
  return html`<tr><td class="n">${count}</td><td>${status} ${reasonCode ?? ''} <span class="soft">${facts?.meaning ?? ''}</span></td>
<td>${example}</td><td><code>${next}</code> <span class="soft">${facts?.advice ?? ''}</span></td></tr>`;
}

function outputs({ outputCount }: ReportRows, tiles: readonly Tile[]): Html {
  const list = mediaList(
    tiles,
    ({ id, title, kind, model, prompt }) =>
      html`<p>${shortened(title, 120)}${title === id ? '' : ` (${id})`}<br><span class="soft">${kind} ${model}</span></p><p class="soft">${prompt}</p>`,
  );
  const more =
    outputCount > tiles.length ? html`<p>${tiles.length} of ${outputCount} outputs. ${MORE_FILES}</p>` : html``;
  return html`${more}${list}`;
}

function cost({ byKind, byModel, byGroup }: ReportRows, { spending }: ReportTerms): Html {
  const tables = [
    sharesTable('By kind', 'kinds', byKind),
    sharesTable('By model', 'models', byModel),
    sharesTable('By group', 'groups', byGroup),
  ];
  return html`${spending.map((line) => html`<p>${line}</p>`)}${tables}`;
}

function sharesTable(caption: string, name: Parameters<typeof table>[1], shares: ReadonlyMap<string, Share>): Html {
  const dearest = [...shares].sort(([, a], [, b]) => b.creditsNano - a.creditsNano || b.rows - a.rows);
  const rows = dearest
    .slice(0, SHARES_SHOWN)
    .map(
      ([key, share]) =>
        html`<tr><th scope="row">${shortened(key, 120)}</th><td class="n">${share.rows}</td><td class="n">${share.done}</td><td class="n">${creditsText(share)}</td></tr>`,
    );
  const hidden = dearest.length - rows.length;
  const more = hidden > 0 ? html`<p>${hidden} more stand in results.csv.</p>` : html``;
  return html`${table(caption, name, rows)}${more}`;
}

function charts({ slots, submits, lastMs }: ReportRows, terms: ReportTerms): Html {
  if (lastMs === undefined) return html`<p class="soft">No row has ended yet.</p>`;
  const held = slots.sums().map((ms) => ms / slots.widthMs);
  const perMinute = submits.sums().map((count) => (count * 60_000) / submits.widthMs);
  const [a, b] = [
    {
      title: `Jobs at once, on average of each ${slots.widthMs / 1_000} s`,
      values: held,
      unit: 'jobs',
      limit: terms.slots,
      ...axisOf(slots),
    },
    {
      title: 'Submits (polls are not on record)',
      values: perMinute,
      unit: 'a minute',
      limit: terms.rpm,
      ...axisOf(submits),
    },
  ];
  return html`<p>${instant(terms.createdAtMs)} to ${instant(lastMs)}</p>${barChart(a)}${barChart(b)}`;
}

function axisOf({ fromMs, widthMs }: { fromMs: number; widthMs: number }) {
  return { fromMs, widthMs };
}

function settings({ byKind }: ReportRows, { settings: pairs }: ReportTerms): Html {
  const asked = [...byKind].map(([kind, { rows }]) => `${kind} ${rows}`).join(', ');
  const all: [string, string][] = [['asked for', asked], ...pairs];
  return html`<dl>${all.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

function everyRow({ rows, total }: ReportRows): Html {
  if (rows.length === 0) return html`<h2>Rows</h2><p>${rowsText(total.rows)}. ${MORE_FILES}</p>`;
  const shown: Html[] = [];
  let bytes = 0;
  for (const row of rows) {
    const line = rowLine(row);
    bytes += Buffer.byteLength(line.text);
    if (bytes > ROWS_BYTES_MAX) break;
    shown.push(line);
  }
  const hidden = rows.length - shown.length;
  const more = hidden > 0 ? html`<p>${hidden} more rows. ${MORE_FILES}</p>` : html``;
  return html`<h2>Rows</h2>${table('Every row', 'rows', shown)}${more}`;
}

function rowLine(row: ShownRow): Html {
  const file = row.file === '' ? html`` : html`<a href="${besideHref(row.file)}">${shortened(row.file, 120)}</a>`;
  return html`<tr><th scope="row">${row.id}</th><td>${row.kind}</td><td>${row.model}</td><td>${shortened(row.group, 60)}</td><td>${row.status}</td>${why(row)}<td class="n">${row.credits}</td><td>${file}</td></tr>
`;
}
