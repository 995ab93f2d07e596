import type { RowFinished } from '../src/contract/messages.js';
import type { FedRowsResult, PageResult } from '../src/contract/pages.js';
import type { FedFrom, OpenRow } from '../src/contract/rows.js';
import type { BatchState, RowRef } from '../src/contract/workflows.js';
import type { CreditsNano } from '../src/domain/money.js';
import type { Status } from '../src/domain/outcome.js';
import { type OpenedRow, openRow } from './open-row.js';

/** Rows that others feed, as a batch carries them: counts, and which rows that are done it has to look at. Pure. */

/** So many rows that are done wait to be looked at; for what more of them feed, the rows are gone through once more. */
const FEEDERS_MAX = 200;

type Chains = NonNullable<BatchState['chains']>;

function chainsOf(state: BatchState): Chains {
  state.chains ??= { held: 0, feeders: [], ahead: { counts: {}, creditsNano: 0 } };
  return state.chains;
}

/** What rows feed is not begun until a person orders the whole batch. */
export function freezeChains(state: BatchState): void {
  chainsOf(state).isFrozen = true;
}

/** Of a batch that goes on for one row, those that a person ordered to follow it are begun all the same. */
export function openOrdered(state: BatchState): void {
  if (state.chains?.isFrozen) state.chains.opensOrdered = true;
}

/** Rows that a page passed over since they wait for others. */
export function noteHeld(state: BatchState, held: number | undefined): void {
  if (!held) return;
  const chains = chainsOf(state);
  chains.held += held;
  if (chains.rescan === 'over') delete chains.rescan;
}

/** A row ended: what it feeds may be ready. One of an earlier manifest is another row than the one that feeds now. */
export function noteFeeder(state: BatchState, { row, now, feeds }: OpenRow, status: Status): void {
  const { generation, index }: RowRef = now ?? row;
  const isFrozen = state.chains?.isFrozen && !state.chains.opensOrdered;
  if (!feeds || isFrozen || status !== 'done' || generation !== state.generation) return;
  const chains = chainsOf(state);
  if (chains.feeders.some((feeder) => feeder.index === index)) return;
  if (chains.feeders.length < FEEDERS_MAX) chains.feeders.push({ index, seen: 0 });
  else chains.isRescanDue = true;
}

/** The rows that are done and were not looked at yet. */
export function feedersLeft(state: BatchState): FedFrom[] {
  return state.chains?.feeders ?? [];
}

/** Takes over what was looked at; `asked` were the feeders of the question, more may have ended since. */
export function takeFed(state: BatchState, result: FedRowsResult, asked: number, batch: string, nowMs: number) {
  const chains = chainsOf(state);
  chains.feeders = [...result.feeders, ...chains.feeders.slice(asked)];
  const fresh: OpenedRow[] = [];
  for (const { part, entry, isAhead, feeds } of result.rows) {
    if (!isAhead) chains.held = Math.max(0, chains.held - 1);
    const opened = openRow(state, { batch, part, entry, feeds: feeds === true, isAhead: isAhead === true }, nowMs);
    if (opened) fresh.push(opened);
  }
  return fresh;
}

/** A row ended before a page came by it: shown at once, and counted by its page. */
export function countAhead(state: BatchState, { status, creditsNano }: RowFinished): void {
  const { ahead } = chainsOf(state);
  ahead.counts[status] = (ahead.counts[status] ?? 0) + 1;
  ahead.creditsNano += creditsNano ?? 0;
}

/** A page with the rows as finished that ended while it was read: nothing of them is left to be started. */
export function withEnded(page: PageResult, ended: readonly RowFinished[]): PageResult {
  const found = ended.filter(({ id }) => page.entries.some((entry) => entry.id === id));
  if (found.length === 0) return page;
  const finished = { ...page.finished };
  for (const { status } of found) finished[status] = (finished[status] ?? 0) + 1;
  return {
    ...page,
    entries: page.entries.filter((entry) => !found.some(({ id }) => id === entry.id)),
    finished,
    creditsNano: page.creditsNano + found.reduce((sum, { creditsNano }) => sum + (creditsNano ?? 0), 0),
    creditsUnknown: page.creditsUnknown + found.filter(({ creditsNano }) => creditsNano === null).length,
  };
}

/** What a page counts was shown before: no row is told twice. */
export function forgetAhead(state: BatchState, finished: Partial<Record<Status, number>>, creditsNano: number): void {
  const ahead = state.chains?.ahead;
  if (ahead === undefined) return;
  for (const status of Object.keys(ahead.counts) as Status[]) {
    ahead.counts[status] = Math.max(0, (ahead.counts[status] ?? 0) - (finished[status] ?? 0));
  }
  ahead.creditsNano = Math.max(0, ahead.creditsNano - creditsNano);
}

/** The counts with those of the rows that no page has come by. */
export function withAhead({ counts, creditsNano, chains }: BatchState): [BatchState['counts'], CreditsNano] {
  if (chains === undefined) return [counts, creditsNano];
  const sums = { ...counts };
  for (const [status, count] of Object.entries(chains.ahead.counts)) sums[status as Status] += count;
  return [sums, creditsNano + chains.ahead.creditsNano];
}

/**
 * Goes through the rows for held ones: as soon as can be where feeders were not kept, and once all else has ended for
 * those that were missed, until none is found.
 */
export function rescanHeld(state: BatchState): void {
  const { chains, cursor, open, deferred = 0 } = state;
  if (chains === undefined || cursor !== null || chains.feeders.length > 0) return;
  if (chains.isRescanDue) {
    // A row that is open and not sent yet would be found as well.
    if (open.some(({ isFed, isCase }) => isFed && !isCase)) return;
    delete chains.isRescanDue;
    goThrough(state, chains, 'opened');
    return;
  }
  if (chains.rescan === 'over' || open.length > 0 || deferred > 0) return;
  if (chains.held === 0 || chains.isFrozen || chains.rescan === 'nothing') chains.rescan = 'over';
  else goThrough(state, chains, 'nothing');
}

/** After a way that began as `opened` there is another one, whatever it finds. */
function goThrough(state: BatchState, chains: Chains, rescan: 'nothing' | 'opened'): void {
  chains.rescan = rescan;
  state.isSharing = false;
  state.cursor = { part: 0, index: 0 };
}

/** The rows are gone through for another reason. */
export function endRescan({ chains }: BatchState): void {
  if (chains?.rescan !== 'over') delete chains?.rescan;
}

/** The pages that come are those of a rescan. */
export function isRescan({ chains, cursor }: BatchState): boolean {
  return cursor !== null && (chains?.rescan === 'nothing' || chains?.rescan === 'opened');
}

export function noteRescanned(state: BatchState, opened: number): void {
  if (!state.chains || opened === 0) return;
  state.chains.rescan = 'opened';
  state.chains.held = Math.max(0, state.chains.held - opened);
}

/** Nothing of the chains is left to be done. */
export function chainsAreOver({ chains }: BatchState): boolean {
  if (chains === undefined) return true;
  const { feeders, held, rescan, isRescanDue } = chains;
  return feeders.length === 0 && !isRescanDue && (held === 0 || rescan === 'over');
}
