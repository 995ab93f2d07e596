import { WorkflowNotFoundError } from '@temporalio/client';
import { LIST_PRICE_PPB } from '../../books/prices/price-book.js';
import { rowPrice, withFollowUp } from '../../books/prices/row-price.js';
import { batchId } from '../../contract/names.js';
import type { RetryOrder } from '../../contract/workflows.js';
import { readSampleGate, type SampleGate, sampleInForce, writeSampleGate } from '../../home/batch-marks.js';
import type { Home } from '../../home/home.js';
import type { GenerationFacts } from '../../home/rows-writer.js';
import { type HomeAccess, knownPrices } from '../access/home-access.js';
import { readOwnCredits } from '../access/read-account.js';
import type { WorkAccess } from '../access/work-access.js';
import { commandHint } from '../open-session.js';
import { type ChainsLeft, createChainsLeft } from '../plan/chains-left.js';
import { type Candidate, candidateOf, chooseSample } from '../plan/choose-sample.js';
import type { KeepFedRows } from '../plan/kept-rows.js';
import { makePlan } from '../plan/make-plan.js';
import { planJson } from '../plan/plan-json.js';
import { type Plan, planLines } from '../plan/plan-view.js';
import type { PreparedBatch } from '../plan/prepare-batch.js';
import { type CountedRows, createRowCounter } from '../plan/row-counter.js';
import type { Session } from '../session.js';
import { EXIT, UserError } from '../user-error.js';
import { amount } from '../views/counts.js';
import { type OutputCheck, openOutputCheck } from './lost-files.js';

/** Runs of a sample: which rows may run, and what the rest would cost. */

/** `--sample N [--another]` */
export interface SampleOrder {
  rows: number;
  takesOthers: boolean;
}

export interface SampleOfRun {
  gate: SampleGate;
  /** It is not in the home yet, or stands there with rows that left the manifest. */
  isNew: boolean;
  rows: CountedRows;
}

interface RunFacts {
  access: HomeAccess;
  batch: string;
  generation: GenerationFacts;
  prepared: PreparedBatch;
  retry: RetryOrder | null;
  keepFed?: KeepFedRows | undefined;
}

type QuoteFacts = Pick<RunFacts, 'access' | 'batch' | 'generation'>;

/** The sample that this run is held to; undefined where all rows may run. */
export async function sampleOfRun(
  session: Session,
  run: RunFacts,
  order: SampleOrder | undefined,
): Promise<SampleOfRun | undefined> {
  const { access, batch, generation, prepared } = run;
  const known = await readSampleGate(access.home, batch);
  const isApproved = known?.approved?.generation === generation.generation;
  const takesNew = order !== undefined && (known === undefined || order.takesOthers);
  if (!takesNew && (known === undefined || isApproved)) return undefined;
  const kept = (known?.ids ?? []).filter((id) => !prepared.leaving.has(id));
  const fresh = takesNew ? await freshSample(session, run, order.rows, new Set(kept)) : [];
  if (takesNew) {
    const raised = fresh.length > order.rows ? ', so that each chain is whole' : '';
    session.terminal.note(`sample    ${amount(fresh.length, 'row')}${raised}: ${shown(fresh)}`);
  }
  const ids = [...kept, ...fresh];
  const isNew = takesNew || ids.length !== known?.ids.length;
  // A new sample asks for a new approval; rows that left change nothing of the one that was given.
  const approved = takesNew || known?.approved === undefined ? {} : { approved: known.approved };
  const gate: SampleGate = { ids, atMs: known?.atMs ?? Date.now(), ...approved };
  const bound = await access.home.readBatch(batch);
  const outputs = bound && openOutputCheck(session.config, bound.out, batch);
  const isMeant = new Set(ids);
  return { gate, isNew, rows: await countRows(session, { ...run, outputs }, (id) => isMeant.has(id)) };
}

/** Rows of the manifest that nobody has tried and that stand for the others. */
async function freshSample(
  session: Session,
  run: RunFacts,
  count: number,
  not: ReadonlySet<string>,
): Promise<string[]> {
  const { access, batch, generation, prepared } = run;
  const prices = await knownPrices(session, access, batch);
  const candidates = new Map<number, Candidate>();
  for (const part of generation.parts.keys()) {
    for (const { row } of await access.rows.readPart(batch, generation.generation, part)) {
      // A row that shares a render would bring nothing of its own.
      if (row.shares !== undefined || not.has(row.id) || prepared.finishedBefore[row.index] === true) continue;
      candidates.set(row.index, candidateOf(row, withFollowUp(row, rowPrice(row, prices, LIST_PRICE_PPB))));
    }
  }
  if (candidates.size > 0) return chooseSample(candidates, count);
  throw new UserError(`batch '${batch}' has no row left for a sample; nothing was submitted`);
}

/** What running some rows of a batch would do, from the rows that the home keeps. */
async function countRows(
  session: Session,
  {
    access,
    batch,
    generation,
    retry = null,
    outputs,
    keepFed,
  }: QuoteFacts & Partial<Pick<RunFacts, 'retry' | 'keepFed'>> & { outputs?: OutputCheck | undefined },
  isMeant: (id: string) => boolean,
  chains?: ChainsLeft,
): Promise<CountedRows> {
  const counter = await createRowCounter(session, { access, batch, retry, takenNames: undefined, outputs, keepFed });
  for (const part of generation.parts.keys()) {
    for (const { row } of await access.rows.readPart(batch, generation.generation, part)) {
      if (!isMeant(row.id)) continue;
      await counter.add(row);
      chains?.add(row);
    }
  }
  return counter.finish();
}

/** What the rows beyond the sample would cost and take, by the prices that are known now. */
export async function planRest(session: Session, facts: QuoteFacts): Promise<{ plan: Plan; rows: CountedRows }> {
  const left = createChainsLeft();
  const rows = await countRows(session, facts, () => true, left);
  const chains = left.totals(rows.finishedBefore);
  const subject = { batch: facts.batch, manifest: 'the rest', rows, costNotes: [], chains };
  return { plan: await makePlan(session, facts.access, subject, await readOwnCredits(session)), rows };
}

/** After a sample has ended: what the rest would cost and take. Gives the exit code as it was. */
export async function tellQuote(session: Session, facts: QuoteFacts, exitCode: number): Promise<number> {
  const { access, batch, generation } = facts;
  const isWaiting = (await sampleInForce(access.home, batch, generation.generation)) !== undefined;
  if (exitCode !== EXIT.needsPerson || !isWaiting) return exitCode;
  const { plan } = await planRest(session, facts);
  for (const line of planLines(plan)) session.terminal.note(line);
  if (session.isJson) session.terminal.json({ type: 'quote', ...planJson(plan) });
  session.terminal.note(`\`${commandHint(session, `approve ${batch}`)}\` runs the rest`);
  return exitCode;
}

/** From here on nothing but the sample is submitted; a batch that runs all of its rows is not held back any more. */
export async function closeGate(
  { home }: HomeAccess,
  work: WorkAccess,
  batch: string,
  gate: SampleGate,
): Promise<void> {
  await refuseRunning(home, work, batch);
  await writeSampleGate(home, batch, gate);
}

/** Throws a UserError while the batch runs. */
export async function refuseRunning({ account }: Home, work: WorkAccess, batch: string): Promise<void> {
  try {
    const described = await work.temporal.client.workflow.getHandle(batchId(account, batch)).describe();
    if (described.status.name !== 'RUNNING') return;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return;
    throw error;
  }
  throw new UserError(
    `batch '${batch}' runs: wait until it has ended (\`callsheet watch ${batch}\`); nothing was changed`,
  );
}

function shown(ids: readonly string[]): string {
  return ids.length > 12 ? `${ids.slice(0, 12).join(', ')}, …` : ids.join(', ');
}
