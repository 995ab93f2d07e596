import { z } from 'zod';
import type { AttemptRef, Verdict } from '../domain/attempt.js';
import type { Kind } from '../domain/kind.js';
import { encodeJson, forgotten, readJson } from '../store/json-file.js';
import { kindSchema, timeSchema } from './attempt-schema.js';
import type { Home } from './home.js';
import { parseIndexKey } from './home-keys.js';

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
