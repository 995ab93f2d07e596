import { readBatchOrder } from '../../home/batch-order.js';
import { noteReruns } from '../../home/row-orders.js';

import { confirm } from '../ask-person.js';
import { commandHint } from '../open-session.js';
import { costText } from '../review/case-list.js';
import { refTo } from '../review/case-row.js';
import { continueRows } from '../review/continue-rows.js';
import { refuseOverBudget, rowsCost } from '../review/dependents.js';
import { userName } from '../review/orders.js';
import type { Session } from '../session.js';
import { EXIT } from '../user-error.js';
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
  const known = await knownBatch(session, batch);
  await refuseOtherHome(known, order.trustsHome);
  const asked = await findRow(known, id);
  const found = order.withDependents ? [asked, ...(await dependentsOf(known, asked))] : [asked];
  const rows: RerunRow[] = [];
  for (const one of found) {
    const ready = await readyToRerun(known, one, one === asked);
    if (ready !== undefined) rows.push(ready);
  }
  const ids = rows.map(({ row }) => row.id);
  await approve(known, rows, order.isSaidYes);
  await noteReruns(known.access.home, batch, ids);
  // What feeds before what is fed: while a row waits for its new render, nothing that it feeds begins.
  for (const one of rows) await record(known, one, Date.now());
  const held = await continueRows(known, [refTo(known, asked)]);
  tell(known, ids, held);
  return EXIT.done;
}

/** One question for all rows, before anything is changed. */
async function approve(known: KnownBatch, rows: readonly RerunRow[], isSaidYes: boolean): Promise<void> {
  const { session, access, batch } = known;
  const [id, others] = [rows[0]?.row.id, rows.length - 1];
  const cost = await rowsCost(
    known,
    rows.map(({ row }) => row),
  );
  const names = others === 0 ? `row '${id}'` : `row '${id}' and ${amount(others, 'row')} that it feeds`;
  const costs = costText(cost);
  const limitNano = (await readBatchOrder(access.home, batch))?.limits.maxCreditsNano;
  await refuseOverBudget(known, { what: `to render ${names} again costs ${costs}`, cost, unbilledNano: 0, limitNano });
  if (isSaidYes) return session.terminal.note(`rendering ${names} again: ${costs}`);
  const alone = `${names} would be rendered again (${costs}): say --yes; nothing was submitted`;
  await confirm(session.cli.io, `Render ${names} again: ${costs}?`, alone);
}

/** The ledger first: the record then says for certain that another attempt may be made. */
async function record({ access, batch }: KnownBatch, { row, record, paid }: RerunRow, atMs: number): Promise<void> {
  const { ledger, records } = access;
  const by = { who: userName() };
  for (const n of paid)
    await ledger.append({ batch, id: row.id, n }, { state: 'overridden', atMs, cause: 'rerun', by });
  await records.writeRecord(batch, { ...record, rerunAtMs: atMs });
}

function tell({ session, batch }: KnownBatch, rows: readonly string[], held: string | undefined): void {
  const { terminal, isJson } = session;
  const next = commandHint(session, `watch ${batch}`);
  if (isJson) {
    const queued = held === undefined;
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
