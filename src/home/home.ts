import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { encodeJson, forgotten, readJson } from '../store/json-file.js';
import { parallel } from '../store/parallel.js';
import { type Store, StoreError } from '../store/port.js';
import { nanoSchema, timeSchema } from './attempt-schema.js';
import { type BatchBinding, bindings } from './bindings.js';
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

export interface Home {
  readonly store: Store;
  readonly account: string;
  readonly keys: HomeKeys;
  /** Binds the account to the service's base URL at its first use; a StoreError `BOUND` names both when it differs. */
  bindBaseUrl(url: string): Promise<void>;
  /** The base URL that the account is bound to, if it was used. */
  baseUrl(): Promise<string | undefined>;
  /** What tells this home from every other one, undefined before its first use. */
  homeId(): Promise<string | undefined>;
  /** Binds a batch to its output place at its first run; a StoreError `BOUND` names both when it differs. */
  bindOut(batch: string, out: string, createdAtMs: number): Promise<BatchBinding>;
  readBatch(batch: string): Promise<BatchBinding | undefined>;
  /** The names of all batches, in code-unit order. */
  batches(): Promise<string[]>;
  /** Keeps bytes under their sha256 (hex), which it returns. */
  putBlob(bytes: Uint8Array): Promise<string>;
  /** The same for a stream that is never whole in memory. `attemptName` as in `PutStreamOptions`. */
  putBlobStream(source: AsyncIterable<Uint8Array>, sha256: string, attemptName: string): Promise<void>;
  getBlob(sha256: string): Promise<Uint8Array | undefined>;
  readBlob(sha256: string): Promise<AsyncIterable<Uint8Array> | undefined>;
  hasBlob(sha256: string): Promise<boolean>;
  addCheckpoint(checkpoint: BalanceCheckpoint): Promise<void>;
  /** Checkpoints at or after `sinceMs`, oldest first. */
  checkpointsSince(sinceMs: number): Promise<BalanceCheckpoint[]>;
  latestCheckpoint(): Promise<BalanceCheckpoint | undefined>;
}

const READ_WIDTH = 16;

/** Opens nothing and writes nothing: the first write makes what it needs. */
export function openHome(store: Store, account: string): Home {
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
  return {
    putBlob: async (bytes: Uint8Array) => {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      await store.putIfAbsent(keys.blob(sha256), bytes);
      return sha256;
    },
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
    hasBlob: async (sha256: string) => (await store.size(keys.blob(sha256))) !== undefined,
  };
}

function checkpoints(store: Store, keys: HomeKeys) {
  const read = (key: string) => readJson(store, key, checkpointSchema, forgotten);
  return {
    addCheckpoint: async (checkpoint: BalanceCheckpoint) => {
      await store.put(keys.balance(checkpoint.atMs, randomBytes(4).toString('hex')), encodeJson(checkpoint));
    },
    checkpointsSince: async (sinceMs: number) => {
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
    latestCheckpoint: async () => {
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
