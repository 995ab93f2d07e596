import { handleOf, intentOf } from '../../domain/attempt.js';
import { REASONS } from '../../domain/failure.js';
import { formatCredits } from '../../domain/money.js';
import { LIST_PRICE_PPB } from '../../reconcile/price-book.js';
import { rowPrice, withFollowUp } from '../../reconcile/row-price.js';
import type { BalanceCheckpoint } from '../../store/home.js';
import { type HomeAccess, openHomeAccess } from '../access/home-access.js';
import { knownPrices } from '../access/known-prices.js';
import { knownBatch } from '../batch/known-batch.js';
import { commandHint } from '../hints.js';
import type { Session } from '../session.js';
import { plain } from '../terminal.js';
import { listedCase, reasonSentence, stakeText } from './case-list.js';
import { type CaseRow, findCase } from './case-row.js';
import { effectOf, REVIEW_COMMANDS, type ReviewCommand, refusalOf } from './commands.js';
import { attemptJson, stateLine } from './state-lines.js';

/** Balance readings this long before the claim and after the last word belong to the evidence. */
const AROUND_MS = 600_000;
const READINGS_MAX = 40;

/** Shows one row with the whole evidence, and what each command would do. */
export async function showCase(session: Session, batch: string, id: string): Promise<void> {
  const access = openHomeAccess(session.config);
  const found = await findCase(access, await knownBatch(session, access, batch), id);
  const readings = await readingsAround(access, found);
  const prices = await knownPrices(session, access);
  const cost = withFollowUp(found.row, rowPrice(found.row, prices, LIST_PRICE_PPB))?.hi ?? null;
  if (session.isJson) return session.terminal.json(json(session, found, readings, cost));
  for (const line of lines(session, found, readings, cost)) session.terminal.data(line);
}

async function readingsAround({ home }: HomeAccess, { attempts }: CaseRow): Promise<BalanceCheckpoint[]> {
  const last = attempts.at(-1);
  const claimedAtMs = last?.states[0]?.atMs;
  if (last === undefined || claimedAtMs === undefined) return [];
  const untilMs = (last.states.at(-1)?.atMs ?? claimedAtMs) + AROUND_MS;
  const readings = await home.checkpointsSince(claimedAtMs - AROUND_MS);
  const before = readings.filter(({ atMs }) => atMs <= claimedAtMs).slice(-5);
  const after = readings.filter(({ atMs }) => atMs > claimedAtMs && atMs <= untilMs);
  return [...before, ...after.slice(0, READINGS_MAX)];
}

function lines(session: Session, found: CaseRow, readings: BalanceCheckpoint[], cost: number | null): string[] {
  const { batch, row, record, attempts } = found;
  const { colors } = session.terminal;
  const one = listedCase(found);
  const status = record?.status ?? one.status;
  const last = attempts.at(-1);
  const handle = last && handleOf(last);
  const claimedAtMs = last && intentOf(last)?.atMs;
  return [
    `${colors.bold(row.id)} of batch '${batch}': ${row.kind}, ${status}`,
    `reason    ${plain(record?.reason ?? '', 400) || reasonSentence(one)}`,
    ...(record?.reasonCode ? [`          ${record.reasonCode}: ${REASONS[record.reasonCode].meaning}`] : []),
    `at stake  ${stakeText(one.stakeNano)}${one.stakeNano === null ? '' : ' credits'}`,
    `handle    ${handle === undefined ? 'none' : plain(handle, 400)}`,
    ...attempts.flatMap(({ n, states, torn }) => [
      `attempt ${n}${torn ? ' (a record of it cannot be read)' : ''}`,
      ...states.map((state) => `  ${stateLine(state)}`),
    ]),
    ...(readings.length > 0 ? ['balance'] : []),
    ...readings.map(({ atMs, balanceNano }) => {
      const mark = claimedAtMs !== undefined && atMs <= claimedAtMs ? '  before the submit' : '';
      return `  ${new Date(atMs).toISOString()}  ${formatCredits(balanceNano)}${mark}`;
    }),
    'what you can do',
    ...REVIEW_COMMANDS.flatMap((command) => commandLines(session, found, command, cost)),
  ];
}

function commandLines(session: Session, found: CaseRow, command: ReviewCommand, cost: number | null): string[] {
  const refusal = refusalOf(command, found);
  if (refusal !== undefined) return [`  ${command}: not now, ${refusal}`];
  const price =
    command !== 'resubmit' ? '' : ` (${cost === null ? 'price unknown' : `${formatCredits(cost)} credits`})`;
  return [`  ${commandHint(session, wordsOf(found, command))}`, `      ${effectOf(command)}${price}`];
}

function wordsOf({ batch, row }: CaseRow, command: ReviewCommand): string {
  const words = `review ${command} ${batch} ${row.id}`;
  return command === 'attach-handle' ? `${words} HANDLE` : words;
}

function json(session: Session, found: CaseRow, readings: BalanceCheckpoint[], cost: number | null): object {
  const { batch, row, record, attempts } = found;
  const one = listedCase(found);
  const last = attempts.at(-1);
  return {
    schema: 1,
    batch,
    id: row.id,
    kind: row.kind,
    status: record?.status ?? one.status,
    reason_code: record?.reasonCode ?? null,
    reason: record?.reason ?? null,
    at_stake: one.stakeNano === null ? null : formatCredits(one.stakeNano),
    handle: (last && handleOf(last)) ?? null,
    attempts: attempts.map(attemptJson),
    balance: readings.map(({ atMs, balanceNano }) => ({
      at: new Date(atMs).toISOString(),
      credits: formatCredits(balanceNano),
    })),
    resubmit_cost: cost === null ? null : formatCredits(cost),
    commands: REVIEW_COMMANDS.map((command) => ({
      command: commandHint(session, wordsOf(found, command)),
      effect: effectOf(command),
      refused: refusalOf(command, found) ?? null,
    })),
  };
}
