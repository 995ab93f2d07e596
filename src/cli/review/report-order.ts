import type { AttemptState } from '../../domain/attempt.js';
import type { RowRecord } from '../../domain/outcome.js';
import { commandHint } from '../hints.js';
import type { Session } from '../session.js';
import { amount } from '../views/counts.js';
import type { RowChoice } from './choose-rows.js';
import type { ReviewCommand } from './commands.js';
import { type Dependents, dependentsJson } from './dependents.js';
import type { ReviewOrder } from './orders.js';

/** What became of one row of an order; `ended` where it was waited for and came to its end. */
export type OrderedRow =
  | { outcome: 'refused'; id: string; why: string; exitCode: number }
  | { outcome: 'ordered'; id: string; recorded: AttemptState; ended: RowRecord | undefined };

export interface OrderEnd {
  rows: readonly OrderedRow[];
  /** What is to be said where the order is recorded and not carried out yet. */
  held: string | undefined;
  dependents: Dependents;
}

const DONE_TEXT: Readonly<Record<ReviewCommand, string>> = {
  'attach-handle': 'the service knows the handle, and its output is fetched',
  'mark-lost': 'it ends as soon as the worker has taken the order',
  resubmit: 'it is submitted again once a slot is free',
};

export function reportOrder(
  session: Session,
  batch: string,
  { command }: ReviewOrder,
  { ids }: RowChoice,
  { rows, held, dependents }: OrderEnd,
): void {
  const { terminal, isJson } = session;
  const ordered = rows.filter((row) => row.outcome === 'ordered');
  for (const row of rows) {
    if (row.outcome === 'refused') terminal.error(row.why);
    else if (!isJson)
      terminal.data(held === undefined ? rowLine(row, command) : `row '${row.id}': the order is recorded`);
  }
  if (isJson) {
    const each = rows.map(rowJson);
    // One row that was named: what became of it stands in the document itself, too.
    const [only] = ids.length === 1 ? each : [];
    terminal.json({
      schema: 1,
      batch,
      ...only,
      command,
      rows: each,
      dependents: dependentsJson(dependents),
      held: held ?? null,
    });
    return;
  }
  if (rows.length === 0) terminal.note(`no row of '${batch}' needs a person: nothing was changed`);
  if (rows.length > 1) terminal.note(`${amount(ordered.length, 'row')} of ${rows.length} settled`);
  if (held !== undefined) terminal.warn(held);
  else if (ordered.some(({ ended }) => ended === undefined)) {
    terminal.note(`\`${commandHint(session, `watch ${batch}`)}\` follows what goes on`);
  }
}

function rowLine({ id, ended }: Extract<OrderedRow, { outcome: 'ordered' }>, command: ReviewCommand): string {
  if (ended === undefined) return `row '${id}' goes on: ${DONE_TEXT[command]}`;
  return `row '${id}' is ${ended.status}${ended.reasonCode ? ` (${ended.reasonCode})` : ''}`;
}

function rowJson(row: OrderedRow): object {
  if (row.outcome === 'refused') {
    return { id: row.id, recorded: null, status: null, reason_code: null, refused: row.why };
  }
  const { status = null, reasonCode = null } = row.ended ?? {};
  return { id: row.id, recorded: row.recorded, status, reason_code: reasonCode, refused: null };
}
