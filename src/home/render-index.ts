import { createHash } from 'node:crypto';
import { z } from 'zod';
import { RENDER_KEY_VERSION } from '../manifest/row-hash.js';
import { decodeJson } from '../store/json-file.js';
import { StoreError } from '../store/port.js';
import type { AccountRecords } from './account-records.js';
import { gatherRenders, type KnownRender } from './gather-renders.js';

/**
 * The renders of an account, a file for each batch: gathered from the batch once, and believed while what it was
 * gathered from is as it was. Each file can be thrown away and is made again. Read as a stream, since a home may have
 * millions; what it says is looked at again before anything follows from it.
 */

const headSchema = z.object({ schema: z.literal(2), keys: z.int(), stamp: z.string() });
/** `[key, id, credits in nano or null, epoch ms, 1 while under way, sha256 or null]` */
const lineSchema = z.tuple([
  z.string(),
  z.string(),
  z.number().nullable(),
  z.number(),
  z.union([z.literal(0), z.literal(1)]),
  z.string().nullable(),
]);

export interface RenderIndex {
  /** Every render of every batch, the batches that were begun last first. */
  renders(): AsyncIterable<KnownRender>;
}

/**
 * `isExact`: what is found is taken over, so that nothing may be missed. In a bucket nothing tells whether a record was
 * written anew: there each batch is gathered once by each command that must be exact.
 */
export function openRenderIndex(account: AccountRecords, isExact: boolean): RenderIndex {
  const gathered = new Set<string>();
  const mayMiss = (batch: string): boolean =>
    isExact && account.home.store.stamps === undefined && !gathered.has(batch);
  return {
    async *renders() {
      for (const batch of await newestFirst(account)) {
        const isAnew = mayMiss(batch);
        gathered.add(batch);
        yield* rendersOf(account, batch, isAnew);
      }
    },
  };
}

async function newestFirst({ home }: AccountRecords): Promise<string[]> {
  const batches: { batch: string; atMs: number }[] = [];
  for (const batch of await home.batches()) {
    batches.push({ batch, atMs: (await home.readBatch(batch))?.createdAtMs ?? 0 });
  }
  return batches.sort((a, b) => b.atMs - a.atMs).map(({ batch }) => batch);
}

async function* rendersOf(account: AccountRecords, batch: string, isAnew: boolean): AsyncIterable<KnownRender> {
  const stamp = await stampOf(account, batch);
  const known = isAnew ? undefined : await keptRenders(account, batch, stamp);
  const kept = known ?? (await gatherAndKeep(account, batch, stamp));
  yield* kept ?? gatherRenders(account, batch);
}

/** Undefined where nothing is kept, or what is kept is of another time. */
async function keptRenders(
  { home }: AccountRecords,
  batch: string,
  stamp: string,
): Promise<AsyncIterable<KnownRender> | undefined> {
  const stream = await home.store.read(home.keys.renders(batch));
  if (stream === undefined) return undefined;
  const lines = linesOf(stream)[Symbol.asyncIterator]();
  const first = await lines.next();
  const head = first.done === true ? undefined : decodeJson(headSchema, Buffer.from(first.value));
  if (head?.stamp !== stamp || head.keys !== RENDER_KEY_VERSION) {
    await lines.return?.();
    return undefined;
  }
  return parsed(batch, { [Symbol.asyncIterator]: () => lines });
}

/** A line that a disk has damaged is a render that is not found. */
async function* parsed(batch: string, lines: AsyncIterable<string>): AsyncIterable<KnownRender> {
  for await (const line of lines) {
    const values = decodeJson(lineSchema, Buffer.from(line));
    if (values === undefined) continue;
    const [key, id, creditsNano, atMs, isUnderWay, sha256] = values;
    yield { key, batch, id, creditsNano, atMs, sha256, isUnderWay: isUnderWay === 1 };
  }
}

/** Undefined where it cannot be kept: in a home that may only be read, or on a full disk. */
async function gatherAndKeep(
  account: AccountRecords,
  batch: string,
  stamp: string,
): Promise<AsyncIterable<KnownRender> | undefined> {
  const { store, keys } = account.home;
  const head = JSON.stringify({ schema: 2, keys: RENDER_KEY_VERSION, stamp });
  try {
    const lines = written(head, gatherRenders(account, batch));
    await store.putStream(keys.renders(batch), lines, { attemptName: `renders-${batch}`, ifExists: 'replace' });
  } catch (error) {
    if (error instanceof StoreError) return undefined;
    throw error;
  }
  return keptRenders(account, batch, stamp);
}

async function* written(head: string, renders: AsyncIterable<KnownRender>): AsyncIterable<Uint8Array> {
  let text = `${head}\n`;
  for await (const { key, id, creditsNano, atMs, isUnderWay, sha256 } of renders) {
    text += `${JSON.stringify([key, id, creditsNano, atMs, isUnderWay ? 1 : 0, sha256])}\n`;
    if (text.length < WRITTEN_CHARACTERS) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text);
}

const WRITTEN_CHARACTERS = 1 << 16;

/**
 * What changes with every record and every first attempt of the batch: by the folders that hold them, in a bucket by
 * the names of the records and of the open attempts. Taken before they are read, so that what comes meanwhile makes the index look old.
 */
async function stampOf({ home, rows }: AccountRecords, batch: string): Promise<string> {
  const { store, keys } = home;
  const hash = createHash('sha256');
  hash.update(`${await rows.currentGeneration(batch)}\n`);
  const folders = [keys.recordsOf(batch), keys.attemptsOf(batch)];
  if (store.stamps === undefined) {
    for (const folder of [keys.recordsOf(batch), `${keys.opens}/${batch}`]) {
      for await (const key of store.list(folder)) hash.update(`${key}\n`);
    }
  } else {
    const shards = SHARDS.flatMap((shard) => folders.map((folder) => `${folder}/${shard}`));
    for (const stamp of await store.stamps(shards)) hash.update(`${stamp}\n`);
  }
  return hash.digest('hex');
}

const SHARDS = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0'));

/** The lines of a stream of UTF-8, without their ends, in constant memory but for the longest one. */
export async function* linesOf(source: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  let rest = Buffer.alloc(0);
  for await (const chunk of source) {
    const bytes = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      yield bytes.toString('utf8', start, end);
      start = end + 1;
    }
    rest = bytes.subarray(start);
  }
  if (rest.length > 0) yield rest.toString('utf8');
}
