import { defined } from '../../domain/defined.js';
import type { Row } from '../../domain/row.js';
import { isCancelledBatch, readSampleGate, type SampleGate, writeSampleGate } from '../../home/batch-marks.js';
import type { Chains } from '../../manifest/references/chains.js';
import { type BatchPlace, knownPrices, listPrice, rowsOf } from '../access/home-access.js';
import type { WorkAccess } from '../access/work-access.js';
import { commandHint, orderWords } from '../open-session.js';
import { countKeptRows } from '../plan/count-kept-rows.js';
import type { PreparedBatch } from '../plan/prepare-batch.js';
import type { CountedRows, RowCounterOptions } from '../plan/row-counter.js';
import type { Session } from '../session.js';
import { UserError } from '../user-error.js';
import { amount } from '../views/counts.js';
import { isRunning } from './batch-source.js';
import { type Candidate, candidateOf, chooseSample } from './choose-sample.js';
import type { KnownBatch } from './known-batch.js';
import { openOutputCheck } from './lost-files.js';

/** Runs of a sample: which rows may run. */

/** `--sample N [--another]` */
export interface SampleOrder {
  rows: number;
  takesOthers: boolean;
}

export interface SampleOfRun {
  gate: SampleGate;
  /** It is not in the home yet, or stands there with rows that left the manifest. */
  isNew: boolean;
  /** What this run does, and the chains of the rows that it is held to. */
  rows: CountedRows;
  chains: Chains;
}

interface RunFacts extends BatchPlace, Pick<KnownBatch, 'generation'>, Pick<RowCounterOptions, 'retry' | 'keepFed'> {
  prepared: PreparedBatch;
}

/** The sample that this run is held to; undefined where all rows may run. */
export async function sampleOfRun(run: RunFacts, order: SampleOrder | undefined): Promise<SampleOfRun | undefined> {
  const { session, access, batch, generation, prepared, retry, keepFed } = run;
  const known = await readSampleGate(access.home, batch);
  const isApproved = known?.approved?.generation === generation.generation;
  const takesNew = order !== undefined && (known === undefined || order.takesOthers);
  if (!takesNew && (known === undefined || isApproved)) return undefined;
  tellChangedSample(session, known?.ids ?? [], prepared);
  const kept = (known?.ids ?? []).filter((id) => !prepared.leaving.has(id));
  const fresh = takesNew ? await freshSample(run, order.rows, new Set(kept)) : [];
  if (takesNew) {
    const raised = fresh.length > order.rows ? ', so that each chain is whole' : '';
    session.terminal.note(`sample    ${amount(fresh.length, 'row')}${raised}: ${shown(fresh)}`);
  }
  const ids = [...kept, ...fresh];
  const isNew = takesNew || ids.length !== known?.ids.length;
  // A new sample asks for a new approval; rows that left change nothing of the one that was given.
  const isMeant = new Set(ids);
  // What a cancel ended was never approved.
  const isHeld = (await isCancelledBatch(access.home, batch)) || (await holdsBack(run, isMeant));
  const approved = isHeld ? (takesNew ? undefined : known?.approved) : nothingToApprove(run);
  const gate: SampleGate = { ids, atMs: known?.atMs ?? Date.now(), ...defined({ approved }) };
  const bound = await access.home.readBatch(batch);
  const outputs = bound && openOutputCheck(session.config, bound.out, batch);
  const sampled = await countKeptRows(run, { retry, keepFed, outputs }, ({ id }) => isMeant.has(id));
  // What was rendered before is said of the whole manifest: a sample of it is paid as well, and stands for the rest.
  const rows = { ...sampled.rows, ...defined({ earlier: prepared.earlier }) };
  const meant = isHeld ? { ...sampled, rows } : { rows: prepared, chains: prepared.summary.chains };
  return { gate, isNew: isNew || !isHeld, ...meant };
}

/** A row that shares a render brings nothing of its own, unless the one that it would share is left alone for a file. */
function isCopy({ skipped }: Pick<PreparedBatch, 'skipped'>): (row: Row) => boolean {
  const left = new Set(skipped.map(({ row }) => row.index));
  return ({ shares }) => shares !== undefined && !left.has(shares);
}

/** Whether there are rows that the sample keeps waiting; what shares the render of one of its rows is no such row. */
export async function holdsBack(
  { access, batch, generation, prepared }: Pick<RunFacts, 'access' | 'batch' | 'generation' | 'prepared'>,
  ids: ReadonlySet<string>,
): Promise<boolean> {
  const shares = isCopy(prepared);
  for await (const { row } of rowsOf(access, batch, generation)) {
    const isLeft = !shares(row) && prepared.finishedBefore[row.index] !== true;
    if (isLeft && !ids.has(row.id)) return true;
  }
  return false;
}

/** Whoever agreed to the sample has agreed to all there is. */
function nothingToApprove({ generation }: RunFacts): SampleGate['approved'] {
  return { generation: generation.generation, maxCreditsNano: null, atMs: Date.now() };
}

/** Rows of the manifest that nobody has tried and that stand for the others. */
async function freshSample(run: RunFacts, count: number, not: ReadonlySet<string>): Promise<string[]> {
  const { access, batch, generation, prepared } = run;
  const prices = await knownPrices(run);
  const candidates = new Map<number, Candidate>();
  const shares = isCopy(prepared);
  for await (const { row } of rowsOf(access, batch, generation)) {
    if (shares(row) || not.has(row.id) || prepared.finishedBefore[row.index] === true) continue;
    candidates.set(row.index, candidateOf(row, listPrice(row, prices)));
  }
  if (candidates.size > 0) return chooseSample(candidates, count);
  throw new UserError(`batch '${batch}' has no row left for a sample; nothing was submitted`);
}

/** From here on nothing but the sample is submitted; a batch that runs all of its rows is not held back any more. */
export async function closeGate(at: BatchPlace, work: WorkAccess, gate: SampleGate): Promise<void> {
  await refuseRunning(at, work);
  await writeSampleGate(at.access.home, at.batch, gate);
}

/** Throws a UserError while the batch runs. */
export async function refuseRunning({ session, access: { home }, batch }: BatchPlace, work: WorkAccess): Promise<void> {
  if (!(await isRunning(home.account, batch, work))) return;
  const watch = commandHint(session, orderWords('watch', batch));
  throw new UserError(`batch '${batch}' runs: wait until it has ended (\`${watch}\`); nothing was changed`);
}

/** Says which rows of the sample do not stand for what the manifest asks now. */
export function tellChangedSample(
  { terminal }: Session,
  ids: readonly string[],
  { changed }: Pick<CountedRows, 'changed'>,
): void {
  const isOfSample = new Set(ids);
  const found = changed.flatMap(({ id }) => (isOfSample.has(id) ? [id] : []));
  if (found.length === 0) return;
  const what = amount(found.length, 'row of the sample is', 'rows of the sample are');
  terminal.note(`changed   ${what} another now than what was rendered: ${shown(found)}`);
}

function shown(ids: readonly string[]): string {
  return ids.length > 12 ? `${ids.slice(0, 12).join(', ')}, …` : ids.join(', ');
}
