import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { Attempt, AttemptRef, Intent } from '../domain/attempt.js';
import { intentOf } from '../domain/standing.js';
import { decodeJson, encodeJson, forgotten, readJson } from '../store/json-file.js';
import type { Store, StoreEntry } from '../store/port.js';
import { timeSchema } from './attempt-schema.js';
import { loadAttempt } from './attempts.js';
import type { Home } from './home.js';
import { type HomeKeys, homeKeys } from './home-keys.js';

/**
 * Which attempt a handle, or the URL of a synchronous output, belongs to. The service makes each once: one that another
 * attempt has is an old answer that something on the way repeated, and says nothing of this attempt.
 */

export interface NameOwner extends AttemptRef {
  /** The row's hash where the request had a seed: the same request again may rightly give the same output. */
  seeded?: string;
}

export const nameOwnerSchema = z.object({
  batch: z.string(),
  id: z.string(),
  n: z.int(),
  seeded: z.exactOptional(z.string()),
});

/** Whose a name is that cannot be read: another's, so that it confirms nothing. */
const NOBODY: NameOwner = { batch: '', id: '', n: 0 };

/** Gives the name to the attempt unless another has it; false when another has. Repeating it changes nothing. */
export function takeName(home: Home, name: string, owner: NameOwner): Promise<boolean> {
  return take(home, name, owner, async () => NOBODY);
}

/** The same for an attempt that had the name recorded before: one that a disk has damaged is written anew. */
export function keepName(home: Home, name: string, owner: NameOwner): Promise<boolean> {
  return take(home, name, owner, async (key) => {
    await home.store.put(key, encodeJson(recordOf(owner)));
    return owner;
  });
}

async function take(
  home: Home,
  name: string,
  owner: NameOwner,
  whenDamaged: (key: string) => Promise<NameOwner>,
): Promise<boolean> {
  const key = keyOf(home, name);
  if (await home.store.putIfAbsent(key, encodeJson(recordOf(owner)))) return true;
  const first = await readJson(home.store, key, nameOwnerSchema, () => whenDamaged(key));
  return first === undefined || isSame(first, owner);
}

/** Whether another attempt has the name. */
export async function isNameOfAnother(home: Home, name: string, owner: NameOwner): Promise<boolean> {
  const first = await readJson(home.store, keyOf(home, name), nameOwnerSchema, () => NOBODY);
  return first !== undefined && !isSame(first, owner);
}

function isSame(first: NameOwner, owner: NameOwner): boolean {
  if (first.seeded !== undefined && first.seeded === owner.seeded) return true;
  return first.batch === owner.batch && first.id === owner.id && first.n === owner.n;
}

function keyOf(home: Home, name: string): string {
  return home.keys.handle(createHash('sha256').update(name).digest('hex'));
}

function recordOf({ batch, id, n, seeded }: NameOwner): NameOwner {
  return { batch, id, n, ...(seeded === undefined ? {} : { seeded }) };
}

/** Which attempt a callback's token belongs to, and the handles that callbacks named: hints, no state of the ledger. */
export interface Callbacks {
  /** The attempt that was sent with this token, or undefined; takes as long for every wrong token. */
  find(token: string): Promise<CalledAttempt | undefined>;
  /** Keeps a handle that a callback named; false when it is known already or the attempt has too many. */
  noteHandle(intent: Intent, handle: string, atMs: number): Promise<boolean>;
  /** The handles that callbacks named for an attempt, oldest first. */
  handles(intent: Intent): Promise<string[]>;
}

export interface CalledAttempt {
  ref: AttemptRef;
  intent: Intent;
  attempt: Attempt;
}

/** One attempt has one handle: more come from someone who plays. */
const HANDLES_MAX = 8;

export const refSchema = z.object({ batch: z.string(), id: z.string(), n: z.int() });
export const handleSchema = z.object({ handle: z.string(), atMs: timeSchema });

export function createCallbacks(store: Store, account: string): Callbacks {
  const keys = homeKeys(account);
  return {
    async find(token) {
      const bytes = await store.get(keys.callback(hashOf(token)));
      const ref = bytes && decodeJson(refSchema, bytes);
      const attempt = ref && (await loadAttempt(store, keys, ref));
      const intent = attempt && intentOf(attempt);
      // The index is found by the token's hash; the claim has the last word on whose token it is.
      if (!ref || !attempt || !intent?.callbackToken || !isEqual(intent.callbackToken, token)) return undefined;
      return { ref, intent, attempt };
    },
    async noteHandle({ callbackToken }, handle, atMs) {
      if (callbackToken === undefined) return false;
      const token = hashOf(callbackToken);
      if ((await store.names(keys.callbackHandles(token))).length >= HANDLES_MAX) return false;
      return store.putIfAbsent(keys.callbackHandle(token, hashOf(handle)), encodeJson({ handle, atMs }));
    },
    async handles({ callbackToken }) {
      if (callbackToken === undefined) return [];
      const folder = keys.callbackHandles(hashOf(callbackToken));
      const found = await Promise.all(
        (await store.names(folder)).map((name) => readJson(store, `${folder}/${name}`, handleSchema, forgotten)),
      );
      return found
        .flatMap((one) => (one === undefined ? [] : [one]))
        .sort((a, b) => a.atMs - b.atMs)
        .map(({ handle }) => handle);
    },
  };
}

/** What a claim with a token writes beside itself, so that the token leads back to it. */
export function callbackEntries(keys: HomeKeys, ref: AttemptRef, { callbackToken }: Intent): StoreEntry[] {
  if (callbackToken === undefined) return [];
  const { batch, id, n } = ref;
  return [{ key: keys.callback(hashOf(callbackToken)), bytes: encodeJson({ batch, id, n }) }];
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function isEqual(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
