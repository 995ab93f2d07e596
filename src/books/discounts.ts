import type { AccountSettings } from '../contract/account.js';
import type { Home } from '../home/home.js';
import { type DiscountAnswer, discountAnswers } from '../home/learned.js';
import type { Adapter } from '../kinds/adapter.js';
import { adapterFor } from '../kinds/index.js';
import { type Discount, multipliersBetween } from '../service/account.js';
import type { Learned } from './learned.js';
import { LIST_PRICE_PPB } from './prices/price-book.js';

/**
 * The account's discounts as they were read, the changed answers kept: only active discounts are answered (service
 * document 1, Discount window), so what held an hour ago is known from what was read then, and sometimes not before
 * it is over.
 */
export type Discounts = ReturnType<typeof openDiscounts>;

/** Discounts may be cached for minutes (service document 1, Limits), unscaled ms. */
const DISCOUNTS_MAX_AGE_MS = 300_000;
/** Changes older than the last so many are forgotten. */
const ANSWERS_MAX = 100;
/** Another worker of the account may have read others, unscaled ms. */
const LOOK_EVERY_MS = 30_000;

export function openDiscounts(
  { home, settings, now }: { home: Home; settings: Pick<AccountSettings, 'timeScale'>; now(): number },
  learned: Learned,
) {
  let memory: { answers: readonly DiscountAnswer[]; readAtMs: number } | undefined;
  const maxAgeMs = (): number => DISCOUNTS_MAX_AGE_MS / settings.timeScale;
  const recall = async (anew = false): Promise<readonly DiscountAnswer[]> => {
    if (memory !== undefined && !anew && now() - memory.readAtMs < LOOK_EVERY_MS / settings.timeScale) {
      return memory.answers;
    }
    const answers = (await discountAnswers.read(home)) ?? [];
    memory = { answers, readAtMs: now() };
    return answers;
  };
  return {
    /** True when the discounts need not be read again yet; what was asked for since `sinceMs` is fresh in any case. */
    areFresh: async (sinceMs = now() - maxAgeMs() / 2): Promise<boolean> => {
      const last = (await recall()).at(-1);
      return last !== undefined && last.lastMs >= sinceMs;
    },
    /**
     * Up to when `multipliers` knows every discount: one that has begun since the last answer was asked for is not known
     * (there is no word of changes, and only active ones are answered: service document 1, Discount window).
     */
    knownUntilMs: async (): Promise<number> => (await recall()).at(-1)?.lastMs ?? Number.NEGATIVE_INFINITY,
    /** The same with regard to answers that are minutes old. */
    surelyKnownUntilMs: async (): Promise<number> =>
      ((await recall()).at(-1)?.lastMs ?? Number.NEGATIVE_INFINITY) - maxAgeMs(),
    /** Another worker may have read them. */
    lookAgain: async (): Promise<void> => void (await recall(true)),
    keep: async (rows: Discount[], askedMs = now()): Promise<void> => {
      const atMs = now();
      const known = await recall(true);
      const last = known.at(-1);
      const isSame = last !== undefined && JSON.stringify(last.rows) === JSON.stringify(rows);
      const answer: DiscountAnswer = isSame ? { ...last, lastMs: askedMs } : { firstMs: atMs, lastMs: askedMs, rows };
      const answers = [...(isSame ? known.slice(0, -1) : known), answer].slice(-ANSWERS_MAX);
      memory = { answers, readAtMs: atMs };
      await discountAnswers.write(home, answers);
      if (last === undefined || isSame) return;
      // What was measured while a change was under way may have been taken for the price at another multiplier.
      const changed = changedEntrypoints(last.rows, rows);
      const sinceMs = last.lastMs - maxAgeMs();
      await learned.changePrices((prices) =>
        prices.filter(({ kind, lastAtMs }) => lastAtMs < sinceMs || !changed.has(adapterFor(kind).entrypoint)),
      );
    },
    /**
     * Every multiplier (parts per billion) that may have held for a provider's entrypoint somewhere between two instants,
     * by all that was answered until now; list price where no discount is known.
     */
    multipliers: async (
      { entrypoint }: Pick<Adapter, 'entrypoint'>,
      fromMs: number,
      toMs: number,
    ): Promise<number[]> => {
      const answers = await recall();
      if (entrypoint === null || answers.length === 0) return [LIST_PRICE_PPB];
      const found = answers.flatMap(({ rows }, i) => {
        const before = answers[i - 1];
        const after = answers[i + 1];
        // The change to this answer can be as old as the cached answer before it, the change to the next one as new as
        // that one's cache allows.
        const first = Math.max(fromMs, before === undefined ? fromMs : before.lastMs - maxAgeMs());
        const last = Math.min(toMs, after === undefined ? toMs : after.firstMs + maxAgeMs());
        return first > last ? [] : multipliersBetween(rows, entrypoint, first, last);
      });
      return found.length === 0 ? [LIST_PRICE_PPB] : [...new Set(found)];
    },
  };
}

function changedEntrypoints(before: Discount[], after: Discount[]): Set<string | null> {
  const textOf = (rows: Discount[]) => new Map(rows.map((row) => [row.entrypoint, JSON.stringify(row)]));
  const [was, is] = [textOf(before), textOf(after)];
  return new Set([...was.keys(), ...is.keys()].filter((entrypoint) => was.get(entrypoint) !== is.get(entrypoint)));
}
