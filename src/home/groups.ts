import { z } from 'zod';
import type { AttemptRef } from '../domain/attempt.js';
import { encodeJson, forgotten, readJson } from '../store/json-file.js';
import { timeSchema } from './attempt-schema.js';
import type { Home } from './home.js';

/** Interchangeable attempts that were settled by their count: decided once, then followed by each of them. */
export interface Group {
  schema: 1;
  id: string;
  /** Attempts as `batch/id/n`. */
  members: string[];
  /** Those that count as billed: which of the members were is not known, and does not matter. */
  billed: string[];
  /** Attempts that were settled before and were counted with these: what may come back of them would look the same. */
  beside?: string[];
  sentence: string;
  /**
   * From the first claim of all until nothing of any of them can run, and when the balance still held those that were
   * billed; absent in groups of an earlier callsheet.
   */
  sinceMs?: number;
  untilMs?: number;
  heldAtMs?: number;
  atMs: number;
}

export const groupSchema: z.ZodType<Group> = z.object({
  schema: z.literal(1),
  id: z.string(),
  members: z.array(z.string()),
  billed: z.array(z.string()),
  beside: z.exactOptional(z.array(z.string())),
  sentence: z.string(),
  sinceMs: z.exactOptional(timeSchema),
  untilMs: z.exactOptional(timeSchema),
  heldAtMs: z.exactOptional(timeSchema),
  atMs: timeSchema,
});

/** Writes a group under its first member; false when that one is the first of another group already. */
export function writeGroup({ store, keys }: Home, first: AttemptRef, group: Group): Promise<boolean> {
  return store.putIfAbsent(keys.group(first), encodeJson(group));
}

/** The group that an attempt was settled in, if it was in one. */
export async function groupOf(home: Home, name: string): Promise<Group | undefined> {
  for await (const group of allGroups(home)) if (group.members.includes(name)) return group;
  return undefined;
}

export async function* allGroups(home: Home): AsyncIterable<Group> {
  for await (const key of home.store.list(home.keys.groups)) {
    const group = await readGroup(home, key);
    if (group !== undefined) yield group;
  }
}

/** Whether a group was written under this first member that nobody can read: nothing is decided in its place. */
export async function isGroupDamaged(home: Home, first: AttemptRef): Promise<boolean> {
  const key = home.keys.group(first);
  return (await readGroup(home, key)) === undefined && (await home.store.get(key)) !== undefined;
}

/** Groups never change, so each is read once: a case looks for its own at every step, and they are never removed. */
const read = new WeakMap<Home, Map<string, Group>>();

async function readGroup(home: Home, key: string): Promise<Group | undefined> {
  const known = read.get(home) ?? new Map<string, Group>();
  read.set(home, known);
  const group = known.get(key) ?? (await readJson(home.store, key, groupSchema, forgotten));
  if (group !== undefined) known.set(key, group);
  return group;
}
