import { createHash } from 'node:crypto';
import { z } from 'zod';
import { encodeAs, readJson } from '../store/json-file.js';
import type { AccountRecords } from './account-records.js';
import { timeSchema } from './attempt-schema.js';
import type { HomePlace } from './home-keys.js';

/**
 * Whose clocks the times in a home are of. Each machine whose workers share an account notes itself here: the times of
 * two machines are compared only as far as their clocks may be apart.
 */

export const clockSchema = z.object({ schema: z.literal(1), lastMs: timeSchema });

/** A worker notes the clock of its machine so often. */
export const CLOCK_NOTED_EVERY_MS = 3_600_000;
/** What a machine wrote after its last note is of its clock too. */
const NOTED_WITHIN_MS = 2 * CLOCK_NOTED_EVERY_MS;
/** The times that are compared are far younger. */
const FORGOTTEN_AFTER_MS = 30 * 86_400_000;

/** How far apart the clocks of two machines may be: an assumption, as docs/assumptions.md says. */
const APART_MS = 2_000;

/** Notes that the clock of a machine is in use, `nowMs` by itself (epoch ms). */
export async function noteClock({ store, keys }: HomePlace, clock: string, nowMs: number): Promise<void> {
  const name = createHash('sha256').update(clock).digest('hex');
  await store.put(keys.clock(name), encodeAs(clockSchema, { schema: 1, lastMs: nowMs }));
  for (const [key, lastMs] of await notes({ store, keys }))
    if (lastMs + FORGOTTEN_AFTER_MS < nowMs) await store.remove(key);
}

/** How far apart the clocks may be that took the times since `sinceMs` (epoch ms): 0 where one took all of them. */
export async function clocksApartMs(home: HomePlace, sinceMs: number): Promise<number> {
  const used = (await notes(home)).filter(([, lastMs]) => lastMs + NOTED_WITHIN_MS >= sinceMs);
  return used.length > 1 ? APART_MS : 0;
}

/** The newest reading of the balance or claim of an open attempt, epoch ms; 0 in a home that has none. */
export async function newestTimeMs({ home, ledger }: Pick<AccountRecords, 'home' | 'ledger'>): Promise<number> {
  let newestMs = (await home.latestCheckpoint())?.atMs ?? 0;
  for await (const { atMs } of ledger.open()) newestMs = Math.max(newestMs, atMs);
  return newestMs;
}

/** Key and time of each note; one that cannot be read counts as new. */
async function notes({ store, keys }: HomePlace): Promise<[string, number][]> {
  const damaged = () => ({ schema: 1 as const, lastMs: Number.MAX_SAFE_INTEGER });
  const found: [string, number][] = [];
  for (const name of await store.names(keys.clocks)) {
    const key = `${keys.clocks}/${name}`;
    const note = await readJson(store, key, clockSchema, damaged);
    if (note !== undefined) found.push([key, note.lastMs]);
  }
  return found;
}
