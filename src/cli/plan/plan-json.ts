import { formatCredits } from '../../domain/money.js';
import { earlierJson } from '../reuse/earlier-lines.js';
import { costJson, rowsJson } from './plan-costs-json.js';
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
