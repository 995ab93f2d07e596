import type { Notice } from '../domain/notice.js';

/** A notice as one line of text. Pure. */
export function noticeText(notice: Notice): string {
  return `callsheet ${notice.batch ?? notice.account}: ${whatOf(notice)}`;
}

function whatOf(notice: Notice): string {
  const { counts = {}, credits, reason, percent, minutes } = notice;
  const rows = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${status} ${count}`)
    .join(', ');
  const cost = credits === undefined ? '' : `; ${credits ?? 'an unknown number of'} credits`;
  switch (notice.type) {
    case 'done':
      return `ended${reason === undefined ? '' : ` early (${reason})`}: ${rows}${cost}`;
    case 'sampled':
      return `the sample is rendered and the rest waits for \`callsheet approve\`: ${rows}${cost}`;
    case 'review_needed':
      return `rows need a person: ${rows}`;
    case 'paused':
      return `paused (${reason}): \`callsheet status ${notice.batch ?? ''}\` says why and what to do`;
    case 'budget':
      return `${percent} % of the budget is spent${cost}`;
    case 'no_progress':
      return `no row has ended for ${minutes} min`;
    case 'test':
      return 'a test; notices arrive here';
  }
}
