import type { Kind } from '../../domain/kind.js';
import { formatCredits } from '../../domain/money.js';
import { adapterFor } from '../../kinds/index.js';
import type { Chains } from '../../manifest/references/chains.js';
import type { CreditAccount } from '../../service/account.js';
import type { BatchPlace } from '../access/home-access.js';
import { readOwnDiscounts } from '../access/read-account.js';
import { earlierJson, earlierPlan } from '../reuse/earlier-lines.js';
import type { Session } from '../session.js';
import { warnAbovePlan } from '../terminal.js';
import { amount } from '../views/counts.js';
import { contradictionLines, fileSettings, multiplierOf, planDiscounts } from './plan-prices.js';
import { type CostTally, expectedNano, planCosts } from './plan-tally.js';
import type { Plan } from './plan-view.js';
import type { CountedRows } from './row-counter.js';
import { renderHistory, type WallClock, wallClock } from './wall-clock.js';

/** What a plan is about. */
export interface PlanSubject {
  /** The manifest as the user wrote it. */
  manifest: string;
  rows: CountedRows;
  costNotes: Plan['costNotes'];
  chains: Chains;
}

/** Puts together what a prepared batch will cost and how long it will take. */
export async function makePlan(
  { session, access, batch }: BatchPlace,
  subject: PlanSubject,
  credits: CreditAccount | undefined,
): Promise<Plan> {
  const { config } = session;
  const { tally } = subject.rows;
  // Where nothing is submitted that a discount could hold for, the request is saved.
  const isDiscountable = [...tally.cells.values()].some(
    ({ kind, toSubmit }) => toSubmit > 0 && adapterFor(kind).entrypoint !== null,
  );
  const discounts = credits !== undefined && isDiscountable ? await readOwnDiscounts(session) : [];
  const atMs = Date.now();
  const multiplier = (kind: Kind): number => multiplierOf(kind, discounts, atMs);
  const costs = planCosts(tally, multiplier);
  warnOfPolling(session, costs.byKind);
  for (const line of contradictionLines(subject.rows.contradicted)) session.terminal.warn(line);
  const caps = credits === undefined ? undefined : capsInForce(session, credits);
  const left = new Map(
    [...costs.byKind].map(([kind, one]) => [
      kind,
      one.rows - one.finished - one.skipped - one.unfed - one.shared - one.reused,
    ]),
  );
  const time =
    caps === undefined
      ? undefined
      : wallClock({
          rows: left,
          ...caps,
          paths: subject.chains.paths,
          seen: await renderHistory(access),
          isSync: (kind) => adapterFor(kind).flow === 'sync',
          timeScale: config.timeScale,
        });
  const { paths: _, ...chains } = subject.chains;
  return {
    chains: { ...chains, cost: planCosts(subject.rows.inChains, multiplier).total },
    batch,
    manifest: subject.manifest,
    account: config.account.name,
    costs,
    discounts: planDiscounts(tally, discounts, atMs),
    credits,
    caps,
    time,
    costNotes: subject.costNotes,
    changedRows: subject.rows.changed.filter(({ passes }) => !passes).length,
    keptRows: subject.rows.kept.length,
    earlier: await earlierPlan(access, subject.rows.earlier),
    fileSettings: fileSettings(session),
    cancelledRows: tally.ended.cancelled,
    skippedFiles: subject.rows.skipped.map(({ file }) => file),
  };
}

/** The plan's caps, lowered by the user's own; says when a wish is above the plan. */
function capsInForce({ config, terminal }: Session, credits: CreditAccount): { concurrent: number; rpm: number } {
  const { concurrency, rpm } = config.limits;
  const { concurrentLimit, rpmLimit } = credits;
  warnAbovePlan(terminal, 'concurrency', concurrency, concurrentLimit);
  warnAbovePlan(terminal, 'rpm', rpm, rpmLimit);
  return {
    concurrent: Math.min(concurrency ?? concurrentLimit, concurrentLimit),
    rpm: Math.min(rpm ?? rpmLimit, rpmLimit),
  };
}

/** Callbacks were asked for, and some rows can have none (`B34`). */
function warnOfPolling({ config, terminal }: Session, byKind: ReadonlyMap<Kind, CostTally>): void {
  const { url, listen } = config.callbacks;
  if (url === null) return;
  if (listen === null && config.temporal.address === null) {
    terminal.warn('callbacks.url is set without callbacks.listen (--listen): the engine of this machine receives none');
  }
  const others = [...byKind].filter(([kind]) => {
    const adapter = adapterFor(kind);
    return adapter.flow === 'sync' || adapter.takesCallback !== true;
  });
  if (others.length === 0) return;
  const rows = others.reduce((sum, [, cost]) => sum + cost.rows, 0);
  terminal.warn(
    `B34 callbacks work only on vendor-a text2video and image2video; polling the others (${amount(rows, 'row')})`,
  );
}

export function planJson(plan: Plan): object {
  const { total, byKind, byGroup } = plan.costs;
  const { credits, caps, time } = plan;
  return {
    schema: 1,
    batch: plan.batch,
    manifest: plan.manifest,
    account: plan.account,
    ...tallyJson(total),
    byKind: Object.fromEntries([...byKind].map(([kind, cost]) => [kind, tallyJson(cost)])),
    byGroup: Object.fromEntries([...byGroup].map(([name, cost]) => [name, tallyJson(cost)])),
    discounts: plan.discounts.map(({ entrypoint, multiplierPpb, untilMs }) => ({
      entrypoint,
      multiplier: formatCredits(multiplierPpb),
      until: untilMs === null ? null : new Date(untilMs).toISOString(),
    })),
    balance: credits === undefined ? null : formatCredits(credits.creditsRemainingNano),
    plan: credits?.planLevel ?? null,
    caps: caps ?? null,
    time: time === undefined ? null : timeJson(time),
    costNotes: plan.costNotes,
    changedRows: plan.changedRows,
    keptRows: plan.keptRows,
    chains: { ...plan.chains, cost: costJson(plan.chains.cost) },
    earlier: earlierJson(plan.earlier, total),
    fileSettings: plan.fileSettings,
    cancelledRows: plan.cancelledRows,
    skippedFiles: plan.skippedFiles,
  };
}

function timeJson({ atLeastMs, lowMs, highMs, bound, unseen }: WallClock): object {
  const highSeconds = unseen.length > 0 ? null : Math.ceil(highMs / 1000);
  return {
    ...{ atLeastSeconds: Math.ceil(atLeastMs / 1000), lowSeconds: Math.floor(lowMs / 1000), highSeconds },
    ...{ bound, unknownKinds: unseen },
  };
}

function tallyJson({ rows: total, joined, ...cost }: CostTally): object {
  const { toSubmit, shared, reused, finished, skipped, unfed: notStarted, savedNano } = cost;
  return {
    rows: { total, toSubmit, shared, reused, underWay: joined, finished, skipped, notStarted },
    cost: { ...costJson(cost), saved: formatCredits(savedNano) },
  };
}

/** What nobody knows is null, never 0: with one price unknown there is no upper end, with all of them no lower one. */
function costJson(cost: Pick<CostTally, 'toSubmit' | 'unknown' | 'lowNano' | 'worstNano'>): object {
  const { toSubmit, unknown, lowNano, worstNano } = cost;
  const isBounded = unknown === 0;
  const isAnyKnown = isBounded || unknown < toSubmit;
  return {
    low: isAnyKnown ? formatCredits(lowNano) : null,
    expected: isBounded ? formatCredits(expectedNano(cost)) : null,
    worst: isBounded ? formatCredits(worstNano) : null,
    unknownRows: unknown,
  };
}
