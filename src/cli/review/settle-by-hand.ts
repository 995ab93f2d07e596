import { setTimeout as sleep } from 'node:timers/promises';
import { rowOf } from '../../books/attempt-price.js';
import type { Attempt, AttemptRef, AttemptState } from '../../domain/attempt.js';
import type { RowRecord } from '../../domain/outcome.js';
import { intentOf } from '../../domain/standing.js';
import { LedgerError } from '../../home/ledger.js';
import { noteWaste } from '../../home/waste-book.js';
import { StoreError } from '../../store/port.js';
import type { HomeAccess } from '../access/home-access.js';
import { type KnownBatch, knownBatch, refuseStrangeHome } from '../batch/known-batch.js';
import { openStoredAgain } from '../batch/stored-again.js';
import { commandHint, nameWords } from '../open-session.js';
import type { Session } from '../session.js';
import { EXIT, UserError } from '../user-error.js';
import { amount } from '../views/counts.js';
import { approveOrder } from './approve-order.js';
import { chosenIds, countLeftSharing, type FoundCase, findCase, type RowChoice } from './case-row.js';
import { continueRows } from './continue-rows.js';
import { dependentsOfOrder, recordFollowing } from './dependents.js';
import { confirmHandle, type ReviewOrder, refusalOf, salvagedHandle, stateOf } from './orders.js';
import { refuseSharedHandle, withOwnHandle } from './own-handle.js';
import { putBackLines } from './put-back.js';
import { leavesOut, type OrderedRow, type RefusedRow, reportOrder } from './report-order.js';

/** How long settled rows are waited for; what renders goes on without anyone waiting. */
const WAIT_MS = 30_000;
const LOOK_EVERY_MS = 200;

/**
 * Records who decided what and why in the ledger, then has the rows go on from there. What cannot be done with one row
 * is said of that row and holds up no other; gives the worst exit code of the rows that the order was given for.
 */
export async function settleByHand(
  session: Session,
  batch: string,
  choice: RowChoice,
  order: ReviewOrder,
): Promise<number> {
  await session.apiKey();
  const known = await knownBatch(session, batch);
  const { access } = known;
  await refuseStrangeHome(known, order.trustsHome);
  const rows: OrderedRow[] = [];
  const found: Ready[] = [];
  for (const id of await chosenIds(known, choice)) {
    await perRow(rows, id, async () => {
      found.push(await lookUp(known, id, order));
    });
  }
  const ready: Ready[] = [];
  for (const one of found) {
    await perRow(rows, one.found.row.id, async () => {
      if (one.handle !== undefined) await confirm(known, one, found);
      ready.push(one);
    });
  }
  const cases = ready.map((one) => one.found);
  const brings = order.command === 'mark-lost' ? [] : cases.map(({ row, ref }) => ({ row, part: ref.part }));
  const dependents = await dependentsOfOrder(known, brings, order.follow);
  const records = order.command === 'resubmit' ? cases.map((one) => one.record) : [];
  for (const line of await putBackLines(known, records)) session.terminal.note(line);
  const paid = ready.length > 0 ? await approveOrder(cases, order, dependents) : new Map<string, number>();
  await recordFollowing(dependents);
  const recorded: (Ready & { state: AttemptState })[] = [];
  for (const one of ready) {
    await perRow(rows, one.found.row.id, async () => {
      await refuseGoneOn(access, one.found);
      const priceNano = paid.get(one.found.row.id);
      if (priceNano !== undefined) await noteWaste(access.home, refOf(one.found), priceNano, Date.now());
      const state = stateOf(order, one.handle, Date.now());
      await withOwnHandle(access.home, refOf(one.found), state, () => record(access, one.found, state));
      recorded.push({ ...one, state });
    });
  }
  const refs = recorded.map((one) => one.found.ref);
  const held = refs.length > 0 ? await continueRows(known, refs) : undefined;
  const deadlineMs = Date.now() + WAIT_MS;
  const isAwaited = order.command === 'mark-lost' && held === undefined;
  for (const { found: one, state } of recorded) {
    const ended = isAwaited ? await waitForRecord(access, one, deadlineMs) : undefined;
    rows.push({ outcome: 'ordered', id: one.row.id, recorded: state, ended });
  }
  reportOrder(order, choice, { rows, held, dependents });
  await tellSharing(known, order.command === 'mark-lost' ? [] : recorded);
  return Math.max(
    EXIT.done,
    ...rows.map((row) => (row.outcome === 'refused' ? exitCodeOf(row, rows, choice) : EXIT.done)),
  );
}

/** `--all` and `--class` mean what can be settled so: a row that cannot is left out of an order that took effect. */
function exitCodeOf({ exitCode }: RefusedRow, rows: readonly OrderedRow[], choice: RowChoice): number {
  return exitCode === EXIT.usage && leavesOut(choice, rows) ? EXIT.done : exitCode;
}

async function tellSharing(known: KnownBatch, settled: readonly Ready[]): Promise<void> {
  let left = 0;
  for (const { found } of settled) left += await countLeftSharing(known, { row: found.row, part: found.ref.part });
  if (left === 0) return;
  const rows = amount(left, 'row that shares the output failed', 'rows that share the output failed');
  const retry = commandHint(known.session, `retry ${nameWords(known.batch)}`);
  known.session.terminal.note(`${rows} for the lost one: once it is there, \`${retry}\` copies it for free`);
}

/** A row that the order can be carried out with. */
interface Ready {
  found: FoundCase;
  /** For `attach-handle` alone. */
  handle: string | undefined;
}

/** Keeps what a person can mend of one row as that row's refusal: it takes nothing back of what was done for others. */
async function perRow(rows: OrderedRow[], id: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof UserError) rows.push({ outcome: 'refused', id, why: error.message, exitCode: error.exitCode });
    else if (error instanceof StoreError) {
      const why = `row '${id}': ${error.message}; give the order for it again`;
      rows.push({ outcome: 'refused', id, why, exitCode: EXIT.configuration });
    } else throw error;
  }
}

async function lookUp(known: KnownBatch, id: string, order: ReviewOrder): Promise<Ready> {
  const found = await findCase(known, id);
  const isAlready = order.command === 'mark-lost' && order.isBilled && found.record?.reasonCode === 'marked_lost';
  const refusal = isAlready ? 'it is marked lost already' : refusalOf(order.command, found);
  if (refusal !== undefined) throw new UserError(`row '${id}': ${refusal}; nothing was changed`);
  if (order.command === 'resubmit' && found.record && (await openStoredAgain(known, known.out).look(found.record))) {
    const retry = commandHint(known.session, `retry ${nameWords(known.batch)} --class output`);
    throw new UserError(
      `row '${id}': what was stored of it is there again, \`${retry}\` takes it; nothing was changed`,
    );
  }
  if (order.command !== 'attach-handle') return { found, handle: undefined };
  const handle = order.handles.get(id) ?? salvagedHandle(found);
  if (handle === undefined) {
    throw new UserError(`row '${id}': no handle of it is known; give it behind the id; nothing was changed`);
  }
  return { found, handle };
}

/** No other row has the handle, nor gets it by the same order, and the service knows it. */
async function confirm(known: KnownBatch, { found, handle = '' }: Ready, others: readonly Ready[]): Promise<void> {
  const { row, last } = found;
  const twin = others.find((other) => other.handle === handle && other.found.row.id !== row.id);
  if (twin !== undefined) {
    const other = twin.found.row.id;
    throw new UserError(`row '${row.id}': row '${other}' is given the same handle; nothing was changed`);
  }
  await refuseSharedHandle(known, row.id, handle);
  // The row may ask for another kind by now.
  const intent = last && intentOf(last);
  const sent = intent === undefined ? row : await rowOf(known.access, refOf(found), intent);
  await confirmHandle(known.session, sent, handle);
}

function refOf({ batch, row, last }: FoundCase): AttemptRef {
  return { batch, id: row.id, n: last?.n ?? 1 };
}

/** An order holds for what its person saw: the row may have ended, or been sent again, while it was asked for. */
async function refuseGoneOn({ ledger }: HomeAccess, { batch, row, attempts }: FoundCase): Promise<void> {
  const now = await ledger.read(batch, row.id);
  if (knownOf(now) !== knownOf(attempts)) throw goneOn(row.id);
}

/** Knowledge of a row's attempts only grows: as many records are the same ones. */
function knownOf(attempts: readonly Attempt[]): string {
  return attempts.map(({ n, states }) => `${n}:${states.length}`).join(' ');
}

function goneOn(id: string, why = ''): UserError {
  return new UserError(`row '${id}' went on meanwhile${why}: look at it again; nothing was changed`);
}

async function record({ ledger }: HomeAccess, found: FoundCase, state: AttemptState): Promise<void> {
  const ref = refOf(found);
  try {
    const isRecorded = await ledger.append(ref, state, found.last);
    const now = isRecorded ? found.last : await ledger.readAttempt(ref);
    if (now?.states.length !== found.last?.states.length) throw goneOn(ref.id);
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    throw goneOn(ref.id, ` (${error.message})`);
  }
}

async function waitForRecord(
  access: HomeAccess,
  { batch, row, record: before }: FoundCase,
  deadlineMs: number,
): Promise<RowRecord | undefined> {
  for (; Date.now() < deadlineMs; await sleep(LOOK_EVERY_MS)) {
    const now = await access.records.readRecord(batch, row.id);
    if (now !== undefined && now.finishedAtMs !== before?.finishedAtMs) return now;
  }
  return undefined;
}
