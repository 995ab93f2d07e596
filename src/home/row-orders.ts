import { z } from 'zod';
import { overrideOf, standingOf } from '../domain/attempt.js';
import { encodeJson, forgotten, readJson } from '../store/json-file.js';
import type { AccountRecords } from './account-records.js';
import { failedAgain } from './earlier-render.js';
import type { Home } from './home.js';
import { statesOf } from './row-standing.js';

/**
 * What a person ordered for the rows that a settled row feeds, until the whole batch is ordered again: those that follow
 * it, also where their batch had ended, and those that are left alone, also where their batch still runs.
 */
export interface Followers {
  starts: ReadonlySet<string>;
  stays: ReadonlySet<string>;
}

export const followersSchema = z.object({
  schema: z.literal(1),
  starts: z.array(z.string()),
  stays: z.array(z.string()),
});

export async function readFollowers({ store, keys }: Home, batch: string): Promise<Followers> {
  const known = await readJson(store, followersKey({ keys }, batch), followersSchema, forgotten);
  return { starts: new Set(known?.starts), stays: new Set(known?.stays) };
}

/** The last order for a row holds. */
export async function orderFollowers(
  home: Home,
  batch: string,
  ids: readonly string[],
  order: 'starts' | 'stays',
): Promise<void> {
  if (ids.length === 0) return;
  const known = await readFollowers(home, batch);
  const asked = new Set(ids);
  const other = order === 'starts' ? 'stays' : 'starts';
  const lists = {
    [order]: [...new Set([...known[order], ...asked])],
    [other]: [...known[other]].filter((id) => !asked.has(id)),
  };
  await home.store.put(followersKey(home, batch), encodeJson({ schema: 1, ...lists }));
}

/** The whole batch is ordered, or nothing of it any more. */
export async function clearFollowers(home: Home, batch: string): Promise<void> {
  await home.store.remove(followersKey(home, batch));
}

function followersKey({ keys }: Pick<Home, 'keys'>, batch: string): string {
  return keys.batch(batch).replace(/batch\.json$/, 'followers.json');
}

/** Which rows of a batch a person had rendered again: without any, nobody has to compare what feeds with what fed. */

export const rerunsSchema = z.object({ schema: z.literal(1), ids: z.array(z.string()) });

export async function noteReruns(home: Home, batch: string, ids: readonly string[]): Promise<void> {
  const all = new Set([...(await rerunIds(home, batch)), ...ids]);
  await home.store.put(rerunsKey(home, batch), encodeJson({ schema: 1, ids: [...all] }));
}

export async function rerunIds(home: Home, batch: string): Promise<readonly string[]> {
  return (await readJson(home.store, rerunsKey(home, batch), rerunsSchema, forgotten))?.ids ?? [];
}

function rerunsKey(home: Home, batch: string): string {
  return home.keys.batch(batch).replace(/batch\.json$/, 'reruns.json');
}

/** Takes back what was ordered to be rendered again, or to follow a settled row, and was not sent yet: its batch was cancelled, or stopped. */
export async function dropReruns(
  { home, ledger, records }: Pick<AccountRecords, 'home' | 'ledger' | 'records'>,
  batch: string,
  nowMs: number,
): Promise<void> {
  await clearFollowers(home, batch);
  for (const id of await rerunIds(home, batch)) {
    const record = await records.readRecord(batch, id);
    if (record?.rerunAtMs === undefined) continue;
    const attempts = await ledger.read(batch, id);
    const last = attempts.at(-1);
    const isSent = last !== undefined && !(standingOf(last) === 'overridden' && overrideOf(last)?.cause === 'rerun');
    if (isSent) continue;
    const reason = 'the batch was cancelled or stopped before';
    const dropped = { ...record, reason, finishedAtMs: nowMs, seenStates: statesOf(attempts) };
    await records.writeRecord(batch, failedAgain(record, dropped));
  }
}
