import { z } from 'zod';
import type { AttemptRef } from '../domain/attempt.js';
import type { CreditsNano } from '../domain/money.js';
import { intentOf } from '../domain/standing.js';
import { KINDS } from '../kinds/facts.js';
import { encodeAs, forgotten, readJson } from '../store/json-file.js';
import { parallel } from '../store/parallel.js';
import type { Store } from '../store/port.js';
import { kindSchema, nanoSchema, timeSchema } from './attempt-schema.js';
import { loadAttempt } from './attempts.js';
import { batchSchema } from './bindings.js';
import { BOOK_BUCKET_MS, bookName, type HomeKeys, homeKeys } from './home-keys.js';
import { parseBookKey } from './parse-keys.js';

/** What ended attempts cost and when, which the credits check takes off the drop of the balance. */

/**
 * One ended attempt. `lo` to `hi` is what it cost (`charged`, `billed`), or would have cost (`unbilled`, `undecided`),
 * by the discounts that were known when it was entered; a `follow_up` is what may be charged between a completion and
 * `endedAtMs`. `not_billed` stands beside what may turn up of the attempt later: until `endedAtMs` it may have been
 * charged and given back.
 */
export const bookedSchema = z.object({
  batch: z.string(),
  id: z.string(),
  n: z.int(),
  kind: kindSchema,
  /** Timing is learned by model; absent in entries of an earlier callsheet. */
  model: z.exactOptional(z.string()),
  end: z.enum(['charged', 'unbilled', 'billed', 'undecided', 'follow_up', 'not_billed']),
  claimedAtMs: timeSchema,
  createdAtMs: z.exactOptional(timeSchema),
  /** The latest poll that said it still runs. */
  runningAtMs: z.exactOptional(timeSchema),
  /** From when on nothing of it moves any more. */
  endedAtMs: timeSchema,
  /** `billed`: the reading that proved it. */
  seenAtMs: z.exactOptional(timeSchema),
  /** `billed`: the balance still held it then: it can only have been given back since. */
  heldAtMs: z.exactOptional(timeSchema),
  lo: nanoSchema,
  hi: nanoSchema.nullable(),
  /** The same without any discount: a discount may become known later. Absent where nothing is to be priced again. */
  list: z.exactOptional(z.object({ lo: nanoSchema, hi: nanoSchema.nullable() })),
});
export type BookedAttempt = z.output<typeof bookedSchema>;

export type ChargeBook = ReturnType<typeof createChargeBook>;

export interface EndedAttempts {
  upToNano: CreditsNano;
  unbounded: BookedAttempt[];
  /** Verdicts, which are not in the sum: what became of each since, the ledger knows. */
  judged: BookedAttempt[];
  has(ref: AttemptRef): boolean;
}

type Sum = Pick<EndedAttempts, 'upToNano' | 'unbounded' | 'judged'> & { names: readonly string[] };

const READ_WIDTH = 16;
const READ_CHUNK = 1_000;
/** Entries never change, so what was read once is kept: some hundred bytes each. */
const KEPT_MAX = 50_000;
/** Tens of kilobytes each. */
const SUMS_MAX = 2_000;
/** By so much the clocks of two machines of one home may differ. */
const DAY_MS = 24 * 3_600_000;

export function createChargeBook(store: Store, account: string) {
  const keys = homeKeys(account);
  const kept = new Map<string, BookedAttempt>();
  const read = async (key: string): Promise<BookedAttempt | undefined> => {
    const known = kept.get(key);
    if (known) return known;
    const booked = await readJson(store, key, bookedSchema, () => worstBooking(store, keys, key));
    if (kept.size >= KEPT_MAX) kept.clear();
    if (booked) kept.set(key, booked);
    return booked;
  };
  /** Of ten minutes of a batch: those that are over are summed once, however many rows it has. */
  const sums = new Map<string, Sum>();
  const sumOf = async (place: string, names: readonly string[]): Promise<Sum> => {
    const known = sums.get(place);
    if (known?.names.length === names.length && known.names.every((name, at) => name === names[at])) return known;
    const sum: Sum = { names, upToNano: 0, unbounded: [], judged: [] };
    for (const entry of await parallel(names, READ_WIDTH, (name) => read(`${place}/${name}`))) {
      if (entry === undefined || entry.end === 'unbilled' || entry.end === 'not_billed') continue;
      if (entry.end === 'undecided' || entry.end === 'billed') sum.judged.push(entry);
      else if (entry.hi === null) sum.unbounded.push(entry);
      else sum.upToNano += entry.hi;
    }
    if (sums.size >= SUMS_MAX) sums.clear();
    sums.set(place, sum);
    return sum;
  };
  const bucketsSince = async (sinceMs: number): Promise<string[]> => {
    const first = keys.bookBucket(Math.max(0, Math.floor(sinceMs)));
    const buckets = (await store.names(keys.bookBuckets)).map((name) => `${keys.bookBuckets}/${name}`);
    return buckets.filter((bucket) => bucket >= first);
  };
  const keysBelow = async (bucket: string): Promise<string[]> => {
    const found: string[] = [];
    for await (const key of store.list(bucket)) found.push(key);
    return found;
  };
  const beganMs = async (batch: string): Promise<number> =>
    (await readJson(store, keys.batch(batch), batchSchema, forgotten))?.createdAtMs ?? 0;
  return {
    /** Enters an attempt; its first entry in its ten minutes stands, a second one is not made. */
    append: async (booked: BookedAttempt): Promise<void> => {
      const beside = { follow_up: keys.followUp, not_billed: keys.gone };
      const keyOf = isBeside(booked.end) ? beside[booked.end] : keys.charge;
      await store.putIfAbsent(keyOf(booked, booked.endedAtMs), encodeAs(bookedSchema, booked));
    },
    /** The most that a batch's ended attempts have cost, and which they are; `unbounded` = those whose price nobody knew. */
    endedOf: async (batch: string): Promise<EndedAttempts> => {
      const attempts = new Set<string>();
      const places = (await bucketsSince((await beganMs(batch)) - DAY_MS)).map((bucket) => `${bucket}/${batch}`);
      const names = await parallel(places, READ_WIDTH, (place) => store.names(place));
      let upToNano = 0;
      const unbounded: BookedAttempt[] = [];
      const judged: BookedAttempt[] = [];
      for (const [at, place] of places.entries()) {
        // An attempt that was entered twice, ten minutes apart, has cost once.
        const own = (names[at] ?? []).filter((name) => !attempts.has(name));
        for (const name of own) attempts.add(name);
        const sum = await sumOf(place, own);
        upToNano += sum.upToNano;
        unbounded.push(...sum.unbounded);
        judged.push(...sum.judged);
      }
      return { upToNano, unbounded, judged, has: (ref) => attempts.has(bookName(ref)) };
    },
    /**
     * Attempts that may have moved the balance at or after `sinceMs`, each once (its earliest entry), hour after hour: no
     * more of a long batch is held than a thousand of them.
     */
    each: async function* (sinceMs: number): AsyncGenerator<BookedAttempt> {
      const known = new Set<string>();
      const buckets = await bucketsSince(sinceMs);
      for (let from = 0; from < buckets.length; from += READ_WIDTH) {
        const found = (await parallel(buckets.slice(from, from + READ_WIDTH), READ_WIDTH, keysBelow)).flat();
        for (let at = 0; at < found.length; at += READ_CHUNK) {
          for (const entry of await parallel(found.slice(at, at + READ_CHUNK), READ_WIDTH, read)) {
            if (entry === undefined || entry.endedAtMs < sinceMs) continue;
            const name = `${entry.batch}/${entry.id}/${entry.n}/${isBeside(entry.end) ? entry.end : ''}`;
            if (known.has(name)) continue;
            known.add(name);
            yield entry;
          }
        }
      }
    },
  };
}

/** True for what is entered beside an attempt's own end. */
function isBeside(end: BookedAttempt['end']): end is 'follow_up' | 'not_billed' {
  return end === 'follow_up' || end === 'not_billed';
}

/**
 * What a damaged entry may have said: the attempt moved the balance by anything up to what it was expected to cost, or
 * did not, until the end of the ten minutes that the entry stands in.
 */
export async function worstBooking(store: Store, keys: HomeKeys, key: string): Promise<BookedAttempt | undefined> {
  const found = parseBookKey(keys.bookBuckets, key);
  if (found === undefined) return undefined;
  const attempt = await loadAttempt(store, keys, found.ref);
  const intent = attempt && intentOf(attempt);
  return {
    ...found.ref,
    kind: intent?.kind ?? KINDS[0],
    end: { '': 'undecided' as const, later: 'follow_up' as const, gone: 'not_billed' as const }[found.beside],
    claimedAtMs: intent?.atMs ?? 0,
    endedAtMs: found.bucketMs + BOOK_BUCKET_MS - 1,
    lo: 0,
    hi: intent?.expected?.hi ?? null,
  };
}
