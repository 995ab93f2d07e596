import { isRecordOf, type RowRecord } from '../../domain/outcome.js';
import { fedMedia } from '../../domain/row.js';
import { type Standing, standingOf } from '../../domain/standing.js';
import { sampleInForce } from '../../home/batch-marks.js';
import { noteReruns } from '../../home/row-orders.js';
import { rowAt } from '../../home/rows.js';
import { rowsOf } from '../access/home-access.js';
import { confirm } from '../ask-person.js';
import { commandHint, nameWords, orderWords } from '../open-session.js';
import { costText } from '../review/case-list.js';
import { dependentsOf, nearestIdHint, type PlacedRow, refTo } from '../review/case-row.js';
import { continueRows } from '../review/continue-rows.js';
import { refuseOverBudget, rowsCost } from '../review/dependents.js';
import { userName } from '../review/orders.js';
import type { Session } from '../session.js';
import { EXIT, UserError } from '../user-error.js';
import { amount } from '../views/counts.js';
import { formatDate } from '../views/durations.js';
import { createBatchSource, joinRunning, unlessOutage } from './batch-source.js';
import { givePrices } from './batch-terms.js';
import { type KnownBatch, knownBatch, refuseStrangeHome } from './known-batch.js';

export interface RerunOrder {
  /** What the row feeds is rendered again as well. */
  withDependents?: boolean;
  yes?: boolean;
  trustHome?: boolean;
}

/** Orders another render of a row that is done, by a person's word and within the budget; gives the exit code. */
export async function rerunRow(session: Session, batch: string, id: string, order: RerunOrder): Promise<number> {
  await session.apiKey();
  const known = await knownBatch(session, batch);
  await refuseStrangeHome(known, order.trustHome);
  const asked = await findRow(known, id);
  await refuseHeldBack(known, [id]);
  const found = order.withDependents ? [asked, ...(await dependentsOf(known, asked))] : [asked];
  const rows: RerunRow[] = [];
  for (const one of found) {
    const ready = await readyToRerun(known, one, one === asked);
    if (ready !== undefined) rows.push(ready);
  }
  const ids = rows.map(({ row }) => row.id);
  await refuseHeldBack(known, ids);
  if (ids.length > 1) await refuseDraining(known);
  await approve(known, rows, order.yes);
  await givePrices(known);
  await noteReruns(known.access.home, batch, ids);
  // What feeds before what is fed: while a row waits for its new render, nothing that it feeds begins.
  for (const one of rows) await recordRerun(known, one, { rows, atMs: Date.now() });
  const held = await continueRows(known, [refTo(known, asked)]);
  tell(known, ids, held);
  return EXIT.done;
}

/** One question for all rows, before anything is changed. */
async function approve(known: KnownBatch, rows: readonly RerunRow[], isSaidYes = false): Promise<void> {
  const { session } = known;
  const [id, others] = [rows[0]?.row.id, rows.length - 1];
  const cost = await rowsCost(
    known,
    rows.map(({ row }) => row),
  );
  const names = others === 0 ? `row '${id}'` : `row '${id}' and ${amount(others, 'row')} that it feeds`;
  const costs = costText(cost);
  await refuseOverBudget(known, { what: `${names} would be rendered again ${costs}`, cost, unbilledNano: 0 });
  if (isSaidYes) return session.terminal.note(`rendering ${names} again: ${costs}`);
  const alone = `${names} would be rendered again (${costs}): say --yes; nothing was submitted`;
  await confirm(session.cli.io, `Render ${names} again: ${costs}?`, alone);
}

/** The ledger first: the record then says for certain that another attempt may be made. `rows`: all of the order. */
export async function recordRerun(
  { access, batch }: KnownBatch,
  { row, record, paid }: RerunRow,
  { rows, atMs }: { rows: readonly Pick<RerunRow, 'row'>[]; atMs: number },
): Promise<void> {
  const { ledger, records } = access;
  const by = { who: userName() };
  for (const n of paid)
    await ledger.append({ batch, id: row.id, n }, { state: 'overridden', atMs, cause: 'rerun', by });
  const feeding = rows.filter((one) => fedMedia(row).some(({ at }) => at === one.row.index));
  const rerunWith = feeding.map((one) => one.row.id);
  await records.changeRecord(batch, row.id, (now = record) => ({ ...now, rerunAtMs: atMs, rerunWith }));
}

function tell({ session, batch }: KnownBatch, rows: readonly string[], held: string | undefined): void {
  const { terminal, isJson } = session;
  const queued = held === undefined;
  // While nothing works on the batch there is nothing to watch.
  const next = commandHint(session, orderWords(queued ? 'watch' : 'resume', batch));
  if (isJson) {
    terminal.json({ schema: 1, batch, command: 'rerun', rows, queued, held: held ?? null, next });
    return;
  }
  if (held !== undefined) {
    terminal.warn(held);
    return;
  }
  terminal.data(`row '${rows[0]}' is queued: it is rendered again once a slot is free`);
  if (rows.length > 1) terminal.data(`${amount(rows.length - 1, 'row')} that it feeds will follow it`);
  terminal.note(`this command does not wait for it: \`${next}\` follows it to its end`);
}

/** A row that can be rendered again. */
export interface RerunRow extends Pick<PlacedRow, 'row'> {
  record: RowRecord;
  /** Its attempts that brought an output, or were paid without one: the ledger lets no other follow them by itself. */
  paid: number[];
}

/** Until the rest of a sample is approved its rows are not rendered, so that a new render would wait for ever. */
async function refuseHeldBack(known: KnownBatch, ids: readonly string[]): Promise<void> {
  const { session, access, batch, generation } = known;
  const sample = await sampleInForce(access.home, batch, generation.generation);
  const id = sample && ids.find((one) => !sample.has(one));
  if (id === undefined) return;
  throw new UserError(
    `row '${id}' is not of the sample of '${batch}', whose rest waits for your approval: \`${commandHint(session, orderWords('approve', batch))}\` shows what it costs and runs it; nothing was submitted`,
  );
}

/** While a batch that was cancelled, or stopped by itself, fetches what is at the service, no row follows another. */
async function refuseDraining(known: KnownBatch): Promise<void> {
  const { session, batch } = known;
  const work = await joinRunning(known);
  if (work === undefined) return;
  const progress = await unlessOutage(createBatchSource(known, work).progress()).finally(() => work.close());
  if (progress?.phase !== 'cancelling') return;
  throw new UserError(
    `'${batch}' was cancelled, or stopped by itself, and what it has at the service is still fetched: \`${commandHint(session, orderWords('watch', batch))}\` follows that to its end, then what the row feeds can be ordered with it; nothing was submitted`,
  );
}

/** Throws a UserError with the nearest id where the manifest has no such row. */
async function findRow(known: KnownBatch, id: string): Promise<PlacedRow> {
  const { access, batch, generation } = known;
  for await (const { row, isDamaged, part } of rowsOf(access, batch, generation)) {
    if (row.id === id && !isDamaged) return { row, part };
  }
  const list = commandHint(known.session, orderWords('results', batch));
  const hint = (await nearestIdHint(known, id)) || `; \`${list}\` names the files that list its rows`;
  throw new UserError(`batch '${batch}' has no row '${id.slice(0, 120)}'${hint}`);
}

/** Undefined for a row that is only fed and was not rendered yet: it takes the new file anyway. */
export async function readyToRerun(
  { session, access: { ledger, records, rows }, batch, generation: { generation } }: KnownBatch,
  { row }: Pick<PlacedRow, 'row'>,
  isAsked: boolean,
): Promise<RerunRow | undefined> {
  const refuse = (why: string): never => {
    throw new UserError(`row '${row.id}' ${why}; nothing was changed`);
  };
  if (row.shares !== undefined) {
    if (!isAsked) return undefined;
    const original = (await rowAt(rows, batch, generation, row.shares))?.stored.row.id ?? '';
    const rerun = commandHint(session, `rerun ${nameWords(batch, original)}`);
    return refuse(
      `shares the render of row '${original}', and keeps the file that it has: \`${rerun}\` renders that one anew, for what either of them feeds`,
    );
  }
  const record = await records.readRecord(batch, row.id);
  const attempts = await ledger.read(batch, row.id);
  const open = attempts.map((attempt) => standingOf(attempt)).find((standing) => OPEN.includes(standing));
  if (open === 'undecided') {
    const show = commandHint(session, `review show ${nameWords(batch, row.id)}`);
    return refuse(`needs a person first, since an attempt of it is undecided: \`${show}\``);
  }
  const watch = commandHint(session, orderWords('watch', batch));
  // Before what is open: the attempt of an order that is being carried out is open as well.
  if (record?.rerunAtMs !== undefined) {
    const since = formatDate(new Date(record.rerunAtMs).toISOString());
    return refuse(`is being rendered again already, by the order of ${since}: \`${watch}\` follows it to its end`);
  }
  if (open !== undefined) return refuse(`is under way: wait for its end, \`${watch}\` follows it`);
  if (record === undefined || record.status !== 'done') {
    if (!isAsked) return undefined;
    return refuse(`is not done: \`callsheet run\`, \`retry\` and \`review\` go on with it`);
  }
  if (!isRecordOf(record, row.hash)) {
    return refuse(
      `was changed in the manifest since: \`callsheet run … --changed rerun=${row.id}\` pays for its new values`,
    );
  }
  const paid = attempts.filter((attempt) => PAID.includes(standingOf(attempt)));
  return { row, record, paid: paid.map(({ n }) => n) };
}

const OPEN: readonly Standing[] = ['claimed', 'created', 'open_case', 'undecided'];
const PAID: readonly Standing[] = ['done', 'rendered', 'billed', 'given_up'];
