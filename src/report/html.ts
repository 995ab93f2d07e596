import { createHash } from 'node:crypto';

/** HTML in which every value that is put in is text: names, prompts and the service's words never become markup. */

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
/** Control characters have no meaning in a page; marks that reorder text would let a name show as another one. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: taking them out is the purpose.
const HAZARDS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Markup that this program wrote. */
export class Html {
  constructor(readonly text: string) {}
}

type Value = Html | string | number | readonly Html[];

/** `html\`<td>${name}</td>\`` */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(parts.reduce((text, part, i) => `${text}${encoded(values[i - 1] ?? '')}${part}`));
}

function encoded(value: Value): string {
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(({ text }) => text).join('');
  return String(value)
    .replace(HAZARDS, ' ')
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** The first characters of someone's words. */
export function shortened(text: string, lengthMax: number): string {
  const characters = Array.from(text.slice(0, lengthMax * 2 + 2));
  return characters.length > lengthMax ? `${characters.slice(0, lengthMax - 1).join('')}…` : text;
}

/** A link to a file beside the page; never another scheme or host, whatever the file's name. */
export function besideHref(file: string): string {
  return `./${file.split('/').map(encodeURIComponent).join('/')}`;
}

/** The columns of each table. */
const COLUMNS = {
  persons: ['row', 'status', 'reason'],
  failures: ['rows', 'what', 'for example', 'next'],
  kinds: ['kind', 'rows', 'done', 'credits'],
  models: ['model', 'rows', 'done', 'credits'],
  groups: ['group', 'rows', 'done', 'credits'],
  rows: ['row', 'kind', 'model', 'group', 'status', 'reason', 'credits', 'file'],
} as const;

/** A table with a caption, or nothing where there are no rows. Numbers are right-aligned by their class. */
export function table(caption: string, name: keyof typeof COLUMNS, rows: readonly Html[]): Html {
  if (rows.length === 0) return html``;
  const cells = COLUMNS[name].map((column) => html`<th scope="col">${column}</th>`);
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table class="${name}"><caption>${caption}</caption>
<thead><tr>${cells}</tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** `1 row`, `2 rows`. */
export function rowsText(count: number): string {
  return `${count} ${count === 1 ? 'row' : 'rows'}`;
}

/** Amounts over time as an SVG of bars, without any script. Pure. */
export interface Chart {
  title: string;
  /** One value a bin, from the first instant on. */
  values: readonly number[];
  unit: string;
  /** A line across: what the plan allows. */
  limit: number | undefined;
  fromMs: number;
  widthMs: number;
}

const WIDTH = 960;
const HEIGHT = 160;
const LEFT = 44;
const BOTTOM = 22;

export function barChart({ title, values, unit, limit, fromMs, widthMs }: Chart): Html {
  const top = Math.max(...values, limit ?? 0, 1e-9);
  const plotHeight = HEIGHT - BOTTOM - 8;
  const step = (WIDTH - LEFT) / Math.max(1, values.length);
  const yOf = (value: number): number => 8 + plotHeight - (value / top) * plotHeight;
  const bars = values.flatMap((value, i) =>
    value === 0
      ? []
      : [
          html`<rect class="bar" x="${fixed(LEFT + i * step)}" y="${fixed(yOf(value))}" width="${fixed(Math.max(0.6, step - 0.4))}" height="${fixed(8 + plotHeight - yOf(value))}"/>`,
        ],
  );
  const line =
    limit === undefined
      ? html``
      : html`<line class="limit" x1="${LEFT}" x2="${WIDTH}" y1="${fixed(yOf(limit))}" y2="${fixed(yOf(limit))}"/>`;
  const most = Math.max(...values, 0);
  const said = `${title}: at most ${shown(most)} ${unit}${limit === undefined ? '' : `, the plan allows ${shown(limit)}`}`;
  return html`<figure><figcaption>${said}</figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${said}">
<line class="axis" x1="${LEFT}" x2="${WIDTH}" y1="${8 + plotHeight}" y2="${8 + plotHeight}"/>${bars}${line}
<text x="${LEFT - 6}" y="16" text-anchor="end">${shown(top)}</text><text x="${LEFT - 6}" y="${8 + plotHeight}" text-anchor="end">0</text>
<text x="${LEFT}" y="${HEIGHT - 6}">${instant(fromMs)}</text>
<text x="${WIDTH}" y="${HEIGHT - 6}" text-anchor="end">${instant(fromMs + values.length * widthMs)}</text></svg></figure>`;
}

/** `2026-01-05 12:03:07 UTC`. */
export function instant(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

function fixed(value: number): string {
  return value.toFixed(1);
}

function shown(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** The style of every report: light and dark, from a phone to a wall. */
const STYLE = `
:root{color-scheme:light dark;--ink:#1b1e23;--soft:#565d66;--ground:#fff;--panel:#f4f5f7;--rule:#d5d9de;--accent:#1a5fb4;--bad:#a51d2d;--warn:#8a4b00}
@media(prefers-color-scheme:dark){:root{--ink:#e8eaed;--soft:#a9b1ba;--ground:#15171a;--panel:#1f2226;--rule:#3a3f45;--accent:#8ab8ff;--bad:#ff9ea6;--warn:#ffbe6f}}
*{box-sizing:border-box}body{margin:0 auto;padding:1.5rem;max-width:1400px;font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--ground)}
h1{font-size:1.6rem;margin:0;overflow-wrap:anywhere}h2{font-size:1.2rem;margin:2rem 0 .6rem}p{margin:.4rem 0}.soft{color:var(--soft)}.bad{color:var(--bad)}.warn{color:var(--warn)}
a{color:var(--accent)}code{font:.9em ui-monospace,monospace;background:var(--panel);padding:.1em .3em;border-radius:3px;overflow-wrap:anywhere}
ul.counts{display:flex;flex-wrap:wrap;gap:.6rem;padding:0;list-style:none}ul.counts li{background:var(--panel);border-radius:8px;padding:.5rem .9rem}ul.counts b{font-size:1.3rem;display:block}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.92rem}caption{text-align:left;color:var(--soft);padding:.2rem 0}th,td{text-align:left;padding:.35rem .6rem;border-bottom:1px solid var(--rule);vertical-align:top;overflow-wrap:anywhere;min-width:4rem}td.n{text-align:right;font-variant-numeric:tabular-nums}
figure{margin:.6rem 0}figcaption{color:var(--soft);font-size:.92rem}svg{width:100%;height:auto;background:var(--panel);border-radius:8px}svg text{fill:var(--soft);font-size:11px}.bar{fill:var(--accent)}.limit{stroke:var(--warn);stroke-dasharray:5 4}.axis{stroke:var(--rule)}
ul.media{display:grid;grid-template-columns:repeat(auto-fill,minmax(176px,1fr));gap:1rem;padding:0;list-style:none}ul.media li{min-width:0}ul.media a{display:block}ul.media img,.tile{width:100%;aspect-ratio:4/3;object-fit:contain;background:var(--panel);border-radius:8px;display:block}.tile{display:flex;align-items:center;justify-content:center;font-size:1.6rem;color:var(--soft)}ul.media p{margin:.3rem 0 0;font-size:.85rem;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem}dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
`;

/** The head of a page that runs nothing and asks nobody for anything. */
export const STYLE_HEAD = headOf(STYLE);
/** The same for a page with tables. */
export const TABLES_HEAD = headOf(`${STYLE}${phoneStyle()}`);

function headOf(style: string): Html {
  const hash = createHash('sha256').update(style).digest('base64');
  return new Html(
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer"><meta name="viewport" content="width=device-width,initial-scale=1"><style>${style}</style>`,
  );
}

/** On a phone a row is a block, with the column's name before each value: by the style, so that no cell repeats it. */
function phoneStyle(): string {
  const names = Object.entries(COLUMNS).flatMap(([name, columns]) =>
    columns.map((column, i) => `.${name} td:nth-child(${i + 1})::before{content:"${column}"}`),
  );
  return `@media(max-width:600px){table,caption,tbody,tr,th,td{display:block}thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
tbody tr{padding:.5rem 0;border-bottom:1px solid var(--rule)}tbody th{border:0;padding:.1rem 0}td,td.n{border:0;padding:.1rem 0 .1rem 6rem;text-align:left;position:relative}
td:empty{display:none}td::before{position:absolute;left:0;color:var(--soft)}${names.join('')}}`;
}
