import { isRerun } from '../../home/row-orders.js';
import type { GenerationFacts } from '../../home/rows-writer.js';
import { formatProblem } from '../../manifest/problem.js';
import { parallel } from '../../store/parallel.js';
import type { BatchPlace } from '../access/home-access.js';
import type { ChangedOrder } from '../batch/run-flags.js';
import type { TakenName } from '../reuse/check-render.js';
import { EXIT, UserError } from '../user-error.js';
import { amount } from '../views/counts.js';
import { type ChangedId, type FeedingRows, feedingRows, isFedBy, noteChanged, withColumns } from './changed-rows.js';
import { type RefusingPlace, rowProblem, tellRefused } from './errors-file.js';
import type { CountedRows } from './row-counter.js';
import { createRowPlanner } from './row-planner.js';

/** So many of one kind are shown, the rest are counted. */
const SHOWN_MAX = 20;
const READ_WIDTH = 16;

/** Refuses rows whose content differs from what was submitted (`B48`), unless they are to be paid again. Pure. */
export function refuseChangedRows(changed: readonly ChangedId[], place: RefusingPlace, reruns: ChangedOrder): void {
  const { refused, shown } = refusedOf(changed, reruns);
  if (refused.length === 0) return;
  // What changed with the rows that feed it alone is covered by the order for those.
  const changing = feedingRows(changed);
  const fed = shown.filter((one) => isChangedByFeeders(one, changing));
  const own = [...takenHeads(fed, changed), ...shown.filter((one) => !fed.includes(one))];
  const named = own.length > 0 ? own.slice(0, SHOWN_MAX) : shown;
  const problemOf = (one: ChangedId) => rowProblem(place, one, 'B48', changedText(one));
  const lines = named.map((one) => formatProblem(problemOf(one)));
  const are = `${amount(refused.length, 'row was', 'rows were')} submitted with other values`;
  throw new UserError(
    `${lines.join('\n')}\n${are}${unnamedWords(refused, named, changing)}: nothing was submitted now`,
    EXIT.usage,
    (place.errorsFile === undefined ? named : [...new Set([...own, ...refused])]).map(problemOf),
  );
}

function changedText({ id, isOpen, passes, planned }: ChangedId): string {
  const columns = planned && (planned.changed?.columns?.join(', ') || 'the content of its media');
  const what = columns === undefined ? '' : ` (changed: ${columns})`;
  const advice = isOpen
    ? 'its attempt with those has not ended: wait for it, or give the row a new id'
    : `give it a new id or use --changed rerun=${id} (${planned?.plan.plan === 'joined' ? 'it was rendered with these before, and costs nothing' : 'costs again'})`;
  return `row '${id}' was ${passes ? 'taken over' : 'submitted'} with other values${what}; ${advice}`;
}

/** What has no line of its own: what changed rows feed, and what is too much. */
function unnamedWords(refused: readonly ChangedId[], named: readonly ChangedId[], changing: FeedingRows): string {
  const rest = refused.filter((one) => !named.includes(one));
  const fed = rest.filter((one) => isFedBy(one, changing)).length;
  const words = [
    ...(fed > 0 ? [`${fed} of which changed rows feed`] : []),
    ...(rest.length > fed ? [`${rest.length - fed}${fed > 0 ? '' : ' of which'} are not shown`] : []),
  ];
  return words.length === 0 ? '' : `, ${words.join(' and ')}`;
}

/** Rows that no order covers, and those of them that are shown: first the ones that no other changed row feeds. */
function refusedOf(
  changed: readonly ChangedId[],
  reruns: ChangedOrder,
): { refused: readonly ChangedId[]; shown: readonly ChangedId[] } {
  const changing = feedingRows(changed);
  const isFed = (one: ChangedId) => isFedBy(one, changing);
  const refused = changed.filter(({ id, isOpen, passes }) => !passes && (!isRerun(reruns, id) || isOpen));
  const shown = [...refused.filter((one) => !isFed(one)), ...refused.filter(isFed)].slice(0, SHOWN_MAX);
  return { refused, shown };
}

function isChangedByFeeders(one: ChangedId, changing: FeedingRows): boolean {
  return !one.isOpen && one.planned?.changed?.columns?.length === 0 && isFedBy(one, changing);
}

/** What was taken over and changed since, above rows that are refused for it; it has no request to be compared itself. */
function takenHeads(fed: readonly ChangedId[], changed: readonly ChangedId[]): ChangedId[] {
  const byId = new Map(changed.map((one) => [one.id, one]));
  const byIndex = new Map(changed.map((one) => [one.index, one]));
  const above = new Set(fed);
  const heads: ChangedId[] = [];
  for (const one of above) {
    const feeding = one.feeders.flatMap(({ id, at }) => byId.get(id) ?? byIndex.get(at) ?? []);
    if (feeding.length === 0 && one.passes) heads.push(one);
    for (const feeder of feeding) above.add(feeder);
  }
  return heads;
}

/** What an order pays again: with `--no-dependents` the rows that it names alone. Pure. */
export function coveredBy(order: ChangedOrder, changed: readonly ChangedId[], keepsFed: boolean): ChangedOrder {
  return keepsFed ? order : withFedRows(order, changed);
}

/** The order with the rows that changed since those that feed them are covered by it. Pure. */
export function withFedRows(reruns: ChangedOrder, changed: readonly ChangedId[]): ChangedOrder {
  if (typeof reruns === 'boolean') return reruns;
  const covered = feedingRows(changed.filter(({ id }) => reruns.has(id)));
  for (const id of reruns) covered.ids.add(id);
  for (let before = -1; before !== covered.ids.size; ) {
    before = covered.ids.size;
    for (const { id, index } of changed.filter((one) => isFedBy(one, covered))) {
      covered.ids.add(id);
      covered.indexes.add(index);
    }
  }
  return covered.ids;
}

/** Refuses rows whose output name is taken by what is not theirs (`B47`). Pure. */
export function refuseTakenNames(
  { taken, takenCount }: Pick<CountedRows, 'taken' | 'takenCount'>,
  place: RefusingPlace,
): void {
  if (taken.length === 0) return;
  const inOrder = [...taken].sort((a, b) => a.row.line - b.row.line);
  const problems = inOrder.map((one) => rowProblem(place, one.row, 'B47', inWayText(one)));
  const lines = problems.slice(0, SHOWN_MAX).map(formatProblem);
  const are = amount(takenCount, 'output name is', 'output names are');
  throw new UserError(`${lines.join('\n')}\n${are} taken: nothing was submitted`, EXIT.usage, problems);
}

function inWayText({ row, file, isAbove, owner }: TakenName): string {
  if (isAbove) {
    return `the output '${row.stem}' needs a folder where ${file} is; move that away, or give the row another output name`;
  }
  if (owner !== undefined) {
    return `refusing to overwrite ${file}, the output of row '${owner}'; give the row another output name, or use --on-exists version`;
  }
  return `refusing to overwrite ${file}; use --on-exists skip or version, or another --out`;
}

/** Refuses rows whose content differs from what was submitted (`B48`), and names the columns that differ. */
export async function refuseChanged(
  at: BatchPlace,
  place: RefusingPlace,
  { changed }: Pick<CountedRows, 'changed'>,
  order: ChangedOrder,
  keepsFed: boolean,
): Promise<void> {
  const reruns = coveredBy(order, changed, keepsFed);
  const of = refusedOf(changed, reruns);
  const shown = new Set(place.errorsFile === undefined ? of.shown : of.refused);
  const named = await parallel(changed, READ_WIDTH, async (one): Promise<ChangedId> => {
    const { planned } = one;
    return planned !== undefined && shown.has(one) ? { ...one, planned: await withColumns(at, planned) } : one;
  });
  await tellRefused(place.errorsFile, () => refuseChangedRows(named, place, reruns));
}

/**
 * The rows whose content differs from what was submitted by now. The batch may have gone on since they were first
 * compared: reading the manifest takes time, and so does a person who thinks about the question.
 */
export async function changedByNow(
  at: BatchPlace & { generation: GenerationFacts },
  { finishedBefore }: Pick<CountedRows, 'finishedBefore'>,
): Promise<Pick<CountedRows, 'changed'>> {
  const { access, batch, generation } = at;
  const planner = await createRowPlanner(at, { retry: null });
  const changed: ChangedId[] = [];
  if (!planner.isKnown) return { changed };
  for (const part of generation.parts.keys()) {
    const stored = await access.rows.readPart(batch, generation.generation, part);
    const rows = stored.flatMap(({ row }) => (finishedBefore[row.index] ? [] : [row]));
    for (const planned of await planner.plan(rows)) noteChanged(changed, planned);
  }
  return { changed };
}
