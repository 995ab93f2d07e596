import { z } from 'zod';
import { LIST_PRICE_PPB } from '../reconcile/price-book.js';
import { type Discount, multipliersBetween } from '../service/account.js';
import { encodeJson, readJson } from '../store/json-file.js';
import type { Adapter } from '../vendors/adapter.js';
import type { Dependencies } from './dependencies.js';

/** The account's discounts as they were read, the last change kept: the service may answer from a cache. */

/** Discounts may be cached for minutes (service document 1, Limits), unscaled ms. */
const DISCOUNTS_MAX_AGE_MS = 300_000;

interface KnownDiscounts {
  atMs: number;
  rows: Discount[];
  /** What was answered before the last change, and when that change was seen. */
  before: Discount[] | null;
  changedAtMs: number;
}
const memories = new WeakMap<Dependencies, KnownDiscounts>();

const rowsSchema = z.array(
  z.object({
    entrypoint: z.string(),
    multiplierPpb: z.int(),
    effectiveFromMs: z.number(),
    effectiveToMs: z.number().nullable(),
  }),
);
const knownSchema: z.ZodType<KnownDiscounts> = z.object({
  atMs: z.number(),
  rows: rowsSchema,
  before: rowsSchema.nullable(),
  changedAtMs: z.number(),
});

/** True when the discounts need not be read again yet. */
export async function areFresh(deps: Dependencies): Promise<boolean> {
  const known = await recall(deps);
  return known !== undefined && deps.now() - known.atMs <= DISCOUNTS_MAX_AGE_MS / deps.settings.timeScale / 2;
}

export async function keepDiscounts(deps: Dependencies, rows: Discount[]): Promise<void> {
  const atMs = deps.now();
  const last = await recall(deps);
  const isSame = last !== undefined && JSON.stringify(last.rows) === JSON.stringify(rows);
  const known: KnownDiscounts = isSame
    ? { ...last, atMs }
    : { atMs, rows, before: last?.rows ?? null, changedAtMs: atMs };
  memories.set(deps, known);
  await deps.home.store.put(keyOf(deps), encodeJson(known));
}

/**
 * Every multiplier (parts per billion) that may hold for a kind somewhere between two instants; list price where no
 * discount is known. A change that was seen since the first instant counts with what was answered before.
 */
export async function multipliersOf(
  deps: Dependencies,
  { entrypoint }: Adapter,
  fromMs: number,
  toMs: number,
): Promise<number[]> {
  if (entrypoint === null) return [LIST_PRICE_PPB];
  const known = await recall(deps);
  if (known === undefined) return [LIST_PRICE_PPB];
  const now = multipliersBetween(known.rows, entrypoint, fromMs, toMs);
  const cachedMs = DISCOUNTS_MAX_AGE_MS / deps.settings.timeScale;
  const isOld = known.before === null || known.changedAtMs < fromMs - cachedMs;
  const before = isOld ? [] : multipliersBetween(known.before ?? [], entrypoint, fromMs, toMs);
  return [...new Set([...now, ...before])];
}

async function recall(deps: Dependencies): Promise<KnownDiscounts | undefined> {
  const known = memories.get(deps) ?? (await readJson(deps.home.store, keyOf(deps), knownSchema));
  if (known) memories.set(deps, known);
  return known;
}

function keyOf({ home }: Dependencies): string {
  return `${home.account}/discounts.json`;
}
