import type { PageEntry } from '../../../src/contract/pages.js';

/** A row that a page opens: of images, without an attempt, unless said otherwise. */
export function pageEntry(
  index: number,
  id: string,
  upToNano: number | null = null,
  rest: Partial<PageEntry> = {},
): PageEntry {
  return { index, id, kind: 'svc/image', begins: 'submit', attempts: 0, upToNano, ...rest };
}
