import { rangeText } from '../../books/check/story.js';
import type { BatchResult } from '../../contract/workflows.js';
import { needsPerson, type RowRecord, type Status } from '../../domain/outcome.js';
import { gateToApprove, isCancelledBatch, sampleInForce } from '../../home/batch-marks.js';
import { fellSinceBegin, readBooks } from '../../home/learned.js';
import { attemptOf } from '../../home/row-standing.js';
import { isTrusted } from '../../home/verdicts.js';
import { type FailureGroup, groupFailures } from '../../report/tallies.js';
import type { BatchPlace } from '../access/home-access.js';
import { commandHint } from '../open-session.js';
import { type CaseSum, type ListedCase, listedCase, sumOf } from '../review/case-list.js';
import { EXIT } from '../user-error.js';
import { addToGroup, exitCodeOf, type GroupTotal, type GroupTotals, groupsJson, totalOf } from '../views/counts.js';
import { type SummaryFacts, summaryLines } from '../views/summary.js';
import { finalRows, readKeepEarlier } from './final-rows.js';
import type { JsonEvents } from './json-events.js';
import type { LostFile } from './lost-files.js';
import { countLeft } from './resume-refusals.js';
import { countStarts, type StartCounts } from './row-starts.js';

/** What is told when a batch ended: the events that were missed, equal errors together, the counts, the exit code. */

interface EndedBatch extends BatchPlace {
  generation: string;
  /** Absolute folder or bucket that the batch writes to. */
  out: string;
  result: BatchResult;
  events: JsonEvents | undefined;
  /** Rows, by index, that were finished before this command; undefined when the command only watched. */
  finishedBefore: readonly boolean[] | undefined;
  /** What identical rows saved, in words. */
  saving?: string | undefined;
  /** Finished rows whose files are gone or changed, as they were found before this command ran anything. */
  lost: readonly LostFile[];
  /** Undefined when nothing was run. */
  tookMs: number | undefined;
}

/** Gives the exit code. */
export async function closeBatch(ended: EndedBatch): Promise<number> {
  const { session, result, events } = ended;
  const end = await readEnd(ended);
  const { totals, cases, sum } = end;
  // A file that nothing gives any more needs a person, whatever the row's record says.
  const isGone = ended.lost.some(({ mayComeAgain }) => !mayComeAgain);
  const { home } = ended.access;
  const isHeldBack = (await sampleInForce(home, ended.batch, ended.generation)) !== undefined;
  // A retry takes a cancel back first.
  const isSampled = isHeldBack && !(await isCancelledBatch(home, ended.batch));
  const exitCode = isGone || isSampled ? EXIT.needsPerson : exitCodeOf(result.counts, result.stopped, end.settled);
  const folder = `${ended.out}/${ended.batch}`;
  const balance = ended.tookMs === undefined ? {} : await readBalance(ended);
  const { unattributed } = balance;
  events?.finished(result, {
    out: folder,
    exitCode,
    ...(isSampled ? { sampled: true } : {}),
    cases,
    sum,
    ...(totals.size > 0 ? { groups: groupsJson(totals) } : {}),
    ...(unattributed === undefined ? {} : { unattributed: rangeText(unattributed) }),
  });
  await events?.written();
  const hint = (words: string): string => commandHint(session, words);
  const awaitsApproval = (await gateToApprove(home, ended.batch, ended.generation)) !== undefined;
  const kept = await readKeepEarlier(ended.access, ended.batch);
  const isLeft = result.stopped !== undefined;
  const left = isLeft ? { left: await countLeft({ ...ended, generation: { generation: ended.generation } }) } : {};
  const told = { ...end, ...kept, ...balance, ...left };
  const isWatched = ended.finishedBefore === undefined;
  const facts = { ...ended, ...result, ...told, folder, hint, isSampled, awaitsApproval, isWatched };
  for (const line of summaryLines(facts, session.terminal.colors)) session.terminal.note(line);
  return exitCode;
}

/** What became of the balance: by how much it fell, and what of it, if the books do not balance, nobody explains. */
async function readBalance({
  access,
  batch,
}: EndedBatch): Promise<Pick<SummaryFacts, 'fellNano' | 'unattributed' | 'isDistrusted'>> {
  const books = await readBooks(access.home, batch);
  if (books === undefined) return {};
  const fellNano = fellSinceBegin(books);
  const { lo, hi } = books.unattributed ?? { lo: 0, hi: 0 };
  if (lo === 0 && hi === 0) return { fellNano };
  return { fellNano, unattributed: { lo, hi }, isDistrusted: !(await isTrusted(access.home)) };
}

interface End {
  groups: FailureGroup[];
  totals: GroupTotals;
  /** Rows that need a person, the first ones. */
  cases: ListedCase[];
  sum: CaseSum;
  /** Rows that a person gave up as lost. */
  settled: number;
  /** Of the rows that were not started. */
  notStarted: StartCounts['starts'];
  givenUp?: string;
}

const CASES_KEPT = 100;
const TROUBLED: readonly Status[] = ['failed', 'lost_paid', 'review'];
const NOTHING: End = { groups: [], totals: new Map(), cases: [], sum: sumOf([]), settled: 0, notStarted: {} };

/** One pass over the records, only when there is something to learn from it. */
async function readEnd(ended: EndedBatch): Promise<End> {
  const { events, finishedBefore, result } = ended;
  const missed =
    events !== undefined &&
    finishedBefore !== undefined &&
    events.told() < totalOf(result.counts) - result.counts.not_started - finishedBefore.filter(Boolean).length;
  let troubled = TROUBLED.reduce((sum, status) => sum + result.counts[status], 0);
  const failures = groupFailures();
  const totals = new Map<string, GroupTotal>();
  const facts = await ended.access.rows.generation(ended.batch, ended.generation);
  const isGrouped = facts?.columns.includes('group') ?? false;
  const cases: ListedCase[] = [];
  const left = countStarts();
  let settled = 0;
  // Only rows that others feed may want something else than the same command again.
  const countsNotStarted = facts?.fed !== undefined && result.stopped === undefined;
  if (countsNotStarted) troubled += result.counts.not_started;
  if (!missed && !isGrouped && troubled === 0) return NOTHING;
  for await (const row of finalRows(ended.access, ended.batch, ended.generation)) {
    const { index, id, status, record } = row;
    addToGroup(totals, row);
    if (missed && finishedBefore?.[index] !== true) {
      events?.rowFinished(id, status, record?.creditsNano ?? null, record?.finishedAtMs ?? Date.now());
    }
    if (record !== undefined && TROUBLED.includes(status)) {
      if (record.status === 'failed') failures.add(record);
      else if (needsPerson(record)) cases.push(await caseOf(ended, record));
      else settled += 1;
      troubled -= 1;
    }
    if (row.start !== undefined) {
      await left.add(row.start);
      if (countsNotStarted) troubled -= 1;
    }
    if (!missed && !isGrouped && troubled <= 0) break;
  }
  const shown = cases.slice(0, CASES_KEPT);
  const { starts: notStarted, ...given } = await left.counts();
  return { groups: failures.groups(), totals, cases: shown, sum: sumOf(cases), settled, notStarted, ...given };
}

async function caseOf({ access, batch }: EndedBatch, record: RowRecord): Promise<ListedCase> {
  const last = attemptOf(record, await access.ledger.read(batch, record.id));
  return listedCase({ batch, row: record, record, last });
}
