import { z } from 'zod';
import type { OutputFile } from '../domain/outcome.js';
import type { Frame } from '../domain/row.js';
import { encodeJson, forgotten, readJson } from '../store/json-file.js';
import type { Store } from '../store/port.js';
import { document } from './document.js';
import type { Home } from './home.js';
import type { HomePlace } from './home-keys.js';

/** Rows by the index of another that they wait for. */
export type Feeds = ReadonlyMap<number, readonly number[]>;

/**
 * Which rows wait for a row, kept beside the rows: one document for each part, by the index of the row that is waited
 * for. It only saves looking through all rows: what stands in no document is found when its batch would end.
 */
export interface PartFeeds {
  /** What it feeds. */
  fed: Feeds;
  /** What shares its render. */
  sharing: Feeds;
}

const pairsSchema = z.array(z.tuple([z.int(), z.array(z.int())]));
const feedsSchema = z.object({ schema: z.literal(1), feeds: pairsSchema, sharing: z.exactOptional(pairsSchema) });

const FIRST_PAIRS = 1_024;

/** Collects what waits for what among a generation's rows while they are written, 8 bytes each. */
export function createFeedsWriter(store: Store) {
  const [fed, sharing] = [createPairs(), createPairs()];
  return {
    addFed: fed.add,
    addSharing: sharing.add,
    /** `keyOf`: the document of a part. */
    async write(parts: readonly { rows: number }[], keyOf: (part: number) => string): Promise<void> {
      const [fedBefore, sharingBefore] = [fed.sorted(), sharing.sorted()];
      let end = 0;
      for (const [part, { rows }] of parts.entries()) {
        end += rows;
        const [feeds, shared] = [fedBefore(end), sharingBefore(end)];
        if (feeds.length === 0 && shared.length === 0) continue;
        const alike = shared.length === 0 ? {} : { sharing: shared };
        await store.put(keyOf(part), encodeJson({ schema: 1, feeds, ...alike }));
      }
    },
  };
}

function createPairs() {
  let pairs = new Uint32Array(FIRST_PAIRS * 2);
  let count = 0;
  return {
    add(awaited: number, waiting: number): void {
      if (count * 2 === pairs.length) {
        const bigger = new Uint32Array(pairs.length * 2);
        bigger.set(pairs);
        pairs = bigger;
      }
      pairs[count * 2] = awaited;
      pairs[count * 2 + 1] = waiting;
      count += 1;
    },
    /** Each call gives those that follow, up to a row that is waited for. */
    sorted(): (end: number) => [number, number[]][] {
      const order = Uint32Array.from({ length: count }, (_, i) => i);
      order.sort((a, b) => (pairs[a * 2] ?? 0) - (pairs[b * 2] ?? 0) || a - b);
      let at = 0;
      return (end) => {
        const found: [number, number[]][] = [];
        for (; at < count; at += 1) {
          const pair = (order[at] ?? 0) * 2;
          const [awaited, waiting] = [pairs[pair] ?? 0, pairs[pair + 1] ?? 0];
          if (awaited >= end) break;
          const last = found.at(-1);
          if (last?.[0] !== awaited) found.push([awaited, [waiting]]);
          // A row that takes the same output twice is fed once.
          else if (last[1].at(-1) !== waiting) last[1].push(waiting);
        }
        return found;
      };
    },
  };
}

/** Empty where there is none, or it cannot be read. */
export async function readFeeds(store: Store, key: string): Promise<PartFeeds> {
  const { feeds = [], sharing = [] } = (await readJson(store, key, feedsSchema, forgotten)) ?? {};
  return { fed: new Map(feeds), sharing: new Map(sharing) };
}

/** Which frames of films were taken: the picture lies among the home's media, a damaged note is made again. */

export const takenFrame = document(
  z.object({ schema: z.literal(1), sha256: z.string(), contentType: z.string(), bytes: z.int() }),
  (keys, film: string, frame: Frame) => keys.frame(film, frame),
);

/** The frame of a film as a file that feeds; undefined until it was taken. */
export async function readFrame(home: HomePlace, film: string, frame: Frame): Promise<OutputFile | undefined> {
  const found = await takenFrame.read(home, film, frame);
  return found && { file: `frames/${film}-${frame}.png`, ...found };
}

export async function writeFrame(home: Home, film: string, frame: Frame, png: Uint8Array): Promise<OutputFile> {
  const sha256 = await home.putBlob(png);
  const taken = { schema: 1 as const, sha256, contentType: 'image/png', bytes: png.length };
  await takenFrame.write(home, taken, film, frame);
  return { file: `frames/${film}-${frame}.png`, ...taken };
}
