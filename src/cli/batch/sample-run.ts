import { defined } from '../../domain/defined.js';
import { readSampleGate, type SampleGate, sampleInForce, writeSampleGate } from '../../home/batch-marks.js';
import { type BatchPlace, knownPrices, listPrice, rowsOf } from '../access/home-access.js';
import { readOwnCredits } from '../access/read-account.js';
import type { WorkAccess } from '../access/work-access.js';
import { commandHint } from '../open-session.js';
import { countKeptRows } from '../plan/chains-left.js';
import { type Candidate, candidateOf, chooseSample } from '../plan/choose-sample.js';
import { makePlan } from '../plan/make-plan.js';
import { planJson } from '../plan/plan-json.js';
import { type Plan, planLines } from '../plan/plan-view.js';
import type { PreparedBatch } from '../plan/prepare-batch.js';
import type { CountedRows, RowCounterOptions } from '../plan/row-counter.js';
import { EXIT, UserError } from '../user-error.js';
import { amount } from '../views/counts.js';
import { isRunning } from './batch-source.js';
import type { KnownBatch } from './known-batch.js';
import { openOutputCheck } from './lost-files.js';

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

type Kept = BatchPlace & Pick<KnownBatch, 'generation'>;

interface RunFacts extends Kept, Pick<RowCounterOptions, 'retry' | 'keepFed'> {
  prepared: PreparedBatch;
}

/** The sample that this run is held to; undefined where all rows may run. */
export async function sampleOfRun(run: RunFacts, order: SampleOrder | undefined): Promise<SampleOfRun | undefined> {
  const { session, access, batch, generation, prepared, retry, keepFed } = run;
  const known = await readSampleGate(access.home, batch);
  const isApproved = known?.approved?.generation === generation.generation;
  const takesNew = order !== undefined && (known === undefined || order.takesOthers);
  if (!takesNew && (known === undefined || isApproved)) return undefined;
  const kept = (known?.ids ?? []).filter((id) => !prepared.leaving.has(id));
  const fresh = takesNew ? await freshSample(run, order.rows, new Set(kept)) : [];
  if (takesNew) {
    const raised = fresh.length > order.rows ? ', so that each chain is whole' : '';
    session.terminal.note(`sample    ${amount(fresh.length, 'row')}${raised}: ${shown(fresh)}`);
  }
  const ids = [...kept, ...fresh];
  const isNew = takesNew || ids.length !== known?.ids.length;
  // A new sample asks for a new approval; rows that left change nothing of the one that was given.
  const approved = takesNew ? undefined : known?.approved;
  const gate: SampleGate = { ids, atMs: known?.atMs ?? Date.now(), ...defined({ approved }) };
  const bound = await access.home.readBatch(batch);
  const outputs = bound && openOutputCheck(session.config, bound.out, batch);
  const isMeant = new Set(ids);
  const { rows } = await countKeptRows(run, { retry, keepFed, outputs }, ({ id }) => isMeant.has(id));
  return { gate, isNew, rows };
}

/** Rows of the manifest that nobody has tried and that stand for the others. */
async function freshSample(run: RunFacts, count: number, not: ReadonlySet<string>): Promise<string[]> {
  const { access, batch, generation, prepared } = run;
  const prices = await knownPrices(run);
  const candidates = new Map<number, Candidate>();
  for await (const { row } of rowsOf(access, batch, generation)) {
    // A row that shares a render would bring nothing of its own.
    if (row.shares !== undefined || not.has(row.id) || prepared.finishedBefore[row.index] === true) continue;
    candidates.set(row.index, candidateOf(row, listPrice(row, prices)));
  }
  if (candidates.size > 0) return chooseSample(candidates, count);
  throw new UserError(`batch '${batch}' has no row left for a sample; nothing was submitted`);
}

/** What the rows beyond the sample would cost and take, by the prices that are known now. */
export async function planRest(at: Kept): Promise<{ plan: Plan; rows: CountedRows }> {
  const { rows, chains } = await countKeptRows(at, { retry: null });
  const subject = { manifest: 'the rest', rows, costNotes: [], chains };
  return { plan: await makePlan(at, subject, await readOwnCredits(at.session)), rows };
}

/** After a sample has ended: what the rest would cost and take. Gives the exit code as it was. */
export async function tellQuote(at: Kept, exitCode: number): Promise<number> {
  const { session, access, batch, generation } = at;
  const isWaiting = (await sampleInForce(access.home, batch, generation.generation)) !== undefined;
  if (exitCode !== EXIT.needsPerson || !isWaiting) return exitCode;
  const { plan } = await planRest(at);
  for (const line of planLines(plan)) session.terminal.note(line);
  if (session.isJson) session.terminal.json({ type: 'quote', ...planJson(plan) });
  session.terminal.note(`\`${commandHint(session, `approve ${batch}`)}\` runs the rest`);
  return exitCode;
}

/** From here on nothing but the sample is submitted; a batch that runs all of its rows is not held back any more. */
export async function closeGate(at: BatchPlace, work: WorkAccess, gate: SampleGate): Promise<void> {
  await refuseRunning(at, work);
  await writeSampleGate(at.access.home, at.batch, gate);
}

/** Throws a UserError while the batch runs. */
export async function refuseRunning({ access: { home }, batch }: BatchPlace, work: WorkAccess): Promise<void> {
  if (!(await isRunning(home.account, batch, work))) return;
  throw new UserError(
    `batch '${batch}' runs: wait until it has ended (\`callsheet watch ${batch}\`); nothing was changed`,
  );
}

function shown(ids: readonly string[]): string {
  return ids.length > 12 ? `${ids.slice(0, 12).join(', ')}, …` : ids.join(', ');
}
