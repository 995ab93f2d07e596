import { REASONS } from '../../domain/failure.js';
import { type CreditsNano, formatCredits } from '../../domain/money.js';
import { handleOf, intentOf } from '../../domain/standing.js';
import { outputUrls } from '../../home/attempts.js';
import type { BalanceCheckpoint } from '../../home/home.js';
import { liveWordOf } from '../../home/row-standing.js';
import { type HomeAccess, knownPrices, listPrice } from '../access/home-access.js';
import { knownBatch } from '../batch/known-batch.js';
import { commandHint, nameWords } from '../open-session.js';
import type { Session } from '../session.js';
import { plain } from '../terminal.js';
import { isCase, stakeText, standingText } from './case-list.js';
import { type CaseRow, findCase, stakeOf } from './case-row.js';
import {
  answerLines,
  attemptJson,
  type CaseStory,
  caseStory,
  evidenceJson,
  evidenceLines,
  stateLine,
  verdictLine,
} from './case-story.js';
import { effectOf, REVIEW_COMMANDS, type ReviewCommand, refusalOf, salvagedHandle } from './orders.js';
import { putBackLines } from './put-back.js';

/** Balance readings this long before the claim and after the last word belong to the evidence. */
const AROUND_MS = 600_000;
const READINGS_MAX = 40;
/** A signed URL is of use only whole. */
const URL_SHOWN = 8_000;

/** All that is shown of one row. */
interface Shown {
  found: CaseRow;
  readings: BalanceCheckpoint[];
  story: CaseStory | undefined;
  /** How its stored files come back for nothing. */
  putBack: string[];
  /** What submitting it again costs at most; null = no price is known. */
  costNano: CreditsNano | null;
}

/** Shows one row with the whole evidence, and what each command would do. */
export async function showCase(session: Session, batch: string, id: string): Promise<void> {
  const shown = await readCase(session, batch, id);
  if (session.isJson) return session.terminal.json(json(session, shown));
  for (const line of lines(session, shown)) session.terminal.data(line);
}

/** The same as one document; throws a UserError for a row that was never tried. */
export async function caseOf(session: Session, batch: string, id: string): Promise<object> {
  return json(session, await readCase(session, batch, id));
}

async function readCase(session: Session, batch: string, id: string): Promise<Shown> {
  const known = await knownBatch(session, batch);
  const found = await findCase(known, id);
  const readings = await readingsAround(known.access, found);
  const costNano = listPrice(found.row, await knownPrices(known))?.hi ?? null;
  const [story, putBack] = await Promise.all([caseStory(known.access, found), putBackLines(known, [found.record])]);
  return { found, readings, costNano, story, putBack };
}

async function readingsAround({ home }: HomeAccess, { last }: CaseRow): Promise<BalanceCheckpoint[]> {
  const claimedAtMs = last?.states[0]?.atMs;
  if (last === undefined || claimedAtMs === undefined) return [];
  const untilMs = (last.states.at(-1)?.atMs ?? claimedAtMs) + AROUND_MS;
  const readings = await home.checkpointsSince(claimedAtMs - AROUND_MS);
  const before = readings.filter(({ atMs }) => atMs <= claimedAtMs).slice(-5);
  const after = readings.filter(({ atMs }) => atMs > claimedAtMs && atMs <= untilMs);
  return [...before, ...after.slice(0, READINGS_MAX)];
}

function lines(session: Session, { found, readings, costNano, story, putBack }: Shown): string[] {
  const { batch, row, record, attempts, last } = found;
  const { dataColors: colors } = session.terminal;
  const claimedAtMs = last && intentOf(last)?.atMs;
  const verdict = verdictLine(last, story, Date.now());
  const isEvidence = verdict !== undefined;
  return [
    `${colors.bold(row.id)} of batch '${batch}': ${row.kind}, ${statusOf(found)}`,
    `reason    ${plain(record?.reason ?? '', 400) || standingText(found)}`,
    ...(record?.reasonCode ? [`          ${record.reasonCode}: ${REASONS[record.reasonCode].meaning}`] : []),
    ...moneyLines(found),
    `handle    ${plain(handleText(found), 400)}`,
    ...(last ? outputUrls(last) : []).map((url) => `output    ${plain(url, URL_SHOWN)}`),
    ...attempts.flatMap(({ n, states, torn }) => [
      `attempt ${n}${torn ? ' (a record of it cannot be read)' : ''}`,
      ...states.flatMap((state) => [`  ${stateLine(state)}`, ...answerLines(state)]),
    ]),
    ...(!isEvidence ? [] : ['evidence, by all that is known now', ...evidenceLines(story), verdict]),
    ...(isEvidence && readings.length > 0 ? ['balance'] : []),
    ...(isEvidence ? readings : []).map(({ atMs, balanceNano }) => {
      const mark = claimedAtMs !== undefined && atMs <= claimedAtMs ? '  before the submit' : '';
      return `  ${new Date(atMs).toISOString()}  ${formatCredits(balanceNano)}${mark}`;
    }),
    'what you can do',
    ...putBack.map((line) => `  ${line}`),
    ...REVIEW_COMMANDS.flatMap((command) => commandLines(session, found, command, costNano)),
    ...groupLines(session, found),
  ];
}

/** The live word of a row that has not ended. */
function statusOf({ record, attempts }: CaseRow): string {
  return record?.status ?? liveWordOf(attempts);
}

/** Of a healthy row nothing is at stake: what it cost is said, where it is known. */
function moneyLines(found: CaseRow): string[] {
  const credits = found.record?.creditsNano;
  if (!isCase(found)) return credits === undefined ? [] : [`cost      ${formatCredits(credits)} credits`];
  const stakeNano = stakeOf(found);
  return [`at stake  ${stakeText(stakeNano)}${stakeNano === null ? '' : ' credits'}`];
}

function handleText({ last }: CaseRow): string {
  const known = last && handleOf(last);
  const salvaged = salvagedHandle({ last });
  return known ?? (salvaged === undefined ? 'none' : `${salvaged} (from an answer that was not whole)`);
}

function commandLines(session: Session, found: CaseRow, command: ReviewCommand, cost: number | null): string[] {
  const refusal = refusalOf(command, found);
  if (refusal !== undefined) return [`  ${command}: not now, ${refusal}`];
  const price =
    command !== 'resubmit' ? '' : ` (${cost === null ? 'price unknown' : `${formatCredits(cost)} credits`})`;
  return [`  ${commandHint(session, wordsOf(found, command))}`, `      ${effectOf(command)}${price}`];
}

/** Where the balance may tell how many of several were billed, though not which. */
function groupLines(session: Session, found: CaseRow): string[] {
  const isCounted = found.standing === 'undecided' || found.standing === 'open_case';
  if (!session.config.account.exclusive || !isCounted) return [];
  return [
    `  ${commandHint(session, `review settle-group ${nameWords(found.batch)}`)}`,
    '      settles the lost answers of one price together, by how many of them the balance shows',
  ];
}

function wordsOf({ batch, row }: CaseRow, command: ReviewCommand): string {
  const words = `review ${command} ${nameWords(batch, row.id)}`;
  return command === 'attach-handle' ? `${words} HANDLE` : words;
}

function json(session: Session, { found, readings, costNano, story }: Shown): object {
  const { batch, row, record, attempts, last } = found;
  const stakeNano = isCase(found) ? stakeOf(found) : 0;
  return {
    schema: 1,
    batch,
    id: row.id,
    kind: row.kind,
    status: statusOf(found),
    reason_code: record?.reasonCode ?? null,
    reason: record?.reason ?? null,
    standing: standingText(found),
    at_stake: stakeNano === null ? null : formatCredits(stakeNano),
    handle: (last && handleOf(last)) ?? salvagedHandle(found) ?? null,
    output_urls: last ? outputUrls(last) : [],
    attempts: attempts.map(attemptJson),
    evidence: evidenceJson(story),
    balance: readings.map(({ atMs, balanceNano }) => ({
      at: new Date(atMs).toISOString(),
      credits: formatCredits(balanceNano),
    })),
    resubmit_cost: costNano === null ? null : formatCredits(costNano),
    commands: REVIEW_COMMANDS.map((command) => ({
      command: commandHint(session, wordsOf(found, command)),
      effect: effectOf(command),
      refused: refusalOf(command, found) ?? null,
    })),
  };
}
