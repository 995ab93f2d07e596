import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { AttemptRef } from '../domain/attempt.js';
import type { Home } from './home.js';
import { encodeJson, readJson } from './json-file.js';

/**
 * Which attempt a handle, or the URL of a synchronous output, belongs to. The service makes each once: one that another
 * attempt has is an old answer that something on the way repeated, and says nothing of this attempt.
 */

export interface NameOwner extends AttemptRef {
  /** The row's hash where the request had a seed: the same request again may rightly give the same output. */
  seeded?: string;
}

const ownerSchema = z.object({
  batch: z.string(),
  id: z.string(),
  n: z.int(),
  seeded: z.exactOptional(z.string()),
});

/** Gives the name to the attempt unless another has it; false when another has. Repeating it changes nothing. */
export async function takeName(home: Home, name: string, owner: NameOwner): Promise<boolean> {
  const key = home.keys.handle(createHash('sha256').update(name).digest('hex'));
  const { batch, id, n, seeded } = owner;
  const record = { batch, id, n, ...(seeded === undefined ? {} : { seeded }) };
  if (await home.store.putIfAbsent(key, encodeJson(record))) return true;
  const first = await readJson(home.store, key, ownerSchema);
  return first === undefined || isSame(first, owner);
}

/** Whether another attempt has the name. */
export async function isNameOfAnother(home: Home, name: string, owner: NameOwner): Promise<boolean> {
  const key = home.keys.handle(createHash('sha256').update(name).digest('hex'));
  const first = await readJson(home.store, key, ownerSchema);
  return first !== undefined && !isSame(first, owner);
}

function isSame(first: NameOwner, owner: NameOwner): boolean {
  if (first.seeded !== undefined && first.seeded === owner.seeded) return true;
  return first.batch === owner.batch && first.id === owner.id && first.n === owner.n;
}
