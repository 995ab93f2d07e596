import type { ReportRows } from './collect.js';
import { besideHref, html, shortened } from './html.js';
import { mediaList, type Tile } from './media-page.js';
import { STYLE_HEAD } from './style.js';

/** Bytes that the links may take, so that the pictures have room. */
const LINKS_BYTES_MAX = 600_000;

/** The report for a client: media and titles, and nothing else. Pure. */
export function publicPage(batch: string, { outputs, outputCount }: ReportRows, tiles: readonly Tile[]): string {
  const list = mediaList(tiles, ({ title }) => html`<p>${shortened(title, 200)}</p>`);
  const shown = new Set(tiles.map(({ output }) => output));
  let bytes = 0;
  const links = outputs.flatMap((output) => {
    const link = html`<li><a href="${besideHref(output.file.file)}">${shortened(output.title, 200)}</a></li>`;
    if (shown.has(output)) return [];
    bytes += Buffer.byteLength(link.text);
    return bytes > LINKS_BYTES_MAX ? [] : [link];
  });
  const hidden = outputCount - tiles.length - links.length;
  const more = [
    ...(links.length > 0 ? [html`<h2>More</h2><ul>${links}</ul>`] : []),
    ...(hidden > 0 ? [html`<p>${hidden} more outputs lie in the folder media.</p>`] : []),
  ];
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">${STYLE_HEAD}<title>${batch}</title></head>
<body><main><h1>${batch}</h1>${list}${more}</main></body></html>
`;
  return page.text;
}
