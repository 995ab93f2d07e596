import { z } from 'zod';
import { LIST_PRICE_PPB } from '../src/books/prices/price-book.js';
import type { Adapter } from '../src/kinds/adapter.js';
import { adapterFor } from '../src/kinds/index.js';
import { type Discount, multipliersBetween } from '../src/service/account.js';
import { encodeJson, forgotten, readJson } from '../src/store/json-file.js';
import type { Dependencies } from './dependencies.js';
import { keepPrices } from './learned.js';

/**
 * The account's discounts as they were read, the changed answers kept: only active discounts are answered (service
 * document 1, Discount window), so what held an hour ago is known from what was read then, and sometimes not before
 * it is over.
 */

/** Discounts may be cached for minutes (service document 1, Limits), unscaled ms. */
const DISCOUNTS_MAX_AGE_MS = 300_000;
/** Changes older than the last so many are forgotten. */
const ANSWERS_MAX = 100;
/** Another worker of the account may have read others, unscaled ms. */
const LOOK_EVERY_MS = 30_000;

/** One answer, and the times at which it was first and last given. */
interface DiscountAnswer {
  firstMs: number;
  lastMs: number;
  rows: Discount[];
}
interface Memory {
  answers: readonly DiscountAnswer[];
  readAtMs: number;
}
const memories = new WeakMap<Dependencies, Memory>();

const knownSchema: z.ZodType<DiscountAnswer[]> = z.array(
  z.object({
    firstMs: z.number(),
    lastMs: z.number(),
    rows: z.array(
      z.object({
        entrypoint: z.string(),
        multiplierPpb: z.int(),
        effectiveFromMs: z.number(),
        effectiveToMs: z.number().nullable(),
      }),
    ),
  }),
);

/** True when the discounts need not be read again yet. */
export async function areFresh(deps: Dependencies): Promise<boolean> {
  const last = (await recall(deps)).at(-1);
  return last !== undefined && deps.now() - last.lastMs <= maxAgeMs(deps) / 2;
}

export async function keepDiscounts(deps: Dependencies, rows: Discount[]): Promise<void> {
  const atMs = deps.now();
  const known = await recall(deps, true);
  const last = known.at(-1);
  const isSame = last !== undefined && JSON.stringify(last.rows) === JSON.stringify(rows);
  const answer: DiscountAnswer = isSame ? { ...last, lastMs: atMs } : { firstMs: atMs, lastMs: atMs, rows };
  const answers = [...(isSame ? known.slice(0, -1) : known), answer].slice(-ANSWERS_MAX);
  memories.set(deps, { answers, readAtMs: atMs });
  await deps.home.store.put(keyOf(deps), encodeJson(answers));
  if (last === undefined || isSame) return;
  const changed = changedEntrypoints(last.rows, rows);
  await forgetPrices(deps, changed, last.lastMs - maxAgeMs(deps));
}

/**
 * Every multiplier (parts per billion) that may have held for a provider's entrypoint somewhere between two instants,
 * by all that was answered until now; list price where no discount is known.
 */
export async function multipliersOf(
  deps: Dependencies,
  { entrypoint }: Pick<Adapter, 'entrypoint'>,
  fromMs: number,
  toMs: number,
): Promise<number[]> {
  const answers = await recall(deps);
  if (entrypoint === null || answers.length === 0) return [LIST_PRICE_PPB];
  const found = answers.flatMap(({ rows }, i) => {
    const before = answers[i - 1];
    const after = answers[i + 1];
    // The change to this answer can be as old as the cached answer before it, the change to the next one as new as
    // that one's cache allows.
    const heldFromMs = before === undefined ? fromMs : before.lastMs - maxAgeMs(deps);
    const heldToMs = after === undefined ? toMs : after.firstMs + maxAgeMs(deps);
    const first = Math.max(fromMs, heldFromMs);
    const last = Math.min(toMs, heldToMs);
    return first > last ? [] : multipliersBetween(rows, entrypoint, first, last);
  });
  return found.length === 0 ? [LIST_PRICE_PPB] : [...new Set(found)];
}

/** What was measured while a change was under way may have been taken for the price at another multiplier. */
async function forgetPrices(deps: Dependencies, changed: ReadonlySet<string | null>, sinceMs: number): Promise<void> {
  await keepPrices(deps, (prices) =>
    prices.filter(({ kind, lastAtMs }) => lastAtMs < sinceMs || !changed.has(adapterFor(kind).entrypoint)),
  );
}

function changedEntrypoints(before: Discount[], after: Discount[]): Set<string> {
  const textOf = (rows: Discount[]) => new Map(rows.map((row) => [row.entrypoint, JSON.stringify(row)]));
  const [was, is] = [textOf(before), textOf(after)];
  return new Set([...was.keys(), ...is.keys()].filter((entrypoint) => was.get(entrypoint) !== is.get(entrypoint)));
}

async function recall(deps: Dependencies, anew = false): Promise<readonly DiscountAnswer[]> {
  const known = memories.get(deps);
  const isFresh = known !== undefined && deps.now() - known.readAtMs < LOOK_EVERY_MS / deps.settings.timeScale;
  if (isFresh && !anew) return known.answers;
  const answers = (await readJson(deps.home.store, keyOf(deps), knownSchema, forgotten)) ?? [];
  memories.set(deps, { answers, readAtMs: deps.now() });
  return answers;
}

function maxAgeMs({ settings }: Dependencies): number {
  return DISCOUNTS_MAX_AGE_MS / settings.timeScale;
}

function keyOf({ home }: Dependencies): string {
  return `${home.account}/discount-answers.json`;
}
