// What the address names: a batch, one of its views, and what was chosen there, so that Back and a reload keep it.

import { useEffect, useState } from 'preact/hooks';

export interface Place {
  batch: string;
  view: string;
  /** Of a row; empty in every other view. */
  id: string;
  /** What was chosen in the view: filters, order, page. */
  chosen: Record<string, string>;
}

/** Changes what was chosen in a view; an empty value takes it out of the address. */
export type Choose = (changes: Record<string, string>) => void;

export function usePlace(): Place {
  const [place, setPlace] = useState(placeOf(location.hash));
  useEffect(() => {
    const go = (): void => {
      const next = placeOf(location.hash);
      if (titleOf(next) !== document.title) leftFrom = document.activeElement;
      document.title = titleOf(next);
      setPlace(next);
    };
    document.title = titleOf(place);
    addEventListener('hashchange', go);
    return () => removeEventListener('hashchange', go);
  }, []);
  return place;
}

/** What had the focus when the person went to another view; undefined when the heading of that view has it. */
let leftFrom: Element | null | undefined;

/** True for the first heading that is shown after a move, unless the person has gone on to something else by then. */
export function takesFocus(): boolean {
  const isFree = document.activeElement === leftFrom || document.activeElement === document.body;
  const isMoved = leftFrom !== undefined;
  leftFrom = undefined;
  return isMoved && isFree;
}

/** One for each view, so that tabs and the history can be told apart. */
function titleOf({ batch, view, id }: Place): string {
  if (batch === '') return 'callsheet';
  return `${id === '' ? view : id} – ${batch} – callsheet`;
}

/** An address that cannot be read names no batch. */
function placeOf(hash: string): Place {
  const [path = '', query = ''] = hash.split('?', 2);
  const chosen = Object.fromEntries(new URLSearchParams(query));
  try {
    const [, , batch = '', view = 'rows', id = ''] = path.split('/').map(decodeURIComponent);
    return { batch, view, id, chosen };
  } catch {
    return { batch: '', view: '', id: '', chosen };
  }
}

/** The entry of the history is changed, so that Back leads out of the view and not through what was typed there. */
export const choose: Choose = (changes) => {
  const [path, query] = location.hash.split('?', 2);
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') next.delete(name);
    else next.set(name, value);
  }
  history.replaceState(null, '', next.size === 0 ? path : `${path}?${next}`);
  dispatchEvent(new HashChangeEvent('hashchange'));
};
