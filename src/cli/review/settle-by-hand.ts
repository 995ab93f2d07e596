import { setTimeout as sleep } from 'node:timers/promises';
import type { AttemptRef, AttemptState, Decision } from '../../domain/attempt.js';
import { type CreditsNano, formatCredits } from '../../domain/money.js';
import type { RowRecord } from '../../domain/outcome.js';
import { LIST_PRICE_PPB } from '../../reconcile/price-book.js';
import { rowPrice, withFollowUp } from '../../reconcile/row-price.js';
import { LedgerError } from '../../store/ledger.js';
import { noteWaste } from '../../store/waste-book.js';
import { type HomeAccess, openHomeAccess } from '../access/home-access.js';
import { knownPrices } from '../access/known-prices.js';
import { knownBatch } from '../batch/known-batch.js';
import { commandHint } from '../hints.js';
import { spentBefore } from '../plan/approve-plan.js';
import type { Session } from '../session.js';
import { UserError } from '../user-error.js';
import { type CaseRow, findCase } from './case-row.js';
import { type ReviewCommand, refusalOf } from './commands.js';
import { confirmHandle, refuseSharedHandle } from './confirm-handle.js';
import { continueRow } from './continue-row.js';
import { userName } from './user-name.js';

/** A person's order about one row. */
export type ReviewOrder = { why?: string } & (
  | { command: 'attach-handle'; handle: string }
  | { command: 'mark-lost'; isBilled: boolean }
  | { command: 'resubmit'; isSaidYes: boolean }
);

/** How long a settled row is waited for; what renders goes on without anyone waiting. */
const WAIT_MS = 30_000;
const LOOK_EVERY_MS = 200;
const WHY_MAX = 500;

/** Records who decided what and why in the ledger, then has the row go on from there. */
export async function settleByHand(session: Session, batch: string, id: string, order: ReviewOrder): Promise<void> {
  const { terminal } = session;
  await session.apiKey();
  const access = openHomeAccess(session.config);
  const known = await knownBatch(session, access, batch);
  const found = await findCase(access, known, id);
  const refusal = refusalOf(order.command, found);
  if (refusal !== undefined) throw new UserError(`row '${id}': ${refusal}; nothing was changed`);
  if (order.command === 'attach-handle') {
    await refuseSharedHandle(access, known, id, order.handle);
    await confirmHandle(session, found.row, order.handle);
  }
  const ref: AttemptRef = { batch, id, n: found.attempts.at(-1)?.n ?? 1 };
  if (order.command === 'resubmit') {
    const upToNano = await approve(session, access, found, order.isSaidYes);
    await noteWaste(access.home, ref, upToNano ?? 0, Date.now());
  }
  const state = stateOf(order, Date.now());
  await record(access, ref, state);
  await continueRow(session, found.ref, known.generation);
  const ended = order.command === 'mark-lost' ? await waitForRecord(access, found) : undefined;
  const watch = commandHint(session, `watch ${batch}`);
  if (session.isJson) {
    const { status = null, reasonCode = null } = ended ?? {};
    terminal.json({ schema: 1, batch, id, command: order.command, recorded: state, status, reason_code: reasonCode });
  } else if (ended) terminal.data(`row '${id}' is ${ended.status} (${ended.reasonCode ?? 'no reason'})`);
  else terminal.data(`row '${id}' goes on: ${DONE_TEXT[order.command]}; \`${watch}\` follows it`);
}

const DONE_TEXT: Readonly<Record<ReviewCommand, string>> = {
  'attach-handle': 'the service knows the handle, and its output is fetched',
  'mark-lost': 'it ends as soon as the worker has taken the order',
  resubmit: 'it is submitted again once a slot is free',
};

function stateOf(order: ReviewOrder, atMs: number): AttemptState {
  const why = order.why?.trim().slice(0, WHY_MAX);
  const by: Decision = { who: userName(), ...(why ? { why } : {}) };
  switch (order.command) {
    case 'attach-handle':
      return { state: 'attached', atMs, handle: order.handle, by };
    case 'mark-lost':
      return { state: 'ruled', atMs, ruling: order.isBilled ? 'billed' : 'not_billed', by };
    case 'resubmit':
      return { state: 'overridden', atMs, cause: 'person', by };
  }
}

async function record({ ledger }: HomeAccess, ref: AttemptRef, state: AttemptState): Promise<void> {
  try {
    await ledger.append(ref, state);
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    throw new UserError(`row '${ref.id}' went on meanwhile (${error.message}): look at it again; nothing was changed`);
  }
  // What was not billed holds no slot.
  if (state.state === 'ruled' && state.ruling === 'not_billed') await ledger.close(ref);
}

/** Says what it costs before anything is paid again; asks where a person can answer. The price, null = unknown. */
async function approve(
  session: Session,
  access: HomeAccess,
  { batch, row }: CaseRow,
  isSaidYes: boolean,
): Promise<CreditsNano | null> {
  const { config, terminal, cli } = session;
  const price = withFollowUp(row, rowPrice(row, await knownPrices(session, access), LIST_PRICE_PPB));
  const cost = price?.hi == null ? 'an amount that no price is known for' : `up to ${formatCredits(price.hi)} credits`;
  const { maxCredits } = config.budget;
  const upToNano = price?.hi ?? null;
  const spent = await spentBefore(session, access, batch);
  const beforeNano = spent.endedNano + spent.openNano;
  if (maxCredits !== null && (upToNano === null || spent.unbounded > 0 || beforeNano + upToNano > maxCredits)) {
    const earlier = beforeNano === 0 ? '' : ` beside ${formatCredits(beforeNano)} of its batch before`;
    const limit = formatCredits(maxCredits);
    throw new UserError(`B52 row '${row.id}' costs ${cost}${earlier}, and --max-credits is ${limit}`);
  }
  terminal.note(`row '${row.id}' is submitted again for ${cost}; the first request may have been billed as well`);
  if (isSaidYes) return upToNano;
  if (!cli.io.isInteractive) throw new UserError(`row '${row.id}' would be paid again (${cost}): say --yes`);
  const { confirm } = await import('@clack/prompts');
  const message = `Pay again for row '${row.id}' (${cost})?`;
  const answer = await confirm({ message, initialValue: false, input: cli.io.stdin, output: cli.io.stderr });
  if (answer !== true) throw new UserError('not confirmed: nothing was submitted');
  return upToNano;
}

async function waitForRecord(
  access: HomeAccess,
  { batch, row, record: before }: CaseRow,
): Promise<RowRecord | undefined> {
  for (const deadline = Date.now() + WAIT_MS; Date.now() < deadline; await sleep(LOOK_EVERY_MS)) {
    const now = await access.records.readRecord(batch, row.id);
    if (now !== undefined && now.finishedAtMs !== before?.finishedAtMs) return now;
  }
  return undefined;
}
