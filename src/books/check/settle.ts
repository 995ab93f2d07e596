import type { Verdict } from '../../domain/attempt.js';
import type { Evidence, Reading } from './evidence.js';
import { explain, type Look } from './explain.js';
import { type IndexedEvidence, indexEvidence, indexMovements } from './movement-index.js';
import { equalsOf, isHopeless, nextLookMs, ownTimeMs } from './patience.js';
import { type Story, storyOf, tell } from './story.js';
import { whyStrange } from './strange.js';
import { firstOfTwo, timesOf } from './two-looks.js';

interface Told {
  sentence: string;
  story?: Story | undefined;
  /** When the last reading was that a verdict of billed or not rests on, or the first that nothing explains. */
  restsOnMs?: number;
  /** The balance has risen then by what nothing explains, for so long that no stale copy shows it. */
  rise?: Reading;
}

export type Settlement =
  | ({ outcome: 'verdict'; verdict: 'billed' | 'undecided' } & Told)
  /** `goneMs`: from here on the balance holds nothing of it; before, it may have been charged and given back. */
  | ({ outcome: 'verdict'; verdict: 'not_billed'; goneMs: number } & Told)
  | Counted
  | ({ outcome: 'wait'; untilMs: number } & Told);

/** Of the subject and its equals exactly so many were billed; which of them does not matter. */
export type Counted = {
  outcome: 'group';
  billed: number;
  goneMs: number;
  /** Names of those that were judged before, without which the number would not be known. */
  beside?: string[];
} & Told;

/**
 * Settles one lost answer from the balance: was it billed, or can it still be? Pure: the same evidence always gives the
 * same verdict, and a verdict is what all consistent explanations share, once its time has come.
 */
export function settle(gathered: Evidence): Settlement {
  const evidence = indexEvidence(gathered);
  const looks = explain(evidence);
  const latest = looks.at(-1);
  if (latest === undefined) return unread(evidence);
  if (!evidence.exclusive) {
    return undecided(evidence, latest, 'the account is not declared exclusive (--exclusive)');
  }
  const strange = looks.find(({ isExplained }) => !isExplained);
  if (strange) return unexplained(evidence, looks, strange);
  const gone = firstOfTwo(evidence, looks, [evidence.subject], isUnbilled);
  const bill = billOf(evidence, looks);
  if (gone && (bill === undefined || bill.at.atMs < gone.first.at.atMs)) {
    return { outcome: 'verdict', verdict: 'not_billed', ...timesOf(gone), ...told(evidence, gone.first, 'not billed') };
  }
  // One that came back meanwhile is found gone once nothing of it can be charged any more.
  if (bill && latest.mayBeBilled)
    return { outcome: 'verdict', verdict: 'billed', restsOnMs: bill.at.atMs, ...told(evidence, bill, 'billed') };
  const together = evidence.equals.length > 0 ? (count(evidence, looks) ?? countWithJudged(evidence)) : undefined;
  if (together) return together;
  if (isHopeless(evidence, looks)) return undecided(evidence, latest, EITHER);
  return { outcome: 'wait', untilMs: nextLookMs(evidence), ...told(evidence, latest, EITHER) };
}

/**
 * Whether what a part of the readings says holds for all of them: they decide the same, or somebody else's movement since
 * then hides it. Whoever watches a verdict looks at nothing that showed before it, such as that the bill came back.
 */
export function isBorneOut(part: Settlement, whole: Settlement): boolean {
  const decision = decisionOf(whole);
  const isUnexplained = decision === undefined && whole.restsOnMs !== undefined;
  return isUnexplained || decision === decisionOf(part);
}

function decisionOf(settled: Settlement): Verdict | number | undefined {
  if (settled.outcome === 'group') return settled.billed;
  return isDecided(settled) ? settled.verdict : undefined;
}

export type Decided = Extract<Settlement, { outcome: 'verdict' }> & { verdict: 'billed' | 'not_billed' };

export function isDecided(settled: Settlement): settled is Decided {
  return settled.outcome === 'verdict' && settled.verdict !== 'undecided';
}

/** How many of the subject and its equals were billed, where every consistent explanation says the same number. */
export function countTogether(evidence: Evidence): Counted | undefined {
  const indexed = indexEvidence(evidence);
  return count(indexed, explain(indexed));
}

/**
 * The same of attempts of which `labelled` count as billed, once fewer of them are: a bill came back. No reading after
 * that may show as many again.
 */
export function countFewer(gathered: Evidence, labelled: number): Counted | undefined {
  const evidence = indexEvidence(gathered);
  const looks = explain(evidence);
  if (!evidence.exclusive || !looks.every(({ isExplained }) => isExplained)) return undefined;
  const equals = equalsOf(evidence);
  const isFewer = (look: Look): boolean => isCounted(look) && look.equalsBilled.most < labelled;
  const two = firstOfTwo(evidence, looks, equals, isFewer);
  const asMany = looks.findLast(({ equalsBilled }) => equalsBilled.least >= labelled);
  if (!two || (asMany && asMany.at.atMs >= two.first.at.atMs)) return undefined;
  const { least: billed } = two.first.equalsBilled;
  const end = `${billed} of ${equals.length} interchangeable answers are still billed`;
  return { outcome: 'group', billed, ...timesOf(two), ...told(sinceFirst(evidence), two.first, end) };
}

function count(evidence: IndexedEvidence, looks: Look[]): Counted | undefined {
  const latest = looks.at(-1);
  if (!looks.every(({ isExplained }) => isExplained)) return undefined;
  const equals = equalsOf(evidence);
  const two = firstOfTwo(evidence, looks, equals, isCounted);
  if (!two || !latest || !isCounted(latest)) return undefined;
  const { least: billed } = two.first.equalsBilled;
  const end = `${billed} of ${equals.length} interchangeable answers were billed`;
  return { outcome: 'group', billed, ...timesOf(two), ...told(sinceFirst(evidence), two.first, end) };
}

/**
 * The same where attempts of that price were judged before and a refund of one would look like a bill less of these: what
 * all of them together were billed in the end is known, and of it those that count as billed already are taken off.
 */
function countWithJudged(evidence: IndexedEvidence): Counted | undefined {
  const { judged, rivals, equals } = evidence;
  if (judged === undefined) return undefined;
  const names = judged.cases.map(({ name }) => name);
  const index = indexMovements({ movements: judged.movements, lambdaMs: evidence.lambdaMs });
  const others = rivals.filter(({ name }) => !names.includes(name));
  const all = { ...evidence, index, rivals: [...others, ...judged.cases], equals: [...equals, ...names] };
  const counted = count(all, explain(all));
  if (counted === undefined) return undefined;
  const billed = counted.billed - judged.billed;
  const members = equals.length + 1;
  // A bill of an earlier one came back: that is for whoever watches its verdict.
  if (billed < 0 || billed > members) return undefined;
  const sentence = `${counted.sentence}, ${judged.billed} of them are settled so already: ${billed} of ${members} others`;
  return { ...counted, billed, sentence, beside: names };
}

/** What is counted together is told from before the first claim of all, whichever of them is looked at. */
function sinceFirst(evidence: IndexedEvidence): IndexedEvidence {
  const [first, ...others] = equalsOf(evidence).sort((a, b) => a.claimedAtMs - b.claimedAtMs);
  if (first === undefined) return evidence;
  const rest = evidence.rivals.filter(({ name }) => !evidence.equals.includes(name));
  return { ...evidence, subject: first, rivals: [...others, ...rest] };
}

/**
 * The last look that shows the bill. What may have been given back while nobody knew that the answer was lost needs a
 * reading from after the call: the charge of an earlier one can be gone by then.
 */
function billOf({ subject }: IndexedEvidence, looks: Look[]): Look | undefined {
  const mayBeBack = subject.backAfterMs !== null;
  return looks.findLast((look) => isBilled(look) && !(mayBeBack && look.at.askedMs < subject.t0Ms));
}

function isBilled({ mayBeUnbilled }: Look): boolean {
  return !mayBeUnbilled;
}

function isUnbilled({ mayBeBilled }: Look): boolean {
  return !mayBeBilled;
}

function isCounted({ equalsBilled: { least, most } }: Look): boolean {
  return least === most;
}

function unread(evidence: IndexedEvidence): Settlement {
  const { readings, subject, nowMs, patienceMs } = evidence;
  const wasRead = readings.some(({ atMs }) => atMs <= subject.claimedAtMs);
  const sentence = wasRead ? 'the balance was not read since' : 'the balance was not read before the submit';
  if (nowMs >= ownTimeMs(evidence, subject) + patienceMs) {
    return { outcome: 'verdict', verdict: 'undecided', sentence: `undecided: ${sentence}` };
  }
  return { outcome: 'wait', untilMs: nextLookMs(evidence), sentence };
}

const EITHER = 'it can be either';

/**
 * No explanation meets every reading since the claim: nothing that came later says anything of the case. What somebody put
 * into the account, for one, may hide its bill.
 */
function unexplained(evidence: IndexedEvidence, looks: Look[], strange: Look): Settlement {
  const { why, rise } = whyStrange(evidence, strange.at);
  const rests = { restsOnMs: strange.at.atMs, ...(rise && { rise }) };
  if (isHopeless(evidence, looks)) return { ...undecided(evidence, strange, why), ...rests };
  return { outcome: 'wait', untilMs: nextLookMs(evidence), ...rests, ...told(evidence, strange, why) };
}
function undecided(evidence: IndexedEvidence, look: Look, why: string): Settlement {
  return { outcome: 'verdict', verdict: 'undecided', ...told(evidence, look, `undecided: ${why}`) };
}

function told(evidence: IndexedEvidence, { at }: Look, end: string): Told {
  const story = storyOf(evidence, at);
  return { story, sentence: story ? `${tell(story)}: ${end}` : end };
}
