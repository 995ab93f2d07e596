import type { RowRecord } from '../../domain/outcome.js';
import { readBatchOrder } from '../../home/batch-order.js';
import { noteReruns } from '../../home/row-orders.js';
import { KINDS } from '../../kinds/facts.js';

import { type HomeAccess, openHomeAccess } from '../access/home-access.js';
import { commandHint } from '../open-session.js';
import { sumText } from '../review/case-list.js';
import { continueRows } from '../review/continue-rows.js';
import { refuseOverBudget, rowsCost } from '../review/dependents.js';
import { userName } from '../review/orders.js';
import type { Session } from '../session.js';
import { EXIT, UserError } from '../user-error.js';
import { amount } from '../views/counts.js';
import { type KnownBatch, knownBatch, refuseOtherHome } from './known-batch.js';
import { dependentsOf, findRow, type RerunRow, readyToRerun } from './rerun-rows.js';

export interface RerunOrder {
  /** What the row feeds is rendered again as well. */
  withDependents: boolean;
  isSaidYes: boolean;
  trustsHome: boolean;
}

/** Orders another render of a row that is done, by a person's word and within the budget; gives the exit code. */
export async function rerunRow(session: Session, batch: string, id: string, order: RerunOrder): Promise<number> {
  await session.apiKey();
  const access = openHomeAccess(session.config);
  const known = await knownBatch(session, access, batch);
  await refuseOtherHome(session, access, batch, order.trustsHome);
  const asked = await findRow(access, known, id);
  const found = order.withDependents ? [asked, ...(await dependentsOf(access, known, asked))] : [asked];
  const rows: RerunRow[] = [];
  for (const one of found) {
    const ready = await readyToRerun(access, known, one, one === asked);
    if (ready !== undefined) rows.push(ready);
  }
  await approve(session, access, known, rows, order.isSaidYes);
  await noteReruns(
    access.home,
    batch,
    rows.map(({ row }) => row.id),
  );
  // What feeds before what is fed: while a row waits for its new render, nothing that it feeds begins.
  for (const one of rows) await record(access, batch, one, Date.now());
  const ref = { batch, generation: known.generation.generation, part: asked.part, index: asked.row.index };
  const refs = [{ ...ref, id, kind: KINDS.indexOf(asked.row.kind) }];
  const held = await continueRows(session, { ...known, refs });
  tell(session, batch, rows, held);
  return EXIT.done;
}

/** One question for all rows, before anything is changed. */
async function approve(
  session: Session,
  access: HomeAccess,
  known: KnownBatch,
  rows: readonly RerunRow[],
  isSaidYes: boolean,
): Promise<void> {
  const { batch } = known;
  const [id, others] = [rows[0]?.row.id, rows.length - 1];
  const cost = await rowsCost(
    session,
    access,
    known,
    rows.map(({ row }) => row),
  );
  const names = others === 0 ? `row '${id}'` : `row '${id}' and ${amount(others, 'row')} that it feeds`;
  const costs = cost.unknown === cost.rows ? 'at a price that nobody knows' : `up to ${sumText(cost)}`;
  const limits = (await readBatchOrder(access.home, batch))?.limits;
  const what = `to render ${names} again costs ${costs}`;
  await refuseOverBudget(session, access, { batch, what, cost, unbilledNano: 0, limitNano: limits?.maxCreditsNano });
  if (isSaidYes) {
    session.terminal.note(`rendering ${names} again: ${costs}`);
    return;
  }
  if (!session.cli.io.isInteractive) {
    throw new UserError(`${names} would be rendered again (${costs}): say --yes; nothing was submitted`);
  }
  const { askPerson } = await import('../ask-person.js');
  const isGranted = await askPerson(session.cli.io, `Render ${names} again: ${costs}?`);
  if (!isGranted) throw new UserError('not confirmed: nothing was changed');
}

/** The ledger first: the record then says for certain that another attempt may be made. */
async function record(
  { ledger, records }: HomeAccess,
  batch: string,
  { row, record, paid }: RerunRow,
  atMs: number,
): Promise<void> {
  const by = { who: userName() };
  for (const n of paid)
    await ledger.append({ batch, id: row.id, n }, { state: 'overridden', atMs, cause: 'rerun', by });
  const marked: RowRecord = { ...record, rerunAtMs: atMs };
  await records.writeRecord(batch, marked);
}

function tell(session: Session, batch: string, rows: readonly RerunRow[], held: string | undefined): void {
  const { terminal, isJson } = session;
  const ids = rows.map(({ row }) => row.id);
  if (isJson) {
    const next = commandHint(session, `watch ${batch}`);
    terminal.json({
      schema: 1,
      batch,
      command: 'rerun',
      rows: ids,
      queued: held === undefined,
      held: held ?? null,
      next,
    });
    return;
  }
  if (held !== undefined) {
    terminal.warn(held);
    return;
  }
  terminal.data(`row '${ids[0]}' is queued: it is rendered again once a slot is free`);
  if (ids.length > 1) terminal.data(`${amount(ids.length - 1, 'row')} that it feeds will follow it`);
  terminal.note(
    `this command does not wait for it: \`${commandHint(session, `watch ${batch}`)}\` follows it to its end`,
  );
}
