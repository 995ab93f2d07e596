import type { PageEntry } from '../src/contract/activities.js';
import type { OpenRow } from '../src/contract/open-row.js';
import type { BatchState, RowRef } from '../src/contract/workflows.js';

/** A row whose job must be started, with what the page or look said of it. Pure. */
export type OpenedRow = OpenRow & { entry: PageEntry };

export interface RowFound {
  batch: string;
  part: number;
  entry: PageEntry;
  /** It feeds other rows. */
  feeds: boolean;
  /** No page has come by it yet: that one counts it. */
  isAhead: boolean;
}

/** Puts a row among the open ones; undefined for one that is among them already. */
export function openRow(state: BatchState, found: RowFound, nowMs: number): OpenedRow | undefined {
  const { batch, part, entry, feeds, isAhead } = found;
  const [index, letter, , kind, id, upToNano] = entry;
  const known = state.open.find((o) => o.row.id === id);
  const row: RowRef = { batch, generation: state.generation, part, index, id, kind };
  if (known) {
    if (known.row.generation !== state.generation) known.now = row;
    if (feeds) known.feeds = true;
    if (isAhead) return undefined;
    delete known.isAhead;
    known.countedIn = state.generation;
    return undefined;
  }
  const shared = letter === 's' ? { isSharing: true } : {};
  // What was at the service before has been counted as spent.
  const joined = letter === 'n' || letter === 's' || letter === 'f' ? {} : { isJoined: true as const };
  const fed = letter === 'f' ? { isFed: true as const } : {};
  const chained = { ...(feeds ? { feeds: true as const } : {}), ...(isAhead ? { isAhead: true as const } : {}) };
  const counted = { countedIn: state.generation, restarts: 0, sinceMs: nowMs };
  const opened: OpenRow = { row, ...counted, upToNano, ...shared, ...joined, ...fed, ...chained };
  state.open.push(opened);
  return { ...opened, entry };
}
