import { clockText } from '../../books/check/story.js';
import type { CountedAttempts } from '../../books/groups.js';
import type { AttemptState } from '../../domain/attempt.js';
import { type CreditsNano, formatCredits } from '../../domain/money.js';
import type { RowRecord } from '../../domain/outcome.js';
import type { KnownBatch } from '../batch/known-batch.js';
import { commandHint, orderWords } from '../open-session.js';
import { amount } from '../views/counts.js';
import type { RowChoice } from './case-row.js';
import { type Dependents, dependentsJson } from './dependents.js';
import type { ReviewCommand, ReviewOrder } from './orders.js';

/** What became of one row of an order; `ended` where it was waited for and came to its end. */
export type OrderedRow =
  | RefusedRow
  | { outcome: 'ordered'; id: string; recorded: AttemptState; ended: RowRecord | undefined };

export interface RefusedRow {
  outcome: 'refused';
  id: string;
  why: string;
  exitCode: number;
}

/** Whether the order took effect for some of the rows that it chose itself: it then leaves the others out. */
export function leavesOut({ ids }: RowChoice, rows: readonly OrderedRow[]): boolean {
  return ids.length === 0 && rows.some(({ outcome }) => outcome === 'ordered');
}

interface OrderEnd {
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

export function reportOrder({ command }: ReviewOrder, choice: RowChoice, { rows, held, dependents }: OrderEnd): void {
  const { session, batch } = dependents.known;
  const { terminal, isJson } = session;
  const ordered = rows.filter((row) => row.outcome === 'ordered');
  for (const row of rows) {
    if (row.outcome === 'refused') {
      if (leavesOut(choice, rows)) terminal.warn(`left out: ${row.why}`);
      else terminal.error(row.why);
    } else if (!isJson)
      terminal.data(held === undefined ? rowLine(row, command) : `row '${row.id}': the order is recorded`);
  }
  if (isJson) {
    const each = rows.map(rowJson);
    // One row that was named: what became of it stands in the document itself, too.
    const [only] = choice.ids.length === 1 ? each : [];
    const after = { dependents: dependentsJson(dependents), held: held ?? null };
    terminal.json({ schema: 1, batch, ...only, command, rows: each, ...after });
    return;
  }
  if (rows.length === 0) terminal.note(`no row of '${batch}' needs a person: nothing was changed`);
  if (rows.length > 1) terminal.note(`${amount(ordered.length, 'row')} of ${rows.length} settled`);
  if (held !== undefined) terminal.warn(held);
  else if (ordered.some(({ ended }) => ended === undefined)) {
    terminal.note(`\`${commandHint(session, orderWords('watch', batch))}\` follows what goes on`);
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

/** What a group of one price comes to, as far as the balance tells. */
export interface PricedGroup extends CountedAttempts {
  /** What each member would cost. */
  priceNano: CreditsNano;
}

/** Says of each group what was recorded, or why it cannot be settled yet; `held`: what does not go on by itself. */
export function reportGroups(
  { session, batch }: KnownBatch,
  groups: readonly PricedGroup[],
  held: readonly string[],
  dependents: readonly Dependents[],
): void {
  const { terminal, isJson } = session;
  if (isJson) {
    const after = dependents.map((one) => ({ batch: one.known.batch, ...dependentsJson(one) }));
    const facts = { groups: groups.map(groupJson), dependents: after, held };
    terminal.json({ schema: 1, batch, command: 'settle-group', ...facts });
    return;
  }
  if (groups.length === 0) {
    terminal.note(
      `no rows of '${batch}' can be counted together: that takes lost answers of an exact price, without a handle`,
    );
    return;
  }
  for (const one of groups) {
    if (one.group === undefined) {
      terminal.error(unsettledText(one));
      continue;
    }
    terminal.data(`group ${one.group.id}: ${one.group.sentence}`);
    for (const { batch: of, id, name } of one.members) terminal.data(`  ${of} ${id}: ${verdictOf(one, name)}`);
  }
  const settled = groups.filter(({ group }) => group !== undefined);
  const members = settled.reduce((sum, one) => sum + one.members.length, 0);
  const billed = settled.reduce((sum, one) => sum + billedOf(one), 0);
  if (members > 0) {
    terminal.data(`${amount(members, 'lost answer')} settled: ${billed} billed, ${members - billed} sent again`);
  }
  for (const why of held) terminal.warn(why);
  if (held.length === 0 && settled.length > 0) {
    terminal.note(`\`${commandHint(session, orderWords('watch', batch))}\` follows what goes on`);
  }
}

function unsettledText({ members, priceNano }: PricedGroup): string {
  const due = Math.max(...members.map(({ t0Ms, dueAfterMs }) => t0Ms + dueAfterMs));
  const when = due > Date.now() ? `; a charge of them can still come until ${clockText(due)}` : '';
  const rows = amount(members.length, 'lost answer');
  return `${rows} at ${formatCredits(priceNano)} credits: the balance does not say how many of them were billed${when}; nothing was changed`;
}

function verdictOf({ group }: PricedGroup, name: string): string {
  if (group === undefined) return 'not settled';
  return group.billed.includes(name) ? 'billed, it ends as lost_paid' : 'not billed, it is sent again';
}

function groupJson(one: PricedGroup): object {
  const { group, members, priceNano } = one;
  return {
    id: group?.id ?? null,
    settled: group !== undefined,
    price: formatCredits(priceNano),
    billed: group?.billed.length ?? null,
    sentence: group?.sentence ?? unsettledText(one),
    rows: members.map(({ batch, id, name }) => ({
      batch,
      id,
      verdict: group === undefined ? null : group.billed.includes(name) ? 'billed' : 'not_billed',
    })),
  };
}

/** How many of its members were billed. */
export function billedOf({ group, members }: PricedGroup): number {
  return members.filter(({ name }) => group?.billed.includes(name)).length;
}
