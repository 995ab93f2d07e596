import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { encodeJson, forgotten, readJson } from '../store/json-file.js';
import { parallel } from '../store/parallel.js';
import { type Store, StoreError } from '../store/port.js';
import { nanoSchema, timeSchema } from './attempt-schema.js';
import { bindings } from './bindings.js';
import { type HomeKeys, homeKeys } from './home-keys.js';

/** An account's home: what it is bound to, its batches, the bytes of its inputs and what its balance was. */

/** One reading of GET /v1/credits. Null where the service did not say. */
export const checkpointSchema = z.object({
  /** When it was asked for; absent in records of an earlier callsheet. */
  askedMs: timeSchema.optional(),
  /** When the answer was there. */
  atMs: timeSchema,
  balanceNano: nanoSchema,
  rpm: z.number().nullable(),
  concurrent: z.number().nullable(),
  plan: z.string().nullable(),
});
export type BalanceCheckpoint = z.output<typeof checkpointSchema>;

const READ_WIDTH = 16;

export type Home = ReturnType<typeof openHome>;

/** Opens nothing and writes nothing: the first write makes what it needs. */
export function openHome(store: Store, account: string) {
  const keys = homeKeys(account);
  return {
    store,
    account,
    keys,
    ...bindings(store, account, keys),
    ...blobs(store, keys),
    ...checkpoints(store, keys),
  };
}

function blobs(store: Store, keys: HomeKeys) {
  const hasBlob = async (sha256: string, bytes?: number) => {
    const there = await store.size(keys.blob(sha256));
    return there !== undefined && (bytes === undefined || there === bytes);
  };
  return {
    /** Keeps bytes under their sha256 (hex), which it returns. */
    putBlob: async (bytes: Uint8Array) => {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      // Replacing: on a disk without links an exclusive write that is killed leaves a part under the name for ever.
      if (!(await hasBlob(sha256, bytes.length))) await store.put(keys.blob(sha256), bytes);
      return sha256;
    },
    /** The same for a stream that is never whole in memory. `attemptName` as in `PutStreamOptions`. */
    putBlobStream: async (source: AsyncIterable<Uint8Array>, sha256: string, attemptName: string) => {
      await store.putStream(keys.blob(sha256), source, {
        attemptName,
        ifExists: 'replace',
        beforeCommit: (file) => {
          if (file.sha256 === sha256) return;
          throw new StoreError('CHANGED', `the file changed while it was copied (sha256 ${sha256} expected)`);
        },
      });
    },
    getBlob: (sha256: string) => store.get(keys.blob(sha256)),
    readBlob: (sha256: string) => store.read(keys.blob(sha256)),
    /** Whether it is there; with `bytes`, whether all of it is. */
    hasBlob,
  };
}

function checkpoints(store: Store, keys: HomeKeys) {
  const read = (key: string) => readJson(store, key, checkpointSchema, forgotten);
  return {
    addCheckpoint: async (checkpoint: BalanceCheckpoint) => {
      await store.put(keys.balance(checkpoint.atMs, randomBytes(4).toString('hex')), encodeJson(checkpoint));
    },
    /** Checkpoints at or after `sinceMs`, oldest first. */
    checkpointsSince: async (sinceMs: number): Promise<BalanceCheckpoint[]> => {
      const found: string[] = [];
      const firstMs = Math.max(0, Math.floor(sinceMs));
      const first = keys.balance(firstMs, '0');
      for (const bucket of await store.names(keys.balances)) {
        if (`${keys.balances}/${bucket}` < keys.balanceBucket(firstMs)) continue;
        for (const name of await store.names(`${keys.balances}/${bucket}`)) {
          const key = `${keys.balances}/${bucket}/${name}`;
          if (key >= first) found.push(key);
        }
      }
      const values = await parallel(found, READ_WIDTH, read);
      return values.flatMap((value) => (value !== undefined && value.atMs >= sinceMs ? [value] : []));
    },
    latestCheckpoint: async (): Promise<BalanceCheckpoint | undefined> => {
      for (const bucket of (await store.names(keys.balances)).reverse()) {
        for (const name of (await store.names(`${keys.balances}/${bucket}`)).reverse()) {
          const checkpoint = await read(`${keys.balances}/${bucket}/${name}`);
          if (checkpoint !== undefined) return checkpoint;
        }
      }
      return undefined;
    },
  };
}
