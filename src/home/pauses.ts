import { z } from 'zod';
import { timeSchema } from './attempt-schema.js';
import { document } from './document.js';
import type { HomePlace } from './home-keys.js';

/** When a batch was paused by its user, for whoever looks back, null while it lasts; nothing is decided by it. */
const pauseSchema = z.object({ fromMs: timeSchema, toMs: timeSchema.nullable() });
export type Pause = z.output<typeof pauseSchema>;

export const pauses = document(
  z.object({ schema: z.literal(1), pauses: z.array(pauseSchema) }),
  (keys, batch: string) => keys.pauses(batch),
);

/** The latest of them are kept. */
const KEPT = 200;

/** Oldest first. */
export async function readPauses(home: HomePlace, batch: string): Promise<Pause[]> {
  return (await pauses.read(home, batch))?.pauses ?? [];
}

/** How long it stood paused between two instants. */
export async function pausedMs(home: HomePlace, batch: string, fromMs: number, toMs: number): Promise<number> {
  const within = (one: Pause) => Math.min(one.toMs ?? toMs, toMs) - Math.max(one.fromMs, fromMs);
  return (await readPauses(home, batch)).reduce((sum, one) => sum + Math.max(0, within(one)), 0);
}

/** Notes that a pause begins or ends; the same twice is noted once. */
export async function notePause(home: HomePlace, batch: string, isPaused: boolean, atMs: number): Promise<void> {
  const noted = (now: { pauses: Pause[] } | undefined) => {
    const before = now?.pauses ?? [];
    const last = before.at(-1);
    const isOpen = last !== undefined && last.toMs === null;
    if (isOpen === isPaused) return undefined;
    const next = isOpen
      ? [...before.slice(0, -1), { fromMs: last.fromMs, toMs: Math.max(last.fromMs, atMs) }]
      : [...before, { fromMs: atMs, toMs: null }];
    return { schema: 1 as const, pauses: next.slice(-KEPT) };
  };
  await pauses.change(home, noted, batch);
}
