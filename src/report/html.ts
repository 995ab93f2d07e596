/** HTML in which every value that is put in is text: names, prompts and the service's words never become markup. */

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
/** Control characters have no meaning in a page; marks that reorder text would let a name show as another one. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: taking them out is the purpose.
const HAZARDS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

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

/** A table with a caption, or nothing where there are no rows. Numbers are right-aligned by their class. */
export function table(caption: string, head: readonly string[], rows: readonly Html[]): Html {
  if (rows.length === 0) return html``;
  const cells = head.map((name) => html`<th scope="col">${name}</th>`);
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table><caption>${caption}</caption>
<thead><tr>${cells}</tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** `1 row`, `2 rows`. */
export function rowsText(count: number): string {
  return `${count} ${count === 1 ? 'row' : 'rows'}`;
}
