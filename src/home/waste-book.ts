import { z } from 'zod';
import type { AttemptRef } from '../domain/attempt.js';
import type { CreditsNano } from '../domain/money.js';
import { encodeAs, readJson } from '../store/json-file.js';
import { parallel } from '../store/parallel.js';
import { nanoSchema, timeSchema } from './attempt-schema.js';
import type { Home } from './home.js';

/**
 * What a batch may pay twice, reserved before it is paid: numbered create-if-absent records, so that jobs of any
 * number of workers never reserve more than the limit together.
 */

export const wasteSchema = z.object({
  id: z.string(),
  n: z.int(),
  /** Below zero where it goes back. */
  nano: nanoSchema,
  atMs: timeSchema,
  isReturned: z.exactOptional(z.literal(true)),
});
type Entry = z.output<typeof wasteSchema>;
const SPENT: Entry = { id: '', n: 0, nano: Number.MAX_SAFE_INTEGER, atMs: 0 };

const READ_WIDTH = 16;

/**
 * Reserves the price of paying a row again because of an attempt, out of the batch's limit: once a row. False when the
 * row was paid again because of another attempt, or what is left does not hold the price. An attempt that was reserved
 * before stays so.
 */
export async function reserveWaste(
  home: Home,
  { batch, id, n }: AttemptRef,
  nano: CreditsNano,
  { maxNano, atMs }: { maxNano: CreditsNano; atMs: number },
): Promise<boolean> {
  return enter(home, batch, (entries) => {
    const earlier = entries.filter((entry) => entry.id === id);
    if (standsOf(earlier, id, n)) return true;
    if (earlier.some((entry) => standsOf(earlier, id, entry.n))) return false;
    const reserved = entries.reduce((sum, entry) => sum + entry.nano, 0);
    return reserved + nano > maxNano ? false : { id, n, nano, atMs };
  });
}

/** Whether paying a row again because of an attempt was reserved. */
export async function isReserved(home: Home, { batch, id, n }: AttemptRef): Promise<boolean> {
  return standsOf(await readEntries(home, batch), id, n) !== undefined;
}

/** Gives back what was reserved and is not paid after all; without a reservation nothing changes. */
export async function returnWaste(home: Home, { batch, id, n }: AttemptRef, atMs: number): Promise<void> {
  await enter(home, batch, (entries) => {
    const reserved = standsOf(entries, id, n);
    return reserved === undefined ? false : { id, n, nano: -reserved.nano, atMs, isReturned: true };
  });
}

/** Enters what a person has ordered to be paid again: no limit stops it, but it uses the limit up. */
export async function noteWaste(home: Home, { batch, id, n }: AttemptRef, nano: CreditsNano, atMs: number) {
  await enter(home, batch, (entries) => (standsOf(entries, id, n) ? true : { id, n, nano, atMs }));
}

/** Makes the entry that follows from those that are there, or none where an answer does; gives whether one stands. */
async function enter(
  home: Home,
  batch: string,
  decide: (entries: readonly Entry[]) => Entry | boolean,
): Promise<boolean> {
  for (;;) {
    const entries = await readEntries(home, batch);
    const next = decide(entries);
    if (typeof next === 'boolean') return next;
    // Another job that took this number is counted in the next round.
    const key = home.keys.waste(batch, entries.length);
    if (await home.store.putIfAbsent(key, encodeAs(wasteSchema, next))) return true;
  }
}

/** The reservation of an attempt, unless it went back. Entries are in the order in which they were made. */
function standsOf(entries: readonly Entry[], id: string, n: number): Entry | undefined {
  const last = entries.findLast((entry) => entry.id === id && entry.n === n);
  return last?.isReturned ? undefined : last;
}

async function readEntries(home: Home, batch: string): Promise<Entry[]> {
  const names = await home.store.names(home.keys.wastes(batch));
  const entries = await parallel(names, READ_WIDTH, (name) =>
    // What was reserved here is not known: nothing more is reserved from this batch's limit.
    readJson(home.store, `${home.keys.wastes(batch)}/${name}`, wasteSchema, () => SPENT),
  );
  return entries.filter((entry) => entry !== undefined);
}
