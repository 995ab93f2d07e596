import { type Html, html } from './html.js';

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
