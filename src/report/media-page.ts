import type { ReportRows, ShownOutput } from './collect.js';
import { besideHref, type Html, html, STYLE_HEAD, shortened } from './html.js';
import type { Poster } from './posters.js';

/** An output with its poster, as it stands in a page. */
export interface Tile {
  output: ShownOutput;
  poster: Poster | undefined;
}

const MARKS: Record<string, string> = { video: '▶', audio: '♪', image: '▦' };

/** The tiles of a batch's outputs; each links to the file beside the page. Pure. */
export function mediaList(tiles: readonly Tile[], describe: (output: ShownOutput) => Html): Html {
  const items = tiles.map(({ output, poster }) => {
    const { title, file } = output;
    const [family = ''] = file.contentType.split('/');
    const picture =
      poster === undefined
        ? html`<span class="tile" aria-hidden="true">${MARKS[family] ?? '▤'}</span>`
        : html`<img loading="lazy" alt="" src="data:${poster.contentType};base64,${poster.bytes.toString('base64')}">`;
    const verb = family === 'video' || family === 'audio' ? 'Play' : 'Open';
    const label = `${verb} ${shortened(title, 120)}`;
    return html`<li><a href="${besideHref(file.file)}" aria-label="${label}">${picture}</a>${describe(output)}</li>`;
  });
  return items.length === 0 ? html`<p class="soft">No output yet.</p>` : html`<ul class="media">${items}</ul>`;
}

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
