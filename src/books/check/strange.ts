import type { Reading } from './evidence.js';
import type { IndexedEvidence } from './movement-index.js';
import { isLaterState, slackOf } from './residual.js';
import { storyOf } from './story.js';

const RISEN = 'the balance rose by what no refund and no purchase explains';
const TOO_LITTLE =
  'less left the balance than the prices of the requests here say: a price is set too high, a failure was refunded, or somebody put credits in';
const TOO_MUCH = 'someone else seems to spend from this account';

/** What a reading that nothing explains looks like, and that reading where the balance rose in it. */
export function whyStrange(evidence: IndexedEvidence, at: Reading): { why: string; rise?: Reading } {
  const rise = standingRise(evidence, at);
  if (rise) return { why: RISEN, rise };
  const story = storyOf(evidence, at);
  // Without the case less was spent than is known: what someone else spends would make it more.
  const isTooLittle = story !== undefined && story.missing.hi < -slackOf(evidence);
  return { why: isTooLittle ? TOO_LITTLE : TOO_MUCH };
}

/** The reading, where the balance rose in it and stayed there until no stale copy can show it. */
function standingRise(evidence: IndexedEvidence, at: Reading): Reading | undefined {
  const { readings, lambdaMs } = evidence;
  const from = readings.indexOf(at);
  const before = readings[from - 1];
  if (before === undefined) return undefined;
  const least = before.balanceNano + slackOf(evidence);
  const fallsMs =
    readings.slice(from).find(({ balanceNano }) => balanceNano <= least)?.atMs ?? Number.POSITIVE_INFINITY;
  return readings.slice(from).some((one) => one.atMs < fallsMs && isLaterState(at, one, lambdaMs)) ? at : undefined;
}
