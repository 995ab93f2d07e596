import { rangeText } from '../../books/check/story.js';
import type { StopReason } from '../../domain/batch.js';
import { formatDuration } from '../../domain/duration.js';
import { REASONS } from '../../domain/failure.js';
import { type CreditsNano, formatCredits } from '../../domain/money.js';
import { STATUSES, type StartAgain } from '../../domain/outcome.js';
import type { FailureGroup } from '../../report/tallies.js';
import { nameWords, orderWords } from '../open-session.js';
import { type CaseSum, type ListedCase, reasonSentence, stakeText, sumText } from '../review/case-list.js';
import { plain, type Terminal } from '../terminal.js';
import { amount, type Counts, type GroupTotals, groupLines, spentWords, totalOf } from './counts.js';

/** What stands on the screen when a batch ended; the most important line last. */
export interface SummaryFacts {
  batch: string;
  counts: Counts;
  creditsNano: number;
  creditsUnknown: number;
  stopped?: StopReason;
  /** Of one that stopped: rows that are run by what goes on with it, those that were ordered again among them. */
  left?: number;
  groups: readonly FailureGroup[];
  /** By the rows' `group`. */
  totals?: GroupTotals;
  /** Rows that need a person. */
  cases: readonly ListedCase[];
  sum: CaseSum;
  /** Rows that a person gave up as lost. */
  settled?: number;
  /** Of the rows that were not started, how many want something else than the same command again; absent = none. */
  notStarted?: Partial<Record<StartAgain, number>>;
  /** A row that a person gave up as lost, and that feeds some of those. */
  givenUp?: string;
  /** Rows that keep their earlier file, since another render that was ordered brought nothing. */
  keepEarlier?: number;
  /** For some of those since a file that feeds them was changed. */
  inputsChanged?: boolean;
  /** The command that ended only watched: given again it starts nothing. */
  isWatched?: boolean;
  /** Only a sample ran: the rest waits for a person. */
  isSampled?: boolean;
  /** What was approved of the rest is used up, or nothing was: `approve` goes on, not `resume`. */
  awaitsApproval?: boolean;
  /** A command to type next, with the flags that told this one where to look (`commandHint`). */
  hint: (words: string) => string;
  /** The batch's folder. */
  folder: string;
  tookMs: number | undefined;
  /** What identical rows saved, in words. */
  saving?: string | undefined;
  /** By how much the account's balance fell while the batch ran; undefined when it was not read. */
  fellNano?: number | undefined;
  /** What nobody known here spent, or, below 0, what was not spent; undefined when the books balance. */
  unattributed?: { lo: CreditsNano; hi: CreditsNano } | undefined;
  /** The credits check sends no row again by itself until a person has looked. */
  isDistrusted?: boolean;
}

const GROUPS_SHOWN = 10;
const CASES_SHOWN = 10;

export function summaryLines(facts: SummaryFacts, colors: Terminal['colors']): string[] {
  const { batch, counts, groups } = facts;
  const took = facts.tookMs === undefined ? '' : ` in ${formatDuration(facts.tookMs)}`;
  const hidden = groups.length - GROUPS_SHOWN;
  return [
    `${colors.bold(batch)}: ${amount(totalOf(counts), 'row')}${took}`,
    ...(hidden > 0 ? [`  ${hidden} more kinds of errors stand in results.csv`] : []),
    ...groups.slice(-GROUPS_SHOWN).map((group) => `  ${failureLine(group)}`),
    ...facts.cases.slice(0, CASES_SHOWN).map((one) => `  ${caseLine(one)}`),
    `  ${coloredCounts(counts, colors)}`,
    ...groupLines(facts.totals ?? new Map()).map((line) => `  ${line}`),
    `  cost     ${spentWords(facts.creditsNano, facts.creditsUnknown)}`,
    ...balanceLines(facts),
    ...(facts.saving === undefined ? [] : [`  saved    ${facts.saving}`]),
    ...(facts.unattributed === undefined
      ? []
      : [colors.yellow(unattributedLine(facts.unattributed, facts.isDistrusted === true))]),
    `  results  ${facts.folder}/results.csv`,
    ...advice(facts, colors),
  ];
}

/** Where prices are not known, the balance is what tells the cost. */
function balanceLines({ creditsUnknown, fellNano = 0 }: SummaryFacts): string[] {
  if (creditsUnknown === 0 || fellNano <= 0) return [];
  return [`  balance  ${formatCredits(fellNano)} credits less than when the batch began, as far as it shows yet`];
}

function unattributedLine({ lo, hi }: { lo: CreditsNano; hi: CreditsNano }, isDistrusted: boolean): string {
  const until = isDistrusted ? '; `if-proved` sends no row again until `callsheet review trust`' : '';
  if (hi < 0) {
    return `  surplus  ${rangeText({ lo: -hi, hi: -lo })} credits less left the balance than the prices of the requests here say: a price is set too high, a failure was refunded, or somebody put credits in${until}`;
  }
  return `  missing  ${rangeText({ lo, hi })} credits left the balance that no request here explains: someone else spends, a price is set too low, or a request was carried out twice${until}`;
}

function coloredCounts(counts: Counts, colors: Terminal['colors']): string {
  const paint = { done: colors.green, failed: colors.red, lost_paid: colors.red, review: colors.yellow } as const;
  const parts = STATUSES.flatMap((status) => {
    if (counts[status] === 0) return [];
    const text = `${status} ${counts[status]}`;
    return [status in paint ? paint[status as keyof typeof paint](text) : text];
  });
  return parts.join('   ') || 'no rows';
}

/** `review a1, 0.4 credits at stake: balance fell by …`. */
function caseLine(one: ListedCase): string {
  const stake = one.stakeNano === null ? 'unknown credits' : `${stakeText(one.stakeNano)} credits`;
  return `${one.status} ${one.id}, ${stake} at stake: ${plain(one.reason ?? reasonSentence(one), 200)}`;
}

/** Rows that somebody has to look at: those that were given up are settled. */
function forPersonOf({ counts, settled = 0 }: SummaryFacts): number {
  return counts.review + counts.lost_paid - settled;
}

function advice(facts: SummaryFacts, colors: Terminal['colors']): string[] {
  const { batch, counts, sum, stopped, hint } = facts;
  const forPerson = forPersonOf(facts);
  const toRetry = counts.failed + counts.cancelled;
  const lines: string[] = [];
  if (facts.isSampled) lines.push(sampledLine(facts));
  else if (stopped !== undefined) lines.push(colors.yellow(`${STOPPED_WORDS[stopped]}: ${leftText(facts, stopped)}`));
  else if (counts.not_started > 0) lines.push(...notStartedLines(facts));
  if (facts.keepEarlier) lines.push(keepEarlierLine(facts, facts.keepEarlier));
  if (toRetry > 0) lines.push(`${amount(toRetry, 'row')} can be run again: \`${hint(orderWords('retry', batch))}\``);
  if (forPerson > 0) {
    const stake = sum.rows > 0 ? `, ${sumText(sum)} at stake` : '';
    lines.push(
      colors.yellow(
        `${amount(forPerson, 'row needs', 'rows need')} a person${stake}: \`${hint(orderWords('review list', batch))}\``,
      ),
    );
  }
  return lines;
}

function keepEarlierLine({ batch, inputsChanged, hint }: SummaryFacts, rows: number): string {
  const order = inputsChanged ? hint(orderWords('retry', batch, '--accept-inputs')) : 'callsheet explain rerun_failed';
  const say = inputsChanged ? 'takes the file that feeds it as it lies, and renders it' : 'says what to do';
  const keep = `${amount(rows, 'row keeps its', 'rows keep their')} earlier file`;
  return `${keep}, since another render that was ordered brought nothing (rerun_failed): \`${order}\` ${say}`;
}

/** What the same command again would leave as it is comes with the order that starts it. */
function notStartedLines(facts: SummaryFacts): string[] {
  const { batch, counts, notStarted = {}, hint } = facts;
  const again = hint(orderWords('retry', batch));
  const { retry = 0, follow = 0, review = 0, 'accept inputs': changed = 0 } = notStarted;
  const were = (rows: number): string => `${amount(rows, 'row was', 'rows were')} not started`;
  const since = (rows: number): string => `${were(rows)}, since what feeds ${rows === 1 ? 'it' : 'them'}`;
  const lines: string[] = [];
  const rest = counts.not_started - retry - follow - review - changed;
  if (rest > 0) lines.push(`${were(rest)}: ${facts.isWatched ? `\`${again}\`` : 'the same command again'} goes on`);
  if (retry > 0) lines.push(`${since(retry)} brought no output: \`${again}\` runs both`);
  if (follow > 0) lines.push(`${since(follow)} came later: \`${again}\` runs ${follow === 1 ? 'it' : 'them'}`);
  if (changed > 0) {
    const order = `\`${hint(orderWords('retry', batch, '--accept-inputs'))}\` takes it as it lies`;
    lines.push(`${since(changed)} is another file now or gone: bring it back, or ${order}`);
  }
  if (review > 0 && forPersonOf(facts) === 0) {
    const order = hint(`review resubmit ${nameWords(batch, facts.givenUp ?? '<id>')}`);
    lines.push(`${since(review)} was given up: \`${order}\` pays for that again`);
  } else if (review > 0) {
    lines.push(`${since(review)} needs a person: settle that first with \`${hint(orderWords('review list', batch))}\``);
  }
  return lines;
}

function sampledLine({ batch, counts, hint }: SummaryFacts): string {
  const rows = amount(counts.not_started, 'row waits', 'rows wait');
  return `sampled: ${rows} for your approval; report.html shows the sample, \`${hint(orderWords('approve', batch))}\` goes on`;
}

export const STOPPED_WORDS: Record<StopReason, string> = {
  budget_reached: 'stopped by the budget',
  too_many_failures: 'stopped because more rows failed than --max-failures allows',
};

function leftText({ batch, counts, left, awaitsApproval = false, hint }: SummaryFacts, stopped: StopReason): string {
  const order = hint(orderWords(awaitsApproval ? 'approve' : 'resume', batch, flagFor(stopped)));
  return `${amount(left ?? counts.not_started, 'row was', 'rows were')} not started; \`${order}\` goes on`;
}

/** What the command that goes on must say besides. */
export function flagFor(stopped: StopReason): string {
  return stopped === 'budget_reached' ? '--max-credits <more>' : '';
}

/** A group of equal row errors as one line of a terminal. */
export function failureLine({ status, reasonCode, reason, count, ids }: FailureGroup): string {
  const facts =
    reasonCode !== undefined && reasonCode in REASONS ? REASONS[reasonCode as keyof typeof REASONS] : undefined;
  const what = facts === undefined ? '' : ` ${facts.meaning}`;
  const said = reason === undefined ? '' : ` "${plain(reason, 160)}"`;
  const more = count > ids.length ? ', …' : '';
  return `${count} × ${status}${reasonCode === undefined ? '' : ` ${reasonCode}`}:${what}${said} (${ids.join(', ')}${more})`;
}
