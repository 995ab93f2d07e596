import { spentOf } from '../../src/books/spent.js';
import type { RowRef } from '../../src/contract/workflows.js';
import { BALANCE_TOLERANCE_NANO, type CreditsNano, formatCredits } from '../../src/domain/money.js';
import { readBatchOrder } from '../../src/home/batch-order.js';
import { latestPrices } from '../account.js';
import type { Dependencies } from '../dependencies.js';

/** What a batch may cost, where that was lowered while it ran; null for every other one. */
export async function loweredBudget({ home }: Dependencies, batch: string): Promise<CreditsNano | null> {
  const order = await readBatchOrder(home, batch);
  return order?.isBudgetLowered === true ? order.limits.maxCreditsNano : null;
}

/**
 * Why a row is not sent whose price has risen since the batch's budget reserved it, by more than a balance can show; the
 * budget itself may have room for it.
 */
export function aboveReserved(
  mostNano: CreditsNano | null,
  reservedNano: CreditsNano = Number.POSITIVE_INFINITY,
): string | undefined {
  if ((mostNano ?? Number.MAX_VALUE) <= reservedNano + BALANCE_TOLERANCE_NANO) return undefined;
  const now = mostNano === null ? 'is not known any more' : `rose to ${formatCredits(mostNano)} credits`;
  const after = `after ${formatCredits(reservedNano)} had been reserved for it`;
  return `its price ${now} ${after}: \`callsheet resume\` goes on where the budget has room`;
}

/**
 * Claims a row, unless its batch's budget was lowered meanwhile and has no room for it (I20). A batch reserves the price
 * of each row that it opens; those that wait for a slot have reserved of a budget that is gone. Claims of such a batch go
 * one after the other, so that each sees what the others cost; two machines may be one row each above it.
 */
export async function claimWithin<Claimed>(
  deps: Dependencies,
  { batch }: RowRef,
  { maxNano, upToNano }: { maxNano: CreditsNano | null; upToNano: CreditsNano | null },
  claim: () => Promise<Claimed>,
): Promise<Claimed | 'over budget'> {
  if (maxNano === null) return claim();
  return inTurn(deps.calls.turns, batch, async () => {
    const { endedNano, openNano, unbounded } = await spentOf(deps, batch, () => latestPrices(deps, batch));
    const sumNano = endedNano + openNano + (upToNano ?? Number.POSITIVE_INFINITY);
    return unbounded > 0 || sumNano > maxNano + BALANCE_TOLERANCE_NANO ? 'over budget' : claim();
  });
}

function inTurn<T>(turns: Map<string, Promise<unknown>>, name: string, task: () => Promise<T>): Promise<T> {
  const mine = (turns.get(name) ?? Promise.resolve()).then(task);
  const isOver = mine.then(
    () => undefined,
    () => undefined,
  );
  turns.set(name, isOver);
  void isOver.then(() => {
    if (turns.get(name) === isOver) turns.delete(name);
  });
  return mine;
}
