import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { AttemptRef, Verdict } from '../domain/attempt.js';
import type { Kind } from '../domain/kind.js';
import { encodeJson, forgotten, readJson } from '../store/json-file.js';
import { kindSchema, timeSchema } from './attempt-schema.js';
import type { Home } from './home.js';
import { type HomePlace, parseIndexKey } from './home-keys.js';

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

/** The groups of an account. They never change and are never removed: each is read once. */
export interface Groups {
  /** Writes a group under its first member; false when that one is the first of another group already. */
  write(first: AttemptRef, group: Group): Promise<boolean>;
  /** The group that an attempt was settled in, if it was in one. */
  of(name: string): Promise<Group | undefined>;
  all(): AsyncIterable<Group>;
  /** Whether a group was written under this first member that nobody can read: nothing is decided in its place. */
  isDamaged(first: AttemptRef): Promise<boolean>;
}

export function createGroups({ store, keys }: HomePlace): Groups {
  const known = new Map<string, Group>();
  const read = async (key: string): Promise<Group | undefined> => {
    const group = known.get(key) ?? (await readJson(store, key, groupSchema, forgotten));
    if (group !== undefined) known.set(key, group);
    return group;
  };
  async function* all(): AsyncIterable<Group> {
    for await (const key of store.list(keys.groups)) {
      const group = await read(key);
      if (group !== undefined) yield group;
    }
  }
  return {
    write: (first, group) => store.putIfAbsent(keys.group(first), encodeJson(group)),
    async of(name) {
      for await (const group of all()) if (group.members.includes(name)) return group;
      return undefined;
    },
    all,
    isDamaged: async (first) => {
      const key = keys.group(first);
      return (await read(key)) === undefined && (await store.get(key)) !== undefined;
    },
  };
}

/** Verdicts that later readings of the balance may still contradict, until they are too old to. */
export interface WatchedVerdict extends AttemptRef {
  kind: Kind;
  verdict: Verdict;
  atMs: number;
  untilMs: number;
}

export const watchSchema = z.object({
  kind: kindSchema,
  verdict: z.enum(['billed', 'not_billed', 'undecided']),
  atMs: timeSchema,
  untilMs: timeSchema,
});

/** Watches a verdict; a later one on the same attempt takes its place. */
export async function watchVerdict({ store, keys }: Home, watched: WatchedVerdict): Promise<void> {
  const { kind, verdict, atMs, untilMs } = watched;
  await store.put(keys.watch(watched), encodeJson({ kind, verdict, atMs, untilMs }));
}

export async function unwatchVerdict({ store, keys }: Home, ref: AttemptRef): Promise<void> {
  await store.remove(keys.watch(ref));
}

export async function watchedVerdicts({ store, keys }: Home): Promise<WatchedVerdict[]> {
  const found: WatchedVerdict[] = [];
  for await (const key of store.list(keys.watches)) {
    const ref = parseIndexKey(keys.watches, key);
    const watched = ref && (await readJson(store, key, watchSchema, forgotten));
    if (ref && watched) found.push({ ...ref, ...watched });
  }
  return found;
}

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
