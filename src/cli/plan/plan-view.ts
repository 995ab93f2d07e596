import { formatDuration } from '../../domain/duration.js';
import { type CreditsNano, formatCredits } from '../../domain/money.js';
import { type Hint, orderWords } from '../../domain/order-words.js';
import { safeText } from '../../domain/secret.js';
import type { ManifestSummary } from '../../manifest/manifest-options.js';
import type { Chains } from '../../manifest/references/chains.js';
import type { CreditAccount } from '../../service/account.js';
import { type EarlierPlan, earlierLines } from '../reuse/earlier-lines.js';
import { amount } from '../views/counts.js';
import { discountLine, type FileSetting, type PlanDiscount, priceSnippet } from './plan-prices.js';
import { type CostTally, expectedNano, type PlanCosts } from './plan-tally.js';
import type { WallClock } from './wall-clock.js';

/** A plan in words and as JSON: rows, costs, time, and which cap binds. Pure. */
export interface Plan {
  batch: string;
  /** As the user wrote it. */
  manifest: string;
  account: string;
  /** With every discount taken off that holds now. */
  costs: PlanCosts;
  discounts: readonly PlanDiscount[];
  /** Balance and caps; undefined when they were not read. */
  credits: CreditAccount | undefined;
  /** The caps in force: the plan's, lowered by the user's own. */
  caps: { concurrent: number; rpm: number } | undefined;
  time: WallClock | undefined;
  costNotes: ManifestSummary['costNotes'];
  changedRows: number;
  /** Rows that stay as they are although what feeds them was changed. */
  keptRows: number;
  /** The rows that feed rows, and what those of them cost that are to be submitted. */
  chains: Omit<Chains, 'paths'> & { cost: CostTally };
  /** What was rendered before; undefined where nothing was looked for. */
  earlier?: EarlierPlan | undefined;
  /** Rows that a cancel ended: only a retry submits them. */
  cancelledRows: number;
  /** What a settings file of the working folder says of money, with its place. */
  fileSettings: readonly FileSetting[];
  /** The files in the way of the rows that are skipped, the first ones, relative to the batch's folder. */
  skippedFiles: readonly string[];
}

const GROUPS_SHOWN = 12;
const FILES_SHOWN = 5;

export function planLines(plan: Plan, hint: Hint): string[] {
  const { total, byKind, byGroup } = plan.costs;
  const groups = [...byGroup].slice(0, GROUPS_SHOWN);
  const hidden = byGroup.size - groups.length;
  return [
    `plan of '${plan.batch}' (${safeText(plan.manifest, 200)}), account ${plan.account}`,
    `rows      ${total.rows}: ${rowsText(total)}`,
    ...[...byKind].map(([kind, cost]) => `            ${kind}: ${cost.rows}${costSuffix(cost)}`),
    ...groups.map(([group, cost]) => {
      // A label comes from the manifest and may hold anything, escape sequences too.
      return `  group     ${safeText(group, 60)}: ${cost.rows}, ${rowsText(cost)}${costSuffix(cost)}`;
    }),
    ...(hidden > 0 ? [`  group     ${hidden} more groups`] : []),
    ...(plan.chains.count > 0 ? [`chains    ${chainsText(plan.chains)}`] : []),
    `cost      ${costText(total)}`,
    ...(total.unknown > 0 ? [`prices    ${pricesText(byKind)}`] : []),
    ...plan.discounts.map(discountLine),
    ...(total.shared > 0 ? [`saved     ${savedText(total)}`] : []),
    ...earlierLines(plan.earlier, total).map((line) => `before    ${line}`),
    ...plan.fileSettings.map(({ setting, value, where }) => `setting   ${setting} ${value}, by ${where}`),
    ...balanceLines(plan),
    capsLine(plan),
    timeLine(plan),
    ...plan.costNotes.map(({ kind, note, rows }) => `note      ${kind}, ${amount(rows, 'row')}: ${note}`),
    ...(plan.cancelledRows > 0 ? [`cancelled ${cancelledText(plan, hint)}`] : []),
    ...(total.skipped > 0 ? [`skipped   ${skippedText(total.skipped, plan.skippedFiles)}`] : []),
    ...changedLines(plan),
  ];
}

/** `12.4 credits expected (10.2 to 14.8)`, with what is not known said. */
export function costText(cost: CostTally): string {
  if (cost.toSubmit === 0) return 'nothing new to pay';
  const known = cost.toSubmit - cost.unknown;
  const unknown = `${amount(cost.unknown, 'row has', 'rows have')} no known price (set \`prices\` in callsheet.config.json)`;
  if (known === 0) return `unknown: ${unknown}`;
  const bounds =
    cost.lowNano === cost.worstNano
      ? `${formatCredits(cost.worstNano)} credits`
      : `${formatCredits(expectedNano(cost))} credits expected (low ${formatCredits(cost.lowNano)}, worst ${formatCredits(cost.worstNano)})`;
  return cost.unknown === 0 ? bounds : `${bounds} for ${amount(known, 'row')}; ${unknown}`;
}

/** One line to paste into the settings, with the figures to fill in. */
function pricesText(byKind: PlanCosts['byKind']): string {
  const kinds = [...byKind].flatMap(([kind, { unknown }]) => (unknown > 0 ? [kind] : []));
  return `fill in and paste into callsheet.config.json: ${JSON.stringify(priceSnippet(kinds))}`;
}

/** What identical rows save, where it is known. */
export function savedText({ shared, savedNano }: Pick<CostTally, 'shared' | 'savedNano'>): string {
  const rows = shared === 1 ? '1 row is identical to another and is' : `${shared} rows are identical to others and are`;
  const amount = savedNano === 0 ? '' : `: about ${formatCredits(savedNano)} credits less`;
  return `${rows} copied instead of rendered${amount}`;
}

function chainsText({ count, rows, fed, longest, cost }: Plan['chains']): string {
  const whose = count === 1 ? `1 chain of ${rows} rows` : `${count} chains of ${rows} rows`;
  const order = `${fed} ${fed === 1 ? 'waits' : 'wait'} for others, at most ${longest} run one after the other`;
  return `${whose}; ${order}; ${costText(cost)}`;
}

function cancelledText({ batch, cancelledRows }: Plan, hint: Hint): string {
  const are = amount(cancelledRows, 'row was cancelled and is', 'rows were cancelled and are');
  return `${are} not run again; \`${hint(orderWords('retry', batch))}\` runs them`;
}

function skippedText(rows: number, files: readonly string[]): string {
  const whose = rows === 1 ? '1 row skipped: its file exists' : `${rows} rows skipped: their files exist`;
  const names = files.slice(0, FILES_SHOWN).map((file) => safeText(file, 200));
  const more = rows > names.length ? ', …' : '';
  return names.length === 0 ? whose : `${whose} (${names.join(', ')}${more})`;
}

function changedLines({ changedRows, keptRows }: Plan): string[] {
  const changed = `changed   ${amount(changedRows, 'row differs', 'rows differ')} from what was submitted`;
  const kept = `kept      ${amount(keptRows, 'row stays', 'rows stay')} although what feeds them changed (stale_input)`;
  return [...(changedRows > 0 ? [changed] : []), ...(keptRows > 0 ? [kept] : [])];
}

function rowsText({ toSubmit, shared, reused, joined, finished, skipped, unfed }: CostTally): string {
  const words = { 'to run': toSubmit, shared, reused, 'under way': joined, finished, skipped, 'not started': unfed };
  const parts = Object.entries(words).flatMap(([word, rows]) => (rows > 0 ? [`${rows} ${word}`] : []));
  return parts.join(', ') || 'none';
}

function costSuffix(cost: CostTally): string {
  if (cost.toSubmit === 0) return '';
  if (cost.unknown === cost.toSubmit) return ', price unknown';
  const unknown = cost.unknown === 0 ? '' : `, price of ${cost.unknown} unknown`;
  return `, at most ${formatCredits(cost.worstNano)} credits${unknown}`;
}

function balanceLines({ credits, costs }: Plan): string[] {
  if (credits === undefined) return ['balance   not read (no API key, base URL or network)'];
  const left: CreditsNano = credits.creditsRemainingNano - costs.total.worstNano;
  const short = left < 0 ? `; ${formatCredits(-left)} less than the worst case` : '';
  return [`balance   ${formatCredits(credits.creditsRemainingNano)} credits${short}`];
}

function capsLine({ caps, credits }: Plan): string {
  if (caps === undefined) return 'caps      not known without the account';
  return `caps      ${caps.concurrent} jobs at once, ${caps.rpm} requests per minute (plan ${credits?.planLevel ?? 'unknown'})`;
}

function timeLine({ time }: Plan): string {
  if (time === undefined) return 'time      not known without the caps';
  const { atLeastMs, lowMs, highMs } = time;
  const isShort = atLeastMs < 1_000;
  const [low, high] = [formatDuration(lowMs), formatDuration(highMs)];
  const range = low === high || time.unseen.length > 0 ? '' : ` (${low} to ${high})`;
  const took = `${formatDuration(atLeastMs)}${range}, bound by ${time.bound}`;
  if (time.unseen.length === 0) return `time      ${isShort ? 'less than 1 s' : `about ${took}`}`;
  const unseen = `how long ${time.unseen.join(', ')} takes is not known yet`;
  return `time      ${isShort ? '' : `at least ${took} as far as known; `}${unseen}`;
}
