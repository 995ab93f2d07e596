import { z } from 'zod';
import type { RowRecord } from '../domain/outcome.js';
import { overrideOf, standingOf } from '../domain/standing.js';
import { parallel } from '../store/parallel.js';
import type { AccountRecords } from './account-records.js';
import { timeSchema } from './attempt-schema.js';
import { document } from './document.js';
import { failedAgain } from './earlier-render.js';
import type { Feeder } from './feeders.js';
import type { HomePlace } from './home-keys.js';
import { clearLate, landed, lateRows } from './late-outputs.js';
import { statesOf } from './row-standing.js';

/** What a person ordered of single rows of a batch. */

/** Rows whose content changed after a paid attempt, to be paid again; without `ids` every one. */
export const rerun = document(
  z.object({
    schema: z.literal(1),
    generation: z.string(),
    ids: z.exactOptional(z.array(z.string())),
    atMs: timeSchema,
  }),
  (keys, batch: string) => keys.rerun(batch),
);

/** Which rows whose content changed after a paid attempt are paid again: every one, none, or those that are named. */
export type RerunOrder = boolean | ReadonlySet<string>;

export function isRerun(order: RerunOrder, id: string): boolean {
  return typeof order === 'boolean' ? order : order.has(id);
}

/** A person ordered that changed rows of this generation are paid again. */
export function orderRerun(
  home: HomePlace,
  batch: string,
  generation: string,
  order: RerunOrder,
  atMs: number,
): Promise<void> {
  const ids = typeof order === 'boolean' ? {} : { ids: [...order] };
  return rerun.write(home, { schema: 1, generation, ...ids, atMs }, batch);
}

/** What a person ordered for this generation. */
export async function rerunOrder(home: HomePlace, batch: string, generation: string): Promise<RerunOrder> {
  const order = await rerun.read(home, batch);
  if (order?.generation !== generation) return false;
  return order.ids === undefined ? true : new Set(order.ids);
}

/**
 * What a person ordered for the rows that a settled row feeds, until the whole batch is ordered again: those that follow
 * it, also where their batch had ended, and those that are left alone, also where their batch still runs.
 */
export interface Followers {
  starts: ReadonlySet<string>;
  stays: ReadonlySet<string>;
  /** Rows that ended before their output came: what they feed was never asked for with it. */
  late: ReadonlySet<string>;
}

/** Of a batch without such orders. */
export const NO_FOLLOWERS: Followers = { starts: new Set(), stays: new Set(), late: new Set() };

/** Whether a row waits for an order of the whole batch, though all that feeds it may be done. */
export function isLeftAlone(
  { starts, stays, late }: Followers,
  id: string,
  feeders: readonly Pick<Feeder, 'row'>[],
): boolean {
  if (stays.has(id)) return true;
  return !starts.has(id) && feeders.some(({ row }) => row !== undefined && late.has(row.id));
}

export const followers = document(
  z.object({ schema: z.literal(1), starts: z.array(z.string()), stays: z.array(z.string()) }),
  (keys, batch: string) => keys.followers(batch),
);

export async function readFollowers(home: HomePlace, batch: string): Promise<Followers> {
  const [known, late] = await Promise.all([followers.read(home, batch), lateRows(home, batch)]);
  return { starts: new Set(known?.starts), stays: new Set(known?.stays), late };
}

/** Whether rows may be left alone though what feeds them has come: an order of the whole batch runs them. */
export async function hasLeftAlone(home: HomePlace, batch: string): Promise<boolean> {
  return (await landed.read(home, batch)) !== undefined || (await readFollowers(home, batch)).stays.size > 0;
}

/** The last order for a row holds. */
export async function orderFollowers(
  home: HomePlace,
  batch: string,
  ids: readonly string[],
  order: 'starts' | 'stays',
): Promise<void> {
  if (ids.length === 0) return;
  const asked = new Set(ids);
  const ordered = (known: Record<'starts' | 'stays', string[]> = { starts: [], stays: [] }) => {
    const listOf = (one: 'starts' | 'stays'): string[] =>
      one === order ? [...new Set([...known[one], ...asked])] : known[one].filter((id) => !asked.has(id));
    return { schema: 1 as const, starts: listOf('starts'), stays: listOf('stays') };
  };
  await followers.change(home, ordered, batch);
}

/** The whole batch is ordered. */
export async function clearFollowers(home: HomePlace, batch: string): Promise<void> {
  await followers.remove(home, batch);
  await clearLate(home, batch);
}

/** Which rows of a batch a person had rendered again: without any, nobody has to compare what feeds with what fed. */
export const reruns = document(z.object({ schema: z.literal(1), ids: z.array(z.string()) }), (keys, batch: string) =>
  keys.reruns(batch),
);

export async function noteReruns(home: HomePlace, batch: string, ids: readonly string[]): Promise<void> {
  const noted = (now: { ids: string[] } = { ids: [] }) => ({
    schema: 1 as const,
    ids: [...new Set([...now.ids, ...ids])],
  });
  await reruns.change(home, noted, batch);
}

export async function rerunIds(home: HomePlace, batch: string): Promise<readonly string[]> {
  return (await reruns.read(home, batch))?.ids ?? [];
}

const WRITE_WIDTH = 16;

/** Rows that keep their earlier file, since another render that a person ordered brought nothing. */
export async function failedReruns(
  { home, records }: Pick<AccountRecords, 'home' | 'records'>,
  batch: string,
): Promise<RowRecord[]> {
  const found = await records.readRecords(batch, await rerunIds(home, batch));
  return found.filter((record) => record !== undefined).filter(isFailedRerun);
}

function isFailedRerun({ status, flags, rerunAtMs }: RowRecord): boolean {
  return status === 'done' && flags.includes('rerun_failed') && rerunAtMs === undefined;
}

/**
 * Takes back what was ordered to be rendered again, or to follow a settled row, and was not sent yet: its batch was
 * cancelled, or stopped. What was to be left alone stays so. Gives how many rows keep their earlier file by that.
 */
export async function dropReruns(
  { home, ledger, records }: Pick<AccountRecords, 'home' | 'ledger' | 'records'>,
  batch: string,
  nowMs: number,
): Promise<number> {
  await followers.change(home, (now) => (now?.starts.length ? { ...now, starts: [] } : undefined), batch);
  // Most have been rendered since: a turn for each of those would hold a cancel up.
  const known = await records.readRecords(batch, await rerunIds(home, batch));
  const waiting = known.flatMap((record) => (record?.rerunAtMs === undefined ? [] : [record.id]));
  const dropped = await parallel(waiting, WRITE_WIDTH, (id) =>
    records.changeRecord(batch, id, async (record) => {
      if (record?.rerunAtMs === undefined) return undefined;
      const attempts = await ledger.read(batch, id);
      const last = attempts.at(-1);
      const isSent = last !== undefined && !(standingOf(last) === 'overridden' && overrideOf(last)?.cause === 'rerun');
      if (isSent) return undefined;
      const reason = 'the batch was cancelled or stopped before';
      return failedAgain(record, { ...record, reason, finishedAtMs: nowMs, seenStates: statesOf(attempts) });
    }),
  );
  return dropped.filter((record) => record !== undefined).length;
}
