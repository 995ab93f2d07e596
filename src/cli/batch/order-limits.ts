import type { BatchSlots } from '../../contract/semaphore-view.js';
import { DEFAULT_SLOT_TERMS, type SlotTerms } from '../../domain/batch.js';
import { defined } from '../../domain/defined.js';
import { type AccountLimits, changeAccountLimits } from '../../home/account-limits.js';
import { changeBatchOrder, readBatchOrder } from '../../home/batch-order.js';
import { type HomeAccess, openHomeAccess } from '../access/home-access.js';
import { joinWork } from '../access/work-access.js';
import type { Session } from '../session.js';
import { warnAbovePlan } from '../terminal.js';
import { UserError } from '../user-error.js';
import { formatTable } from '../views/table.js';
import { createBatchSource, unlessOutage } from './batch-source.js';
import { type KnownBatch, knownBatch, refuseDamagedOrder } from './known-batch.js';
import { accountLimits, batchLimits } from './limits-in-force.js';
import { tellLimits } from './submit-batch.js';

/** Shows and changes what the account and its batches may use of the plan. The home says it, the semaphore is told. */

/** What a command gives; what it does not give stays as it was ordered before, unless that is taken back. */
export interface OrderedLimits extends Partial<SlotTerms>, Partial<Omit<AccountLimits, 'ofBatch'>> {
  isReset: boolean;
}

export async function orderAccount(session: Session, { isReset, concurrency, rpm }: OrderedLimits): Promise<void> {
  const { home } = openHomeAccess(session.config);
  const plan = await home.latestCheckpoint();
  const limits = await changeAccountLimits(home, (now) => {
    const before: AccountLimits = isReset ? { concurrency: null, rpm: null } : now;
    // An order for the account stands before what a batch was run with; to take one back says nothing of that.
    const ofBatch = rpm === undefined ? now.ofBatch : undefined;
    return { concurrency: concurrency ?? before.concurrency, rpm: rpm ?? before.rpm, ...defined({ ofBatch }) };
  });
  warnAbovePlan(session.terminal, 'concurrency', limits?.concurrency ?? null, plan?.concurrent);
  warnAbovePlan(session.terminal, 'rpm', limits?.rpm ?? null, plan?.rpm);
  await tell(session);
  await showLimits(session, undefined);
}

export async function orderBatch(session: Session, batch: string, given: OrderedLimits): Promise<void> {
  const known = await knownBatch(session, batch);
  await refuseDamagedOrder(known);
  const { home } = known.access;
  const order = await readBatchOrder(home, batch);
  if (order === undefined) {
    throw new UserError(
      `'${batch}' was run by an older build: the \`callsheet run …\` that started it takes the flags`,
    );
  }
  const { isReset, rpm: _, ...terms } = given;
  const slotsOf = (before: SlotTerms | undefined) => ({ ...DEFAULT_SLOT_TERMS, ...(isReset ? {} : before), ...terms });
  const slots = slotsOf(order.slots);
  warnAbovePlan(session.terminal, 'concurrency', slots.concurrency, (await home.latestCheckpoint())?.concurrent);
  await changeBatchOrder(home, batch, (now = order) => ({ ...now, slots: slotsOf(now.slots) }));
  await tell(session);
  await showLimits(session, batch);
}

export async function showLimits(session: Session, batch: string | undefined): Promise<void> {
  if (batch !== undefined) return showBatch(await knownBatch(session, batch));
  const access = openHomeAccess(session.config);
  const { terminal, isJson, config } = session;
  const [limits, batches] = await Promise.all([accountLimits(session, access), batchesAtWork(session, access)]);
  const { plan: ofPlan, configured, ordered, ofBatch, inForce } = limits;
  if (isJson) {
    return terminal.json({ schema: 1, account: config.account.name, ...limits, batches });
  }
  const head = ['', 'simultaneous jobs', 'requests per minute'];
  const line = (name: string, { concurrency, rpm }: AccountLimits) => [
    name,
    heldText(concurrency, ofPlan.concurrency),
    heldText(rpm, ofPlan.rpm),
  ];
  const lines = [line('plan', ofPlan), line('settings', configured), line('ordered', ordered)];
  if (ofBatch !== null) lines.push(line(`of '${ofBatch.batch}'`, { concurrency: null, rpm: ofBatch.rpm }));
  lines.push(line('holds', inForce));
  terminal.data(formatTable(lines, { head }));
  if (batches === null)
    return terminal.note('no worker answers: which batches have slots or wait for some cannot be told now');
  if (batches.length === 0) return terminal.note('no row has a slot or waits for one at this moment');
  const rows = batches.map(({ batch, held, waiting, ...terms }) => [
    batch,
    ...termCells(terms, ofPlan.concurrency),
    String(held),
    String(waiting),
  ]);
  terminal.data(formatTable(rows, { head: ['batch', ...TERMS, 'running', 'waiting'] }));
}

const TERMS = ['concurrency', 'weight', 'priority'];

async function showBatch({ session, access, batch }: KnownBatch): Promise<void> {
  const limits = await batchLimits(access, batch);
  if (session.isJson) return session.terminal.json({ schema: 1, batch, ...limits });
  const { orderedConcurrency, ...terms } = limits;
  const slots = { ...terms, concurrency: orderedConcurrency ?? terms.concurrency };
  session.terminal.data(formatTable([[batch, ...termCells(slots, terms.concurrency)]], { head: ['batch', ...TERMS] }));
}

function termCells({ concurrency, weight, priority }: SlotTerms, plan: number | null): string[] {
  return [heldText(concurrency, plan), String(weight), String(priority)];
}

/** What holds of a wish: nothing goes above the plan. */
function heldText(wished: number | null, plan: number | null): string {
  if (wished === null) return '-';
  return plan === null || wished <= plan ? String(wished) : `${plan} (${wished} is above the plan)`;
}

/** Without an engine the order waits in the home: nothing is started for it. */
async function tell(session: Session): Promise<void> {
  const { terminal } = session;
  const isHeard = await unlessOutage(tellRunning(session));
  if (isHeard === undefined) {
    terminal.warn(
      'Temporal does not answer: the order stands in the home; given again once it is back, it acts at once on what runs',
    );
  } else if (!isHeard) terminal.note('nothing runs: it holds once something does');
}

async function tellRunning(session: Session): Promise<boolean> {
  const work = await joinWork(session);
  try {
    return work !== undefined && (await tellLimits(session, work));
  } finally {
    await work?.close();
  }
}

/** Those that have slots or wait for some; null where nobody answers who knows. */
async function batchesAtWork(session: Session, access: HomeAccess): Promise<BatchSlots[] | null> {
  const looking = async (): Promise<BatchSlots[]> => {
    const work = await joinWork(session);
    if (work === undefined) return [];
    try {
      // The account's slots are the same for every batch.
      return (await createBatchSource({ access, batch: '' }, work).slots())?.batches ?? [];
    } finally {
      await work.close();
    }
  };
  return (await unlessOutage(looking())) ?? null;
}
