import { z } from 'zod';
import { encodeJson, forgotten, readJson } from '../store/json-file.js';
import { timeSchema } from './attempt-schema.js';
import type { Home } from './home.js';

/** When a batch was paused by its user, for whoever looks back; nothing is decided by it. */
export interface Pause {
  fromMs: number;
  /** Null while it lasts. */
  toMs: number | null;
}

export const pausesSchema = z.object({
  schema: z.literal(1),
  pauses: z.array(z.object({ fromMs: timeSchema, toMs: timeSchema.nullable() })),
});

/** The latest of them are kept. */
const KEPT = 200;

/** Oldest first. */
export async function readPauses(home: Home, batch: string): Promise<Pause[]> {
  return (await readJson(home.store, pausesKey(home, batch), pausesSchema, forgotten))?.pauses ?? [];
}

/** Notes that a pause begins or ends; the same twice is noted once. */
export async function notePause(home: Home, batch: string, isPaused: boolean, atMs: number): Promise<void> {
  const pauses = await readPauses(home, batch);
  const last = pauses.at(-1);
  const isOpen = last !== undefined && last.toMs === null;
  if (isOpen === isPaused) return;
  const next = isOpen
    ? [...pauses.slice(0, -1), { fromMs: last.fromMs, toMs: Math.max(last.fromMs, atMs) }]
    : [...pauses, { fromMs: atMs, toMs: null }];
  await home.store.put(pausesKey(home, batch), encodeJson({ schema: 1, pauses: next.slice(-KEPT) }));
}

function pausesKey(home: Home, batch: string): string {
  return home.keys.batch(batch).replace(/batch\.json$/, 'pauses.json');
}
