import { defined } from '../../domain/defined.js';
import type { CreditsRange } from '../../domain/money.js';
import { fedMedia, type Row } from '../../domain/row.js';
import { readSampleGate, type SampleGate, writeSampleGate } from '../../home/batch-marks.js';
import { modelOf } from '../../manifest/columns.js';
import { type BatchPlace, knownPrices, listPrice, rowsOf } from '../access/home-access.js';
import type { WorkAccess } from '../access/work-access.js';
import { countKeptRows } from '../plan/count-kept-rows.js';
import type { PreparedBatch } from '../plan/prepare-batch.js';
import type { CountedRows, RowCounterOptions } from '../plan/row-counter.js';
import type { Session } from '../session.js';
import { UserError } from '../user-error.js';
import { amount } from '../views/counts.js';
import { isRunning } from './batch-source.js';
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
  rows: CountedRows;
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

/** Which rows stand for a manifest: each kind, model, price and group first, then spread over the rest. Pure. */

/** A row that would be submitted, by what makes it unlike others, the most telling first. */
export interface Candidate {
  id: string;
  traits: string[];
  /** The indexes of the rows that feed it. */
  feeders: number[];
}

type Asked = Pick<Row, 'id' | 'kind' | 'cells' | 'group' | 'media'>;

function candidateOf(row: Asked, price: CreditsRange | null): Candidate {
  const model = `${row.kind} ${modelOf(row)}`;
  const cost = price === null ? '' : `${price.lo}-${price.hi}`;
  const traits = [row.kind, model, `${model} ${cost}`, `group ${row.group ?? ''}`];
  return { id: row.id, traits, feeders: fedMedia(row).map(({ at }) => at) };
}

/**
 * `count` ids in the manifest's order, or more: a row comes with the rows that feed it, and one that feeds others with
 * one of those. The candidates are told by their rows' indexes.
 */
export function chooseSample(candidates: ReadonlyMap<number, Candidate>, count: number): string[] {
  const ends = chainEnds(candidates);
  const chosen = new Set<number>();
  const seen = new Set<string>();
  const take = (at: number): void => {
    const candidate = candidates.get(at);
    if (candidate === undefined || chosen.has(at)) return;
    chosen.add(at);
    for (const trait of candidate.traits) seen.add(trait);
    for (const feeder of candidate.feeders) take(feeder);
  };
  const [first] = candidates.values();
  for (let level = 0; level < (first?.traits.length ?? 0); level += 1) {
    for (const [at, { traits }] of candidates) {
      if (chosen.size >= count) break;
      if (!seen.has(traits[level] ?? '')) take(ends(at));
    }
  }
  const rest = [...candidates.keys()].filter((at) => !chosen.has(at));
  const left = Math.min(rest.length, count - chosen.size);
  const spread = Array.from({ length: Math.max(0, left) }, (_, i) => Math.floor(((i + 0.5) * rest.length) / left));
  for (const at of [...spread.map((i) => rest[i] ?? 0), ...rest]) {
    if (chosen.size >= count) break;
    take(ends(at));
  }
  return [...chosen].sort((a, b) => a - b).map((at) => candidates.get(at)?.id ?? '');
}

/** Gives for a row the end of a chain that goes through it: the row itself where it feeds none. */
function chainEnds(candidates: ReadonlyMap<number, Candidate>): (at: number) => number {
  const next = new Map<number, number>();
  for (const [at, { feeders }] of candidates) {
    for (const feeder of feeders) if (!next.has(feeder)) next.set(feeder, at);
  }
  return (start) => {
    let end = start;
    for (let at = next.get(end); at !== undefined; at = next.get(end)) end = at;
    return end;
  };
}
