import type { PageEntry, PageResult } from '../../../src/contract/pages.js';

/** A row that a page opens: of images, without an attempt, unless said otherwise. */
export function pageEntry(
  index: number,
  id: string,
  upToNano: number | null = null,
  rest: Partial<PageEntry> = {},
): PageEntry {
  return { index, id, kind: 'svc/image', begins: 'submit', attempts: 0, upToNano, ...rest };
}

/** An empty page, unless said otherwise. */
export function pageOf(rest: Partial<PageResult>): PageResult {
  const counted = { finished: {}, creditsNano: 0, creditsUnknown: 0, cap: 5 };
  return { batch: 'b', part: 0, entries: [], next: null, isShort: false, ...counted, ...rest };
}
