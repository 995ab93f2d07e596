import type { BatchResult } from '../../contract/workflows.js';
import { formatCredits } from '../../domain/money.js';
import { readBooks } from '../../store/books.js';
import type { HomeAccess } from '../access/home-access.js';
import type { Session } from '../session.js';
import { type Counts, exitCodeOf } from '../views/counts.js';
import { summaryLines } from '../views/summary.js';
import { finalRows } from './final-rows.js';
import { type FailureGroup, groupFailures } from './group-failures.js';
import { addToGroup, type GroupTotal, type GroupTotals, groupsJson } from './group-totals.js';
import type { JsonEvents } from './json-events.js';

/** What is told when a batch ended: the events that were missed, equal errors together, the counts, the exit code. */

export interface EndedBatch {
  access: HomeAccess;
  batch: string;
  generation: string;
  /** Absolute folder or bucket that the batch writes to. */
  out: string;
  result: BatchResult;
  events: JsonEvents | undefined;
  /** Rows, by index, that were finished before this command; undefined when the command only watched. */
  finishedBefore: readonly boolean[] | undefined;
  /** What identical rows saved, in words. */
  saving?: string | undefined;
  /** Undefined when nothing was run. */
  tookMs: number | undefined;
}

export async function closeBatch(session: Session, ended: EndedBatch): Promise<number> {
  const { result, events } = ended;
  const exitCode = exitCodeOf(result.counts, result.stopped);
  const { failures: groups, totals } = await readEnd(ended);
  const folder = `${ended.out}/${ended.batch}`;
  const unattributed = ended.tookMs === undefined ? undefined : await unattributedText(ended);
  events?.finished(result, {
    out: folder,
    exitCode,
    ...(totals.size > 0 ? { groups: groupsJson(totals) } : {}),
    ...(unattributed === undefined ? {} : { unattributed }),
  });
  const facts = { ...ended, ...result, groups, totals, folder, unattributed };
  for (const line of summaryLines(facts, session.terminal.colors)) session.terminal.note(line);
  return exitCode;
}

/** What the balance lost, or gained, that nobody known here explains; undefined when the books balance. */
async function unattributedText({ access, batch }: EndedBatch): Promise<string | undefined> {
  const { unattributed } = (await readBooks(access.home, batch)) ?? {};
  if (!unattributed || (unattributed.lo === 0 && unattributed.hi === 0)) return undefined;
  const { lo, hi } = unattributed;
  return lo === hi ? formatCredits(lo) : `${formatCredits(lo)} to ${formatCredits(hi)}`;
}

/** One pass over the records, only when there is something to learn from it. */
async function readEnd(ended: EndedBatch): Promise<{ failures: FailureGroup[]; totals: GroupTotals }> {
  const { events, finishedBefore, result } = ended;
  const missed =
    events !== undefined && finishedBefore !== undefined && events.told() < newlyFinished(result, finishedBefore);
  let troubled = troubledOf(result.counts);
  const failures = groupFailures();
  const totals = new Map<string, GroupTotal>();
  const facts = await ended.access.rows.generation(ended.batch, ended.generation);
  const isGrouped = facts?.columns.includes('group') ?? false;
  if (!missed && !isGrouped && troubled === 0) return { failures: [], totals };
  for await (const row of finalRows(ended.access, ended.batch, ended.generation)) {
    const { index, id, status, record } = row;
    addToGroup(totals, row);
    if (missed && finishedBefore?.[index] !== true) {
      events?.rowFinished(id, status, record?.creditsNano ?? null, record?.finishedAtMs ?? Date.now());
    }
    if (record !== undefined && isTroubled(status)) {
      failures.add(record);
      troubled -= 1;
    }
    if (!missed && !isGrouped && troubled <= 0) break;
  }
  return { failures: failures.groups(), totals };
}

function newlyFinished({ counts }: BatchResult, finishedBefore: readonly boolean[]): number {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0) - counts.not_started;
  return total - finishedBefore.filter((isFinished) => isFinished).length;
}

function troubledOf(counts: Counts): number {
  return counts.failed + counts.lost_paid + counts.review;
}

function isTroubled(status: string): boolean {
  return status === 'failed' || status === 'lost_paid' || status === 'review';
}
