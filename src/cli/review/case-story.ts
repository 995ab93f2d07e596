import type { Evidence, Movement, Reading } from '../../books/check/evidence.js';
import { indexEvidence } from '../../books/check/movement-index.js';
import { ownTimeMs } from '../../books/check/patience.js';
import { showsAllUntil } from '../../books/check/residual.js';
import { clockText, creditsText, rangeText, type Story, storyOf } from '../../books/check/story.js';
import { gatherEvidence } from '../../books/evidence.js';
import type { Attempt, AttemptState } from '../../domain/attempt.js';
import type { Json } from '../../domain/json.js';
import { formatCredits } from '../../domain/money.js';
import { intentOf } from '../../domain/standing.js';
import { decisionText } from '../../home/earlier-render.js';
import { type HomeAccess, recordBooks } from '../access/home-access.js';
import { plain } from '../terminal.js';
import { amount, creditsRangeText } from '../views/counts.js';
import type { CaseRow } from './case-row.js';

/** What the balance tells of a row's last attempt: the one place where the review reads the account's evidence. */
export interface CaseStory {
  story: Story;
  /** How many movements of other attempts may lie between the two readings. */
  others: number;
  /** From when on two readings that agree can show that it was not billed. */
  dueAtMs: number;
}

/** Undefined for a row without a claim, and where the balance was not read before it or since. */
export async function caseStory(access: HomeAccess, { batch, row, last }: CaseRow): Promise<CaseStory | undefined> {
  const claimedAtMs = last && intentOf(last)?.atMs;
  if (last === undefined || claimedAtMs === undefined) return undefined;
  const ref = { batch, id: row.id, n: last.n };
  const evidence = await gatherEvidence(recordBooks(access), row.kind, ref, last);
  const clocks = await clocksOf(access, evidence);
  // What a verdict rests on stands before it; what came later moved the balance for other reasons.
  const verdictAtMs = last.states.findLast(({ state }) => state === 'verdict')?.atMs ?? Number.POSITIVE_INFINITY;
  const isBefore = (reading: Reading): boolean => (clocks.get(reading) ?? reading.atMs) <= verdictAtMs;
  const at = evidence.readings.findLast((one) => one.atMs > evidence.subject.claimedAtMs && isBefore(one));
  const story = at && storyOf(indexEvidence(evidence), at);
  if (at === undefined || story === undefined) return undefined;
  const others = evidence.movements.filter((movement) => touches(movement, evidence, story.base, at)).length;
  const onClock = (reading: Reading): Reading => ({ ...reading, atMs: clocks.get(reading) ?? reading.atMs });
  const dueAtMs = ownTimeMs(evidence, evidence.subject) + Date.now() - evidence.nowMs;
  return { story: { ...story, base: onClock(story.base), at: onClock(at) }, others, dueAtMs };
}

/**
 * When each reading was made, by the clock: evidence leaves out time in which nobody looked. Its readings are the
 * newest of the home, in their order.
 */
async function clocksOf({ home }: HomeAccess, { readings }: Evidence): Promise<Map<Reading, number>> {
  const first = readings[0];
  if (first === undefined) return new Map();
  const kept = (await home.checkpointsSince(first.atMs)).filter(({ balanceNano }) => balanceNano !== null);
  const newest = kept.slice(-readings.length);
  return new Map(readings.map((reading, i) => [reading, newest[i]?.atMs ?? reading.atMs]));
}

function touches({ fromMs, toMs, afterMs }: Movement, { lambdaMs }: Evidence, base: Reading, at: Reading): boolean {
  return fromMs <= at.atMs && (toMs === null || !showsAllUntil(base, toMs + afterMs, lambdaMs));
}

/** The balance's evidence on one attempt with its numbers, for people and as JSON. Pure. */

export function evidenceLines(found: CaseStory | undefined): string[] {
  if (found === undefined) return ['  the balance was not read both before the submit and after it'];
  const { base, at, fallNano, explained, missing, price, rivals } = found.story;
  const moved = fallNano < 0 ? `it rose by ${creditsText(-fallNano)}` : `it fell by ${creditsText(fallNano)}`;
  const also = rivals === 0 ? '' : `; ${amount(rivals, 'other answer is', 'other answers are')} lost as well`;
  return [
    `  balance  ${formatCredits(base.balanceNano)} at ${clockText(base.atMs)}, before the submit; ${formatCredits(at.balanceNano)} at ${clockText(at.atMs)}: ${moved}`,
    `  others   ${amount(found.others, 'other attempt')} took ${rangeText(explained)} of that${also}`,
    `  missing  ${rangeText(missing)}`,
    `  price    this attempt would cost ${Number.isFinite(price.hi) ? rangeText(price) : 'an unknown amount'}`,
  ];
}

/** The verdict, or what the case waits for and until when; undefined for an attempt that never was a case. */
export function verdictLine(
  attempt: Attempt | undefined,
  found: CaseStory | undefined,
  nowMs: number,
): string | undefined {
  const last = attempt?.states.at(-1);
  const verdict = attempt?.states.findLast((state) => state.state === 'verdict');
  if (verdict !== undefined) return `  verdict  ${verdict.verdict.replace('_', ' ')}, at ${clockText(verdict.atMs)}`;
  if (last?.state !== 'unknown' && last?.state !== 'created_lost') return undefined;
  if (found === undefined) return '  verdict  none yet: it waits for a reading of the balance';
  if (nowMs < found.dueAtMs) {
    return `  verdict  none yet: that it was not billed can be known from ${clockText(found.dueAtMs)} on; that it was, before`;
  }
  return '  verdict  none yet: it waits until the readings of the balance allow one answer alone';
}

export function evidenceJson(found: CaseStory | undefined): object | null {
  if (found === undefined) return null;
  const { story, others, dueAtMs } = found;
  const { base, at, fallNano, explained, missing, price, rivals } = story;
  return {
    balance_before: { at: new Date(base.atMs).toISOString(), credits: formatCredits(base.balanceNano) },
    balance_after: { at: new Date(at.atMs).toISOString(), credits: formatCredits(at.balanceNano) },
    fell_by: formatCredits(fallNano),
    others: { attempts: others, ...rangeJson(explained) },
    missing: rangeJson(missing),
    price: rangeJson(price),
    other_lost_answers: rivals,
    not_billed_known_from: new Date(dueAtMs).toISOString(),
  };
}

/** Plain decimals; null = without bound. */
function rangeJson({ lo, hi }: { lo: number; hi: number }): { from: string | null; to: string | null } {
  const text = (nano: number): string | null => (Number.isFinite(nano) ? formatCredits(nano) : null);
  return { from: text(lo), to: text(hi) };
}

const ANSWER_SHOWN = 1_000;

/** The ledger's states of an attempt, for people and as JSON. The claim's nonce is shown to nobody. Pure. */

export function stateLine(state: AttemptState): string {
  return `${new Date(state.atMs).toISOString()}  ${state.state.padEnd(12)}  ${plain(factsOf(state), 400)}`;
}

/** What an answer that could not be read began with. */
export function answerLines(state: AttemptState): string[] {
  const answer = 'evidence' in state ? state.evidence.answer : undefined;
  return answer === undefined ? [] : [`    its answer began: ${plain(answer, ANSWER_SHOWN)}`];
}

/** What proves whose a claim or a callback is. */
const HIDDEN = ['nonce', 'callbackToken'];

export function attemptJson({ n, states, torn }: Attempt): Json {
  return { n, torn, states: states.map(stateJson) };
}

function stateJson(state: AttemptState): Json {
  const { atMs, ...facts } = state;
  const shown = Object.fromEntries(Object.entries(facts).filter(([name]) => !HIDDEN.includes(name)));
  return { at: new Date(atMs).toISOString(), ...(shown as Record<string, Json>) };
}

function factsOf(state: AttemptState): string {
  switch (state.state) {
    case 'intent': {
      const { expected, balance, kind, rowHash } = state;
      const price = expected === null ? 'price unknown' : `price ${creditsRangeText(expected)}`;
      const known = balance ? `, balance ${formatCredits(balance.nano)}` : '';
      return `${kind}, ${price}${known}, row ${rowHash.slice(0, 12)}`;
    }
    case 'void':
      return state.why;
    case 'refused':
      return `${state.rule}: ${[state.status, state.code, state.message].filter(Boolean).join(' ')}`;
    case 'created':
      return `handle ${state.handle}${state.warning ? ` (${state.warning})` : ''}`;
    case 'attached':
      return `handle ${state.handle}: ${decisionText(state)}`;
    case 'ruled':
    case 'overridden':
      return decisionText(state);
    case 'created_lost':
    case 'unknown': {
      const { rule, status, code, phase, message, outputUrl } = state.evidence;
      const salvaged = state.state === 'created_lost' && state.salvagedHandle ? '; a handle was found in it' : '';
      return `${rule}: ${[phase, status, code, message, outputUrl].filter(Boolean).join(' ')}${salvaged}`;
    }
    case 'verdict':
      return `${state.verdict.replace('_', ' ')}: ${state.sentence}`;
    case 'done':
    case 'rendered':
      return `${state.outputs.length} output${state.outputs.length === 1 ? '' : 's'}`;
    case 'ended':
      return [state.word, state.code, state.message].filter(Boolean).join(': ');
  }
}
