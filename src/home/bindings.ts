import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { decodeJson, encodeJson, readJson } from '../store/json-file.js';
import { parallel } from '../store/parallel.js';
import { type Store, StoreError } from '../store/port.js';
import { timeSchema } from './attempt-schema.js';
import type { HomeKeys } from './home-keys.js';

/** What an account and its batches are bound to from their first use on. */

/**
 * The form of everything in a home. A home of a newer callsheet is refused, by workers too: records that they do not
 * understand would be taken for damaged ones. Raise it whenever the ledger learns a word.
 */
export const HOME_FORMAT = 2;

export const accountSchema = z.object({
  schema: z.int(),
  baseUrl: z.exactOptional(z.string()),
  /** 128 random bits, hex, from the home's first use. */
  homeId: z.exactOptional(z.string()),
});
type AccountDocument = z.output<typeof accountSchema>;

/** Which folder or bucket a batch writes to, from its first run on. `out` is an absolute path or an `s3://` address. */
export const batchSchema = z.object({ schema: z.literal(1), out: z.string(), createdAtMs: timeSchema });
export type BatchBinding = z.output<typeof batchSchema>;

export function bindings(store: Store, account: string, keys: HomeKeys) {
  const readBatch = (batch: string) =>
    readJson(store, keys.batch(batch), batchSchema, () => rebuildBinding(store, keys, batch));
  return {
    /** Binds the account to the service's base URL at its first use; a StoreError `BOUND` names both when it differs. */
    bindBaseUrl: (url: string) => bindBaseUrl(store, account, keys.account, url),
    /** The base URL that the account is bound to, if it was used. */
    baseUrl: async () => (await readAccount(store, keys.account)).known?.baseUrl,
    /** What tells this home from every other one, undefined before its first use. */
    homeId: async () => (await readAccount(store, keys.account)).known?.homeId,
    /** Binds a batch to its output place at its first run; a StoreError `BOUND` names both when it differs. */
    bindOut: async (batch: string, out: string, createdAtMs: number): Promise<BatchBinding> => {
      const binding: BatchBinding = { schema: 1, out, createdAtMs };
      const isFirst = await store.putIfAbsent(keys.batch(batch), encodeJson(binding));
      const bound = isFirst ? binding : await readBatch(batch);
      if (bound === undefined) {
        // Nothing says any more where it wrote to; it began with its first manifest all the same.
        const anew = { ...binding, createdAtMs: Math.min(createdAtMs, await beganMs(store, keys, batch)) };
        await store.put(keys.batch(batch), encodeJson(anew));
        return anew;
      }
      if (bound.out === out) return bound;
      throw new StoreError(
        'BOUND',
        `batch '${batch}' writes to ${bound.out}, not to ${out}: use that place, or another --name`,
        keys.batch(batch),
      );
    },
    readBatch,
    /** The names of all batches, in code-unit order; a file that somebody left beside them is none. */
    batches: async () => {
      const names = await store.names(keys.batches);
      const areFolders = await parallel(names, LOOK_WIDTH, (name) => isFolder(store, keys.batch(name)));
      return names.filter((_, i) => areFolders[i]);
    },
  };
}

const LOOK_WIDTH = 16;

/** Whether something can lie there: nothing lies below a file. */
async function isFolder(store: Store, below: string): Promise<boolean> {
  try {
    await store.size(below);
    return true;
  } catch (error) {
    if (error instanceof StoreError && error.code === 'ENOTDIR') return false;
    throw error;
  }
}

/** Binds, names and marks with its form what is new, damaged or of an earlier callsheet. */
async function bindBaseUrl(store: Store, account: string, key: string, url: string): Promise<void> {
  const { isThere, known } = await readAccount(store, key);
  if (known?.baseUrl !== undefined && known.baseUrl !== url) {
    throw new StoreError(
      'BOUND',
      `account '${account}' belongs to ${known.baseUrl}, not to ${url}: use another account name for that service`,
      key,
    );
  }
  if (known?.schema === HOME_FORMAT && known.baseUrl !== undefined && known.homeId !== undefined) return;
  const homeId = known?.homeId ?? randomBytes(16).toString('hex');
  const bytes = encodeJson({ schema: HOME_FORMAT, baseUrl: url, homeId } satisfies AccountDocument);
  if (isThere) await store.put(key, bytes);
  // Another process was first: what it wrote is checked like any other.
  else if (!(await store.putIfAbsent(key, bytes))) await bindBaseUrl(store, account, key, url);
}

async function readAccount(store: Store, key: string): Promise<{ isThere: boolean; known?: AccountDocument }> {
  const bytes = await store.get(key);
  const known = bytes && decodeJson(accountSchema, bytes);
  if (known === undefined) return { isThere: bytes !== undefined };
  if (known.schema <= HOME_FORMAT) return { isThere: true, known };
  throw new StoreError('NEWER', `the home ${store.location} was written by a newer callsheet: use that one`, key);
}

const outSchema = z.object({ out: z.string() });
const createdSchema = z.object({ createdAtMs: timeSchema });

/** Where a batch writes to stands in its options too, and its first manifest says when it began. */
async function rebuildBinding(store: Store, keys: HomeKeys, batch: string) {
  const options = await store.get(keys.options(batch));
  const out = options && decodeJson(outSchema, options)?.out;
  if (out === undefined) return undefined;
  const createdAtMs = await beganMs(store, keys, batch);
  return { schema: 1 as const, out, createdAtMs: Number.isFinite(createdAtMs) ? createdAtMs : 0 };
}

/** When the first manifest of a batch was written; infinite where there is none. */
async function beganMs(store: Store, keys: HomeKeys, batch: string): Promise<number> {
  let createdAtMs = Number.POSITIVE_INFINITY;
  for (const generation of await store.names(keys.generations(batch))) {
    const facts = await store.get(keys.generationFacts(batch, generation));
    createdAtMs = Math.min(createdAtMs, (facts && decodeJson(createdSchema, facts)?.createdAtMs) ?? createdAtMs);
  }
  return createdAtMs;
}
