import { formatCredits } from '../../domain/money.js';
import { earlierJson } from '../reuse/earlier-lines.js';
import { type CostTally, expectedNano } from './plan-tally.js';
import type { Plan } from './plan-view.js';

export function planJson(plan: Plan): object {
  const { total, byKind, byGroup } = plan.costs;
  const { credits, caps, time } = plan;
  return {
    schema: 1,
    batch: plan.batch,
    manifest: plan.manifest,
    account: plan.account,
    rows: rowsJson(total),
    cost: costJson(total),
    byKind: Object.fromEntries(
      [...byKind].map(([kind, cost]) => [kind, { rows: rowsJson(cost), cost: costJson(cost) }]),
    ),
    byGroup: Object.fromEntries(
      [...byGroup].map(([name, cost]) => [name, { rows: rowsJson(cost), cost: costJson(cost) }]),
    ),
    discounts: plan.discounts.map(({ entrypoint, multiplierPpb, untilMs }) => ({
      entrypoint,
      multiplier: formatCredits(multiplierPpb),
      until: untilMs === null ? null : new Date(untilMs).toISOString(),
    })),
    balance: credits === undefined ? null : formatCredits(credits.creditsRemainingNano),
    plan: credits?.planLevel ?? null,
    caps: caps ?? null,
    time:
      time === undefined
        ? null
        : { atLeastSeconds: Math.ceil(time.atLeastMs / 1000), bound: time.bound, unknownKinds: time.unseen },
    costNotes: plan.costNotes,
    changedRows: plan.changedRows,
    keptRows: plan.keptRows,
    chains: plan.chains,
    earlier: earlierJson(plan.earlier, total),
    fileSettings: plan.fileSettings,
    cancelledRows: plan.cancelledRows,
    skippedFiles: plan.skippedFiles,
  };
}

/** The rows and costs of a plan as JSON. Pure. */

export function rowsJson({ rows, toSubmit, shared, reused, joined, finished, skipped }: CostTally): object {
  return { total: rows, toSubmit, shared, reused, underWay: joined, finished, skipped };
}

/** What nobody knows is null, never 0: with one price unknown there is no upper end, with all of them no lower one. */
export function costJson(cost: CostTally): object {
  const isBounded = cost.unknown === 0;
  const isAnyKnown = isBounded || cost.unknown < cost.toSubmit;
  return {
    low: isAnyKnown ? formatCredits(cost.lowNano) : null,
    expected: isBounded ? formatCredits(expectedNano(cost)) : null,
    worst: isBounded ? formatCredits(cost.worstNano) : null,
    unknownRows: cost.unknown,
    saved: formatCredits(cost.savedNano),
  };
}
