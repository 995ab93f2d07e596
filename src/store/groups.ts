import { z } from 'zod';
import type { AttemptRef } from '../domain/attempt.js';
import { timeSchema } from './attempt-schema.js';
import type { Home } from './home.js';
import { encodeJson, readJson } from './json-file.js';

/** Interchangeable attempts that were settled by their count: decided once, then followed by each of them. */
export interface Group {
  schema: 1;
  id: string;
  /** Attempts as `batch/id/n`. */
  members: string[];
  /** Those that count as billed: which of the members were is not known, and does not matter. */
  billed: string[];
  sentence: string;
  atMs: number;
}

const schema: z.ZodType<Group> = z.object({
  schema: z.literal(1),
  id: z.string(),
  members: z.array(z.string()),
  billed: z.array(z.string()),
  sentence: z.string(),
  atMs: timeSchema,
});

/** Writes a group under its first member; false when that one is the first of another group already. */
export function writeGroup({ store, keys }: Home, first: AttemptRef, group: Group): Promise<boolean> {
  return store.putIfAbsent(keys.group(first), encodeJson(group));
}

/** The group that an attempt was settled in, if it was in one. */
export async function groupOf({ store, keys }: Home, name: string): Promise<Group | undefined> {
  for await (const key of store.list(keys.groups)) {
    const group = await readJson(store, key, schema);
    if (group?.members.includes(name)) return group;
  }
  return undefined;
}
