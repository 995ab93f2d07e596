import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { AttemptRef } from '../domain/attempt.js';
import { encodeJson, forgotten, readJson } from '../store/json-file.js';
import { kindSchema, timeSchema } from './attempt-schema.js';
import { document } from './document.js';
import type { HomePlace } from './home-keys.js';
import { parseIndexKey } from './parse-keys.js';

/** Interchangeable attempts that were settled by their count: decided once, then followed by each of them. */
export const groupSchema = z.object({
  schema: z.literal(1),
  id: z.string(),
  /** Attempts as `batch/id/n`. */
  members: z.array(z.string()),
  /** Those that count as billed: which of the members were is not known, and does not matter. */
  billed: z.array(z.string()),
  /** Attempts that were settled before and were counted with these: what may come back of them would look the same. */
  beside: z.exactOptional(z.array(z.string())),
  sentence: z.string(),
  /** A person had them counted (`review settle-group`): those that were not billed are sent again whatever the policy is. */
  byPerson: z.exactOptional(z.literal(true)),
  /**
   * From the first claim of all until nothing of any of them can run, and when the balance still held those that were
   * billed; absent in groups of an earlier callsheet.
   */
  sinceMs: z.exactOptional(timeSchema),
  untilMs: z.exactOptional(timeSchema),
  heldAtMs: z.exactOptional(timeSchema),
  atMs: timeSchema,
});
export type Group = z.output<typeof groupSchema>;

/** The groups of an account. They never change and are never removed: each is read once. */
export type Groups = ReturnType<typeof createGroups>;

export function createGroups({ store, keys }: HomePlace) {
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
    /** Writes a group under its first member; false when that one is the first of another group already. */
    write: (first: AttemptRef, group: Group): Promise<boolean> =>
      store.putIfAbsent(keys.group(first), encodeJson(group)),
    /** The group that an attempt was settled in, if it was in one. */
    async of(name: string): Promise<Group | undefined> {
      for await (const group of all()) if (group.members.includes(name)) return group;
      return undefined;
    },
    all,
    /** Whether a group was written under this first member that nobody can read: nothing is decided in its place. */
    isDamaged: async (first: AttemptRef): Promise<boolean> => {
      const key = keys.group(first);
      return (await read(key)) === undefined && (await store.get(key)) !== undefined;
    },
  };
}

const watchSchema = z.object({
  kind: kindSchema,
  verdict: z.enum(['billed', 'not_billed', 'undecided']),
  atMs: timeSchema,
  untilMs: timeSchema,
});
/** A verdict that later readings of the balance may still contradict, until it is too old to. */
export type WatchedVerdict = AttemptRef & z.output<typeof watchSchema>;

export const watched = document(watchSchema, (keys, ref: AttemptRef) => keys.watch(ref));

/** Watches a verdict; a later one on the same attempt takes its place. */
export function watchVerdict(home: HomePlace, one: WatchedVerdict): Promise<void> {
  const { kind, verdict, atMs, untilMs } = one;
  return watched.write(home, { kind, verdict, atMs, untilMs }, one);
}

export function unwatchVerdict(home: HomePlace, ref: AttemptRef): Promise<void> {
  return watched.remove(home, ref);
}

export async function watchedVerdicts(home: HomePlace): Promise<WatchedVerdict[]> {
  const found: WatchedVerdict[] = [];
  const { store, keys } = home;
  for await (const key of store.list(keys.watches)) {
    const ref = parseIndexKey(keys.watches, key);
    const one = ref && (await watched.read(home, ref));
    if (ref && one) found.push({ ...ref, ...one });
  }
  return found;
}

/**
 * Whether the credits check may send rows again by itself (`if-proved`). A verdict that the balance contradicted
 * switches that off for the account until a person turns it on; every change is kept, the newest stands.
 */
export const trustSchema = z.object({
  schema: z.literal(1),
  trusted: z.boolean(),
  atMs: timeSchema,
  /** Who turned it on again: the user of the operating system; `callsheet` switched it off. */
  who: z.string(),
  why: z.string(),
});
export type Trust = z.output<typeof trustSchema>;

const UNREADABLE: Trust = { schema: 1, trusted: false, atMs: 0, who: 'callsheet', why: 'its record cannot be read' };

/** Switches `if-proved` off for the account. */
export function distrust(home: HomePlace, { why, atMs }: { why: string; atMs: number }): Promise<void> {
  return note(home, { schema: 1, trusted: false, atMs, who: 'callsheet', why });
}

/** Turns `if-proved` on again: a person has looked at what was contradicted. */
export function trust(home: HomePlace, by: { who: string; why: string; atMs: number }): Promise<void> {
  return note(home, { schema: 1, trusted: true, ...by });
}

/** What stands now; undefined when nothing was ever contradicted. */
export async function readTrust({ store, keys }: HomePlace): Promise<Trust | undefined> {
  const newest = (await store.names(keys.trusts)).at(-1);
  return newest === undefined ? undefined : readJson(store, `${keys.trusts}/${newest}`, trustSchema, () => UNREADABLE);
}

export async function isTrusted(home: HomePlace): Promise<boolean> {
  return (await readTrust(home))?.trusted ?? true;
}

function note({ store, keys }: HomePlace, entry: Trust): Promise<void> {
  return store.put(keys.trust(Math.floor(entry.atMs), randomBytes(4).toString('hex')), encodeJson(entry));
}
