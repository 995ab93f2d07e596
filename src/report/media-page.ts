import type { ShownOutput } from './collect.js';
import { besideHref, type Html, html, shortened } from './html.js';
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
