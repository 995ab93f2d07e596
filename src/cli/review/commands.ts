import type { Standing } from '../../domain/standing.js';
import { isAsync } from '../../kinds/facts.js';
import type { CaseRow } from './case-row.js';

/** What a person can do with a row, what it would mean, and why it cannot be done now. Pure. */

export const REVIEW_COMMANDS = ['attach-handle', 'mark-lost', 'resubmit'] as const;
export type ReviewCommand = (typeof REVIEW_COMMANDS)[number];

const EFFECTS: Readonly<Record<ReviewCommand, string>> = {
  'attach-handle': 'asks the service for this handle, free of charge; if it knows it, the output is fetched',
  'mark-lost': 'ends the row as lost_paid; with --not-billed as failed, so that `callsheet retry` runs it again',
  resubmit: 'submits the row again and pays for it again, even if the first request was billed',
};

export function effectOf(command: ReviewCommand): string {
  return EFFECTS[command];
}

/** Why the command cannot be done with the row as it stands, in a clause; undefined when it can. */
export function refusalOf(command: ReviewCommand, { row, record, standing }: CaseRow): string | undefined {
  const isSettled = record?.status === 'review' || record?.status === 'lost_paid';
  if (record?.status === 'done') return 'it is done: there is nothing to settle';
  if (record !== undefined && !isSettled) return `it is ${record.status}: \`callsheet retry\` runs it again`;
  if (!isSettled && standing !== 'open_case') return UNDER_WAY[standing] ?? 'it is under way: wait for its end';
  if (command === 'attach-handle') return handleRefusal(row.kind, standing);
  if (command === 'mark-lost' && (standing === 'rendered' || standing === 'done')) {
    return 'its output is fetched as long as it may live';
  }
  return undefined;
}

const UNDER_WAY: Partial<Record<Standing, string>> = {
  claimed: 'its submit is under way: try again in a minute',
  created: 'it renders at the service: wait for its end',
};

function handleRefusal(kind: CaseRow['row']['kind'], standing: Standing): string | undefined {
  if (!isAsync(kind)) return `${kind} is answered at once and has no handle`;
  return standing === 'rendered' ? 'its handle is known and it was rendered' : undefined;
}
