import { parseCredits } from '../../domain/money.js';
import { quoteJson, quoteLines } from '../../report/quote-lines.js';
import type { BatchStateReport } from '../batch/batch-state.js';
import { commandHint, nameWords, orderWords } from '../open-session.js';
import type { Session } from '../session.js';
import { plain } from '../terminal.js';
import { amount, countsText, spentWords } from './counts.js';
import { ETA_NOT_YET, etaText, formatDate } from './durations.js';
import { flagFor, STOPPED_WORDS } from './summary.js';
import { formatTable } from './table.js';

/** `status` and `list` in words and as JSON. Pure but for the place of this command's settings. */

/** A path is of use only whole. */
const PATH_MAX = 4_000;

export function statusLines(session: Session, report: BatchStateReport): string[] {
  const { dataColors: colors } = session.terminal;
  const live = Object.entries(report.live).map(([word, count]) => `${word} ${count}`);
  const ended = report.lastEndedAt === null ? '' : `, last row ended ${formatDate(report.lastEndedAt)}`;
  return [
    `${colors.bold(report.batch)}: ${stateWords(report.state)}`,
    `rows      ${report.rows}: ${countsText(report.counts)}`,
    ...(live.length > 0 ? [`open      ${live.join(', ')}`] : []),
    ...(report.heldFor === undefined
      ? []
      : [
          `held      ${amount(report.live.held ?? 0, 'row waits', 'rows wait')} for others, the first for '${report.heldFor}'`,
        ]),
    ...etaLines(report),
    `cost      ${spentWords(parseCredits(report.credits ?? '0') ?? 0, report.creditsUnknown)}`,
    `began     ${formatDate(report.createdAt)}${ended}`,
    `manifest  ${plain(report.manifest ?? 'standard input, or not known', PATH_MAX)}`,
    `writes to ${plain(report.out, PATH_MAX)}`,
    ...(report.blocked === null ? [] : [colors.yellow(`blocked   ${report.blocked}`)]),
    ...(report.stopped === null ? [] : [colors.yellow(`ended     ${STOPPED_WORDS[report.stopped]}`)]),
    ...(report.needPerson === 0
      ? []
      : [colors.yellow(`review    ${amount(report.needPerson, 'row needs', 'rows need')} a person`)]),
    ...(report.waitsForRetry
      ? [colors.yellow(`late      what feeds rows came after they had ended: ${retryHint(session, report)} runs them`)]
      : []),
    ...(report.left?.keepEarlier
      ? [
          colors.yellow(
            `earlier   ${amount(report.left.keepEarlier, 'row keeps its', 'rows keep their')} earlier file: another render brought nothing (rerun_failed)`,
          ),
        ]
      : []),
    ...(report.notices === undefined ? [] : noticesLines(report.notices)),
    ...(report.quote === undefined ? [] : quoteLines(report.quote).map(([name, text]) => `${name.padEnd(9)} ${text}`)),
    `next      ${commandHint(session, nextWords(report))}`,
  ];
}

function retryHint(session: Session, { batch }: BatchStateReport): string {
  return `\`${commandHint(session, orderWords('retry', batch))}\``;
}

/** Said while rows run; what stands still says why in other lines. */
function etaLines({ state, eta, blocked }: BatchStateReport): string[] {
  if (eta === null) return state === 'running' && blocked === null ? [`ETA       ${ETA_NOT_YET}`] : [];
  return eta.highSeconds === 0 ? [] : [`ETA       ${etaText(eta)}`];
}

export function listLines(session: Session, states: readonly BatchStateReport[]): string[] {
  const isEtaShown = states.some(({ eta }) => (eta?.highSeconds ?? 0) > 0);
  const isHeldShown = states.some(({ live }) => (live.held ?? 0) > 0);
  const rows = states.map((one) => [
    ...[
      one.batch,
      one.state === 'unknown' ? 'no answer' : one.state,
      String(one.rows),
      countsText(one.counts),
      ...(isHeldShown ? [heldText(one)] : []),
      ...(isEtaShown ? [one.eta === null ? '-' : etaText(one.eta)] : []),
      formatDate(one.createdAt),
    ],
    ...[plain(one.manifest ?? '-', PATH_MAX), plain(one.out, PATH_MAX), commandHint(session, nextWords(one))],
  ]);
  const head = [
    'batch',
    'state',
    'rows',
    'ended',
    ...(isHeldShown ? ['held'] : []),
    ...(isEtaShown ? ['ETA'] : []),
    'began',
    'manifest',
    'writes to',
    'next',
  ];
  const reasons = states.flatMap(({ batch, blocked }) => (blocked === null ? [] : [`${batch}: ${blocked}`]));
  return [formatTable(rows, { head }), ...reasons.map((line) => session.terminal.dataColors.yellow(line))];
}

function heldText({ live: { held = 0 }, heldFor }: BatchStateReport): string {
  return heldFor === undefined ? String(held) : `${held}, first for '${heldFor}'`;
}

export function statusJson(session: Session, { quote, ...report }: BatchStateReport): object {
  const next = commandHint(session, nextWords(report));
  const asked = quote === undefined ? null : quoteJson(quote);
  return { schema: 1, account: session.config.account.name, ...report, quote: asked, next };
}

/** Temporal did not say where the batch is: what follows is what the home has. */
function stateWords(state: BatchStateReport['state']): string {
  return state === 'unknown'
    ? 'Temporal or its worker does not answer, so whether it runs cannot be said: ask again in a moment'
    : state;
}
/** What a person would type next for a batch, without the flags that say where it lies. Pure. */
export function nextWords(report: BatchStateReport): string {
  const { batch, state, needPerson, stopped, sample } = report;
  const name = nameWords(batch);
  switch (state) {
    case 'sampled':
      return needPerson > 0 ? `review list ${name}` : `approve ${name}`;
    case 'paused':
    case 'not running':
      return `resume ${name}`;
    case 'running':
    case 'cancelling':
    case 'writing results':
    case 'unknown':
      return `watch ${name}`;
    case 'ended':
    case 'finished':
      break;
  }
  if (needPerson > 0) return `review list ${name}`;
  // More credits than were approved after a sample are approved again.
  if (stopped === 'budget_reached' && sample === 'approved') return `approve ${name}`;
  if (stopped !== null) return orderWords('resume', batch, flagFor(stopped));
  return orderForRest(report) ?? `results ${name}`;
}

/** A retry runs what feeds rows before those rows; `--accept-inputs` adds to it what waits for a file to be taken. */
function orderForRest({ batch, counts, waitsForRetry, left }: BatchStateReport): string | undefined {
  const { starts = {}, givenUp, inputsChanged } = left ?? {};
  if (starts['accept inputs'] || inputsChanged) return orderWords('retry', batch, '--accept-inputs');
  const isRetried = waitsForRetry || starts.retry || starts.follow || starts.run;
  if (isRetried || counts.failed + counts.cancelled > 0) return orderWords('retry', batch);
  return starts.review && givenUp !== undefined ? `review resubmit ${nameWords(batch, givenUp)}` : undefined;
}

function noticesLines({ waiting, dropped }: NonNullable<BatchStateReport['notices']>): string[] {
  return [
    ...waiting.map(({ type, at, targets }) => `notice    '${type}' of ${at} waits for ${targets.join(', ')}`),
    ...dropped.map(({ type, target, why }) => `notice    '${type}' to ${target} was dropped: ${why}`),
  ];
}
