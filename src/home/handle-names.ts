import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { AttemptRef } from '../domain/attempt.js';
import { encodeJson, readJson } from '../store/json-file.js';
import type { Home } from './home.js';

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
