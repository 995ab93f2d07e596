import type { Case } from '../../src/books/check/evidence.js';
import { explain } from '../../src/books/check/explain.js';
import { indexEvidence } from '../../src/books/check/movement-index.js';
import { type Settlement, settle } from '../../src/books/check/settle.js';
import { createRandom } from '../engine/random.js';
import type { Broken } from './account.js';
import type { Attempt } from './attempt.js';
import { drawHistory, type History } from './history.js';
import { evidenceOf, openCases, type Verdicts } from './knowledge.js';
import type { Read } from './readings.js';

/** Plays one history: asks the check at every moment, keeps its verdicts, and holds each against the truth. */

export interface Breach {
  seed: number;
  rule: 'truth' | 'not_billed' | 'billed' | 'group';
  what: string;
}

export interface JudgedCase {
  verdict: 'billed' | 'not_billed' | 'undecided' | 'open';
  isExact: boolean;
  isAlone: boolean;
  isByGroup: boolean;
}

export interface Played {
  breaches: Breach[];
  cases: JudgedCase[];
  looks: number;
}

export function playHistory(seed: number, broken: Broken | undefined): Played {
  const history = drawHistory(createRandom(`history ${seed}`), broken);
  const verdicts: Verdicts = new Map();
  const grouped = new Set<string>();
  const played: Played = { breaches: [], cases: [], looks: 0 };
  const breach = (rule: Breach['rule'], what: string): void => {
    played.breaches.push({ seed, rule, what });
  };
  for (const nowMs of history.moments) {
    checkTruth(history, verdicts, nowMs, played, breach);
    for (const subject of openCases(history, verdicts, nowMs)) {
      // One that its group has settled meanwhile is not asked for any more.
      if (verdicts.has(subject.name)) continue;
      const evidence = evidenceOf(history, verdicts, nowMs, subject);
      const settled = settle(evidence);
      if (settled.outcome === 'wait') continue;
      const equals = [subject.name, ...evidence.equals];
      if (settled.outcome === 'group') for (const name of equals) grouped.add(name);
      keep(history, verdicts, nowMs, { subject, equals, settled, skippedMs: nowMs - evidence.nowMs }, breach);
    }
  }
  played.cases = history.attempts.filter(({ isLost }) => isLost).map((one) => judged(history, verdicts, grouped, one));
  return played;
}

/** The truth is among the explanations that stay, at every reading that the check looks at. */
function checkTruth(
  history: History,
  verdicts: Verdicts,
  nowMs: number,
  played: Played,
  breach: (rule: 'truth', what: string) => void,
): void {
  const [subject] = openCases(history, verdicts, nowMs);
  if (subject === undefined) return;
  const evidence = evidenceOf(history, verdicts, nowMs, subject);
  const open = new Set([evidence.subject, ...evidence.rivals].map(({ name }: Case) => name));
  for (const look of explain(indexEvidence(evidence))) {
    const { holds, askedMs } = look.at as Read;
    const billed = new Set([...holds()].filter((name) => open.has(name)));
    played.looks += 1;
    if (look.isExplained && look.holds(billed)) continue;
    breach('truth', `the reading of ${askedMs} has ${[...billed].join(', ') || 'none'}, which is not among the explanations`);
    return;
  }
}

interface Step {
  subject: Attempt;
  equals: string[];
  settled: Exclude<Settlement, { outcome: 'wait' }>;
  /** How much of the time until now does not count. */
  skippedMs: number;
}

function keep(
  { attempts }: History,
  verdicts: Verdicts,
  nowMs: number,
  { subject, equals, settled, skippedMs }: Step,
  breach: (rule: Breach['rule'], what: string) => void,
): void {
  const told = (what: string): string => `${what} at ${nowMs}: ${settled.sentence}`;
  if (settled.outcome === 'verdict') {
    const { verdict, story } = settled;
    const goneMs = 'goneMs' in settled ? settled.goneMs + skippedMs : nowMs;
    verdicts.set(subject.name, { verdict, atMs: story === undefined ? nowMs : story.at.atMs + skippedMs, goneMs });
    if (verdict === 'not_billed' && mostFrom(subject, nowMs) > 0) breach('not_billed', told(`${subject.name} is paid`));
    if (verdict === 'billed' && !wasCharged(subject, nowMs)) breach('billed', told(`${subject.name} was not paid`));
    return;
  }
  const members = attempts.filter(({ name }) => equals.includes(name));
  const paid = members.filter((one) => mostFrom(one, nowMs) > 0).length;
  const everPaid = members.filter((one) => wasCharged(one, nowMs)).length;
  if (settled.billed < paid || settled.billed > everPaid) {
    breach('group', told(`of ${members.length} ${paid} are paid and ${everPaid} were, ${settled.billed} are said to be`));
  }
  for (const [i, { name }] of members.entries()) {
    const verdict = i < settled.billed ? 'billed' : 'not_billed';
    verdicts.set(name, { verdict, atMs: nowMs, goneMs: settled.goneMs + skippedMs });
  }
}

/** The most that an attempt has cost at any time from one on. */
function mostFrom({ money }: Attempt, fromMs: number): number {
  const at = (ms: number): number => money.reduce((sum, one) => (one.atMs <= ms ? sum - one.nano : sum), 0);
  return Math.max(at(fromMs), ...money.filter(({ atMs }) => atMs > fromMs).map(({ atMs }) => at(atMs)));
}

function wasCharged({ money }: Attempt, untilMs: number): boolean {
  return money.some(({ atMs, nano }) => atMs <= untilMs && nano < 0);
}

function judged({ attempts }: History, verdicts: Verdicts, grouped: Set<string>, one: Attempt): JudgedCase {
  const { lo, hi } = one.family.price;
  return {
    verdict: verdicts.get(one.name)?.verdict ?? 'open',
    isExact: lo === hi && one.family.followUpNano === 0,
    isAlone: attempts.filter(({ isLost }) => isLost).length === 1,
    isByGroup: grouped.has(one.name),
  };
}
