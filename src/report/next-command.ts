import { nameWords, orderWords } from '../domain/order-words.js';
import { type StartAgain, startAgain } from '../domain/outcome.js';
import type { ReportRows } from './collect.js';
import type { ReportTerms } from './report-terms.js';
import type { FailureGroup } from './tallies.js';

type Failures = Pick<ReportRows, 'failures' | 'forPersonCount'>;

/** A person said that nobody has to look at the row any more. */
const GIVEN_UP = 'marked_lost';

/** The command that goes on with rows that ended for one reason. Pure. */
export function nextCommand(
  { status, reasonCode, ids, count }: FailureGroup,
  report: Failures,
  { batch, awaitsApproval }: Pick<ReportTerms, 'batch' | 'awaitsApproval'>,
): string {
  if (reasonCode === GIVEN_UP) return payAgain(batch, { ids, count });
  if (status === 'review' || status === 'lost_paid') return `callsheet ${orderWords('review list', batch)}`;
  if (status === 'skipped') return `callsheet ${orderWords('results', batch)}`;
  if (status === 'not_started') {
    const again = startAgain(reasonCode);
    if (again !== 'run') return START_AGAIN[again](batch, report);
    if (awaitsApproval) return `callsheet ${orderWords('approve', batch)}`;
    // The budget that they stopped at has no room for them.
    return `callsheet ${orderWords('resume', batch, reasonCode === 'budget_reached' ? '--max-credits <more>' : '')}`;
  }
  return `callsheet ${orderWords('retry', batch, reasonCode === undefined ? '' : `--class ${reasonCode}`)}`;
}

const START_AGAIN: Record<Exclude<StartAgain, 'run'>, (batch: string, report: Failures) => string> = {
  retry: (batch) => `callsheet ${orderWords('retry', batch)}`,
  follow: (batch) => `callsheet ${orderWords('retry', batch)}`,
  review: (batch, { failures, forPersonCount }) => {
    if (forPersonCount > 0) return `callsheet ${orderWords('review list', batch)}`;
    // Nobody has to look at what feeds them: a person gave that up.
    const givenUp = failures.find(({ reasonCode }) => reasonCode === GIVEN_UP);
    return payAgain(batch, givenUp);
  },
  'accept inputs': (batch) => `callsheet ${orderWords('retry', batch, '--accept-inputs')}`,
};

/** Of rows that a person gave up: `review list` has none of them. */
function payAgain(batch: string, rows?: Pick<FailureGroup, 'ids' | 'count'>): string {
  const ids = rows?.count === rows?.ids.length ? rows?.ids : undefined;
  return `callsheet review resubmit ${nameWords(batch, ...(ids ?? ['<id>']))}`;
}
