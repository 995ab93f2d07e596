import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { encodeJson, readJson } from '../store/json-file.js';
import { timeSchema } from './attempt-schema.js';
import type { Home } from './home.js';

/**
 * Whether the credits check may send rows again by itself (`if-proved`). A verdict that the balance contradicted
 * switches that off for the account until a person turns it on; every change is kept, the newest stands.
 */
export interface Trust {
  schema: 1;
  trusted: boolean;
  atMs: number;
  /** Who turned it on again: the user of the operating system; `callsheet` switched it off. */
  who: string;
  why: string;
}

export const trustSchema: z.ZodType<Trust> = z.object({
  schema: z.literal(1),
  trusted: z.boolean(),
  atMs: timeSchema,
  who: z.string(),
  why: z.string(),
});

const UNREADABLE: Trust = { schema: 1, trusted: false, atMs: 0, who: 'callsheet', why: 'its record cannot be read' };

/** Switches `if-proved` off for the account. */
export async function distrust(home: Home, { why, atMs }: { why: string; atMs: number }): Promise<void> {
  await note(home, { schema: 1, trusted: false, atMs, who: 'callsheet', why });
}

/** Turns `if-proved` on again: a person has looked at what was contradicted. */
export async function trust(home: Home, by: { who: string; why: string; atMs: number }): Promise<void> {
  await note(home, { schema: 1, trusted: true, ...by });
}

/** What stands now; undefined when nothing was ever contradicted. */
export async function readTrust({ store, keys }: Home): Promise<Trust | undefined> {
  const newest = (await store.names(keys.trusts)).at(-1);
  return newest === undefined ? undefined : readJson(store, `${keys.trusts}/${newest}`, trustSchema, () => UNREADABLE);
}

export async function isTrusted(home: Home): Promise<boolean> {
  return (await readTrust(home))?.trusted ?? true;
}

async function note({ store, keys }: Home, entry: Trust): Promise<void> {
  await store.put(keys.trust(Math.floor(entry.atMs), randomBytes(4).toString('hex')), encodeJson(entry));
}
