import type { RetryOrder } from '../../contract/workflows.js';
import type { BatchLimits } from '../../domain/batch.js';
import { readSampleGate } from '../../home/batch-marks.js';
import { type BatchOrder, changeBatchOrder } from '../../home/batch-order.js';
import type { Home } from '../../home/home.js';
import { type BatchPlace, pricesInForce } from '../access/home-access.js';
import type { Session } from '../session.js';

/** What bounds a batch: of the command, of the order that it was run with, and of what was approved. */

/** What a batch may cost and what becomes of its lost answers. */
export type BatchTerms = Pick<BatchOrder, 'limits' | 'policy'>;

/** The limits that the settings give a batch. */
export function limitsOf({ config }: Session): BatchLimits {
  return { maxCreditsNano: config.budget.maxCredits, maxFailures: config.budget.maxFailures };
}

/**
 * What a command gives a batch that goes on: its own flags. What settings say for all batches takes no limit from it that
 * it was run with, and holds where it has none. `before`: what it was run with, as far as that is known.
 */
export function goingLimits(session: Session, before: BatchLimits | undefined): BatchLimits {
  const { maxCreditsNano, maxFailures } = limitsOf(session);
  const isOwn = (setting: string): boolean => session.origins.get(setting)?.name === 'flag';
  const isGiven = (setting: string, known: unknown): boolean => isOwn(setting) || (known ?? null) === null;
  return {
    maxCreditsNano: isGiven('budget.maxCredits', before?.maxCreditsNano) ? maxCreditsNano : null,
    maxFailures: isGiven('budget.maxFailures', before?.maxFailures) ? maxFailures : null,
  };
}

/**
 * The session of a question before more of a batch is submitted: a budget that settings give all batches and that is
 * lower than its own neither refuses its rows nor answers for a person.
 */
export function withoutLowerBudget(session: Session, order: BatchTerms | undefined): Session {
  const { config } = session;
  const { maxCredits } = config.budget;
  const own = order?.limits.maxCreditsNano ?? null;
  const isLower = maxCredits !== null && own !== null && maxCredits < own;
  if (!isLower || goingLimits(session, order?.limits).maxCreditsNano !== null) return session;
  return { ...session, config: { ...config, budget: { ...config.budget, maxCredits: null } } };
}

/** What the settings of a command say of a batch. */
export function termsOf(session: Session, retries: number): BatchTerms {
  const { ambiguity, alwaysMaxWaste } = session.config;
  return { limits: limitsOf(session), policy: { ambiguity, retries, wasteMaxNano: alwaysMaxWaste } };
}

/** The session of a command that goes on as the batch was run; its own flags go before, its settings do not. */
export function asOrdered(session: Session, order: BatchTerms | undefined): Session {
  if (order === undefined) return session;
  const { config, origins } = session;
  const isOwn = (setting: string): boolean => origins.get(setting)?.name === 'flag';
  const { limits, policy } = order;
  const { maxCredits, maxFailures } = config.budget;
  const budget = {
    ...config.budget,
    maxCredits: isOwn('budget.maxCredits') ? maxCredits : (limits.maxCreditsNano ?? maxCredits),
    maxFailures: isOwn('budget.maxFailures') ? maxFailures : (limits.maxFailures ?? maxFailures),
  };
  const ambiguity = isOwn('ambiguity') ? config.ambiguity : policy.ambiguity;
  const isOwnWaste = isOwn('ambiguity') || isOwn('alwaysMaxWaste');
  const alwaysMaxWaste = isOwnWaste ? config.alwaysMaxWaste : policy.wasteMaxNano;
  return { ...session, config: { ...config, budget, ambiguity, alwaysMaxWaste } };
}

/** The order of a batch that runs, with other limits. Pure. */
export function withLimits(order: BatchOrder, limits: BatchLimits): BatchOrder {
  const least = (one: BatchLimits): number => one.maxCreditsNano ?? Number.POSITIVE_INFINITY;
  return { ...order, limits, ...(least(limits) < least(order.limits) ? { isBudgetLowered: true } : {}) };
}

/** The order of a batch, with the prices that its command has judged it by. Pure. */
export function withPrices(session: Session, order: BatchOrder): BatchOrder {
  const prices = pricesInForce(session, order);
  return { ...order, ...(prices && { prices }) };
}

/** What a person agreed to was priced by them: its worker, which knows no other prices, keeps the budget by the same ones. */
export async function givePrices({ session, access: { home }, batch }: BatchPlace): Promise<void> {
  await changeBatchOrder(home, batch, (order) => {
    const given = order && withPrices(session, order);
    return given?.prices === order?.prices ? undefined : given;
  });
}

/**
 * Which rows that had ended were ordered again, by the order that the batch has: those of them that its budget kept back
 * run with whatever goes on with it.
 */
export function keptRetry(order: BatchOrder | undefined, generation: string): RetryOrder | null {
  return order?.generation === generation ? (order.retry ?? null) : null;
}

/** The message of an order stays below 4 KB. */
const RETRIES_KEPT = 4;

/** A retry of some classes takes nothing from one that its batch still carries out. Pure. */
export function bothRetries(given: RetryOrder | null, standing: RetryOrder | null): RetryOrder | null {
  if (given === null || standing === null) return given ?? standing;
  if (given.id !== undefined && given.id === standing.id) return given;
  const { also = [], ...before } = standing;
  const earlier = [before, ...also];
  const isCovered = ({ classes }: Pick<RetryOrder, 'classes'>): boolean =>
    given.classes.length === 0 || (classes.length > 0 && classes.every((one) => given.classes.includes(one)));
  // All or none: what ended under one of them has ended before those that came later, as long as those are known.
  return earlier.every(isCovered) ? given : { ...given, also: earlier.slice(0, RETRIES_KEPT) };
}

/** Only what bounds the batch was changed. */
export function sayLimited({ terminal, isJson }: Session, batch: string): void {
  if (isJson) terminal.json({ schema: 1, batch, order: 'limits' });
  else terminal.data(`nothing of '${batch}' is left to run: its new limits hold for what is ordered of it next`);
}

/** What was approved after a sample bounds what the batch may cost, whatever a later command says. */
export async function approvedLimits(
  home: Home,
  batch: string,
  generation: string,
  limits: BatchLimits,
): Promise<BatchLimits> {
  const approved = (await readSampleGate(home, batch))?.approved;
  if (approved?.generation !== generation || approved.maxCreditsNano === null) return limits;
  const { maxCreditsNano } = limits;
  return { ...limits, maxCreditsNano: Math.min(maxCreditsNano ?? Number.MAX_SAFE_INTEGER, approved.maxCreditsNano) };
}

/** The limits that are given, and the old ones for the others. */
export function givenLimits(given: BatchLimits, before: BatchLimits): BatchLimits {
  return {
    maxCreditsNano: given.maxCreditsNano ?? before.maxCreditsNano,
    maxFailures: given.maxFailures ?? before.maxFailures,
  };
}
