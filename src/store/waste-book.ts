import { z } from 'zod';
import type { AttemptRef } from '../domain/attempt.js';
import type { CreditsNano } from '../domain/money.js';
import { nanoSchema, timeSchema } from './attempt-schema.js';
import type { Home } from './home.js';
import { encodeJson, readJson } from './json-file.js';
import { parallel } from './parallel.js';

/**
 * What a batch may pay twice, reserved before it is paid: numbered create-if-absent records, so that jobs of any
 * number of workers never reserve more than the limit together.
 */

export const wasteSchema = z.object({ id: z.string(), n: z.int(), nano: nanoSchema, atMs: timeSchema });
type Entry = z.output<typeof wasteSchema>;
const SPENT: Entry = { id: '', n: 0, nano: Number.MAX_SAFE_INTEGER, atMs: 0 };

const READ_WIDTH = 16;

/**
 * Reserves the price of an attempt out of the batch's limit; false when what is left does not hold it. An attempt that
 * was reserved before stays so.
 */
export async function reserveWaste(
  home: Home,
  { batch, id, n }: AttemptRef,
  nano: CreditsNano,
  limit: { maxNano: CreditsNano; atMs: number },
): Promise<boolean> {
  for (;;) {
    const entries = await readEntries(home, batch);
    if (entries.some((entry) => entry.id === id && entry.n === n)) return true;
    const reserved = entries.reduce((sum, entry) => sum + entry.nano, 0);
    if (reserved + nano > limit.maxNano) return false;
    const entry: Entry = { id, n, nano, atMs: limit.atMs };
    // Another job that took this number is counted in the next round.
    if (await home.store.putIfAbsent(keyOf(home, batch, entries.length), encodeJson(entry))) return true;
  }
}

async function readEntries(home: Home, batch: string): Promise<Entry[]> {
  const names = await home.store.names(folderOf(home, batch));
  const entries = await parallel(names, READ_WIDTH, (name) =>
    // What was reserved here is not known: nothing more is reserved from this batch's limit.
    readJson(home.store, `${folderOf(home, batch)}/${name}`, wasteSchema, () => SPENT),
  );
  return entries.filter((entry) => entry !== undefined);
}

function keyOf(home: Home, batch: string, number: number): string {
  return `${folderOf(home, batch)}/${String(number).padStart(8, '0')}.json`;
}

function folderOf(home: Home, batch: string): string {
  return home.keys.batch(batch).replace(/batch\.json$/, 'waste');
}
