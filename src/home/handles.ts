import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { Attempt, AttemptRef, Intent } from '../domain/attempt.js';
import { defined } from '../domain/defined.js';
import { intentOf } from '../domain/standing.js';
import { decodeJson, encodeJson, forgotten, readJson } from '../store/json-file.js';
import type { Store, StoreEntry } from '../store/port.js';
import { timeSchema } from './attempt-schema.js';
import { loadAttempt } from './attempts.js';
import { document } from './document.js';
import { type HomeKeys, type HomePlace, homeKeys } from './home-keys.js';

/**
 * Which attempt a handle, or the URL of a synchronous output, belongs to. The service makes each once: one that another
 * attempt has is an old answer that something on the way repeated, and says nothing of this attempt.
 */

const nameOwnerSchema = z.object({
  batch: z.string(),
  id: z.string(),
  n: z.int(),
  /** The row's hash where the request had a seed: the same request again may rightly give the same output. */
  seeded: z.exactOptional(z.string()),
});
export type NameOwner = z.output<typeof nameOwnerSchema>;

/** Whose a name is that cannot be read: another's, so that it confirms nothing. */
const NOBODY: NameOwner = { batch: '', id: '', n: 0 };

export const nameOwner = document(
  nameOwnerSchema,
  (keys, name: string) => keys.handle(hashOf(name)),
  () => NOBODY,
);

/** Gives the name to the attempt unless another has it; false when another has. Repeating it changes nothing. */
export async function takeName(home: HomePlace, name: string, owner: NameOwner): Promise<boolean> {
  return isSame(await firstOwner(home, name, owner), owner);
}

/** The same for an attempt that had the name recorded before: one that a disk has damaged is written anew. */
export async function keepName(home: HomePlace, name: string, owner: NameOwner): Promise<boolean> {
  const first = await firstOwner(home, name, owner);
  if (first !== NOBODY) return isSame(first, owner);
  await nameOwner.write(home, recordOf(owner), name);
  return true;
}

/** Who had the name first: this one where nobody had. */
async function firstOwner(home: HomePlace, name: string, owner: NameOwner): Promise<NameOwner> {
  const isFree = await home.store.putIfAbsent(home.keys.handle(hashOf(name)), encodeJson(recordOf(owner)));
  return isFree ? owner : ((await nameOwner.read(home, name)) ?? owner);
}

/** Whether another attempt has the name. */
export async function isNameOfAnother(home: HomePlace, name: string, owner: NameOwner): Promise<boolean> {
  const first = await nameOwner.read(home, name);
  return first !== undefined && !isSame(first, owner);
}

/** Whether the name is that of an attempt of the row. */
export function isOfRow(owner: NameOwner, { batch, id }: Pick<NameOwner, 'batch' | 'id'>): boolean {
  return owner.batch === batch && owner.id === id;
}

function isSame(first: NameOwner, owner: NameOwner): boolean {
  if (first.seeded !== undefined && first.seeded === owner.seeded) return true;
  return isOfRow(first, owner) && first.n === owner.n;
}

function recordOf({ batch, id, n, seeded }: NameOwner): NameOwner {
  return { batch, id, n, ...defined({ seeded }) };
}

/** Which attempt a callback's token belongs to, and the handles that callbacks named: hints, no state of the ledger. */
export type Callbacks = ReturnType<typeof createCallbacks>;

export interface CalledAttempt {
  ref: AttemptRef;
  intent: Intent;
  attempt: Attempt;
}

/** One attempt has one handle: more come from someone who plays. */
const HANDLES_MAX = 8;

export const refSchema = z.object({ batch: z.string(), id: z.string(), n: z.int() });
export const handleSchema = z.object({ handle: z.string(), atMs: timeSchema });

export function createCallbacks(store: Store, account: string) {
  const keys = homeKeys(account);
  return {
    /** The attempt that was sent with this token, or undefined; takes as long for every wrong token. */
    async find(token: string): Promise<CalledAttempt | undefined> {
      const bytes = await store.get(keys.callback(hashOf(token)));
      const ref = bytes && decodeJson(refSchema, bytes);
      const attempt = ref && (await loadAttempt(store, keys, ref));
      const intent = attempt && intentOf(attempt);
      // The index is found by the token's hash; the claim has the last word on whose token it is.
      if (!ref || !attempt || !intent?.callbackToken || !isEqual(intent.callbackToken, token)) return undefined;
      return { ref, intent, attempt };
    },
    /** Keeps a handle that a callback named; false when it is known already or the attempt has too many. */
    async noteHandle({ callbackToken }: Intent, handle: string, atMs: number): Promise<boolean> {
      if (callbackToken === undefined) return false;
      const token = hashOf(callbackToken);
      if ((await store.names(keys.callbackHandles(token))).length >= HANDLES_MAX) return false;
      return store.putIfAbsent(keys.callbackHandle(token, hashOf(handle)), encodeJson({ handle, atMs }));
    },
    /** The handles that callbacks named for an attempt, oldest first. */
    async handles({ callbackToken }: Intent): Promise<string[]> {
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
