import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { encodeJson } from '../store/json-file.js';
import type { HomePlace } from './home-keys.js';

/**
 * Documents that are read, changed and written whole, by any process that works on the home. A store has no write that
 * depends on what is there but the one of an absent key, so that key is the turn: who has it changes the document.
 */

/** A process that died with its turn gives none back: who has waited for that one turn for so long ends it. */
const HELD_MAX_MS = 10_000;
/** Whoever was stopped for longer than this with its turn takes a new one, before another may end it. */
const LATE_MS = HELD_MAX_MS / 2;
/** In a store this slow every turn would be late. */
const LATE_TURNS_MAX = 3;
const ASK_EVERY_MS = 50;

export interface Change<T> {
  read(): Promise<T | undefined>;
  /** What is to stand there, undefined = as it is; asked again where it took too long. */
  next(now: T | undefined): T | undefined | Promise<T | undefined>;
  write(value: T): Promise<void>;
}

/** Changes a document as it stands when its turn has come; gives what was written, undefined where nothing was. */
export async function changeInTurn<T>(
  place: HomePlace,
  key: string,
  { read, next, write }: Change<T>,
): Promise<T | undefined> {
  for (let turns = 1; ; turns += 1) {
    const turn = await takeTurn(place, key);
    try {
      const value = await next(await read());
      if (turn.isLate() && turns < LATE_TURNS_MAX) continue;
      if (value !== undefined) await write(value);
      return value;
    } finally {
      await turn.end();
    }
  }
}

interface Turn {
  isLate(): boolean;
  end(): Promise<void>;
}

async function takeTurn({ store, keys }: HomePlace, key: string): Promise<Turn> {
  const turnKey = keys.turn(key);
  const own = encodeJson({ schema: 1, key, holder: randomUUID() });
  let awaited: Uint8Array | undefined;
  let sinceMs = performance.now();
  while (!(await store.putIfAbsent(turnKey, own))) {
    const held = await store.get(turnKey);
    // Two clocks are not compared: what counts is for how long the same turn was seen.
    if (!isSame(held, awaited)) sinceMs = performance.now();
    awaited = held;
    // Somebody else may have ended it just now, and another one have taken the next.
    const isDead = performance.now() - sinceMs >= HELD_MAX_MS && isSame(await store.get(turnKey), awaited);
    if (isDead) await store.remove(turnKey);
    await delay(ASK_EVERY_MS);
  }
  const takenMs = performance.now();
  const isLate = () => performance.now() - takenMs >= LATE_MS;
  return {
    isLate,
    async end() {
      // What was held for so long may be another's turn by now.
      const held = isLate() ? await store.get(turnKey) : own;
      if (isSame(held, own)) await store.remove(turnKey);
    },
  };
}

function isSame(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a !== undefined && b !== undefined && Buffer.from(a).equals(b);
}
