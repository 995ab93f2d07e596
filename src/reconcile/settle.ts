import type { Verdict } from '../domain/attempt.js';
import type { AccountEvidence, CaseFacts, Checkpoint, SettleEvidence } from './evidence.js';
import { CASES_MAX, type Look, lookAt, usableBases } from './explanations.js';
import { meets } from './interval.js';
import { mayComeBack } from './known-attempt.js';
import { risesOf, shownSinceMs } from './residual.js';
import { tell } from './sentence.js';

export type Settlement =
  | { outcome: 'verdict'; verdict: Exclude<Verdict, 'not_billed'>; sentence: string }
  /** `goneMs`: from here on the balance holds nothing of it; before, it may have been charged and given back. */
  | { outcome: 'verdict'; verdict: 'not_billed'; sentence: string; goneMs: number }
  | { outcome: 'wait'; untilMs: number; sentence: string };

/** Earlier readings than these prove nothing that a later one does not. */
const LOOKS_MAX = 40;
/** So many readings of the quiet are asked for before a case is given up: a slow machine looks rarely. */
const QUIET_READINGS_MIN = 3;

/**
 * Settles one ambiguous attempt from the balance: was it billed, or can it still be? Pure: the same evidence always
 * gives the same verdict. A verdict is given only where every consistent explanation of the balance agrees.
 */
export function settle(evidence: SettleEvidence): Settlement {
  const { checkpoints, subject } = evidence;
  const bases = usableBases(evidence);
  const base = bases.at(-1);
  const latest = checkpoints.at(-1);
  const after = checkpoints.filter((c) => c.atMs > subject.claimedAtMs);
  const deadlineMs = quietAtMs(evidence, subject);
  if (!evidence.exclusive && after.length > 0) {
    return verdict('undecided', 'the account is not declared exclusive, so its balance proves nothing');
  }
  if (!base || !latest || after.length === 0) {
    const why = base ? 'the balance was not read since' : 'no balance was read before the submit';
    if (base || evidence.nowMs < deadlineMs) return wait(evidence, deadlineMs, why);
    return verdict('undecided', why);
  }
  const story = tell(evidence, base, latest);
  const open = evidence.rivals.length + 1;
  if (open > CASES_MAX) {
    return inconclusive(evidence, deadlineMs, `${story}: ${open} lost answers at once are too many to tell apart`);
  }
  const rises = risesOf(evidence);
  const look = (at: Checkpoint): Look => lookAt(evidence, bases, rises, at);
  const now = look(latest);
  if (!now.shown && !now.hidden) {
    return inconclusive(evidence, deadlineMs, `${story}: someone else seems to spend from this account`);
  }
  if (!now.hidden) return verdict('billed', `${story}: billed`);
  const bill = now.shown ? after.slice(-LOOKS_MAX, -1).find((c) => isBilled(look(c))) : undefined;
  const billed = bill && verdict('billed', `${tell(evidence, base, bill)}: billed`);
  // It may have come back since: the quiet may show it.
  if (billed && !mayComeBack(subject.charge)) return billed;
  // Later readings may lie in the middle of other jobs' charges; what two of the quiet showed holds all the same.
  const quiet = after.filter((c) => shownSinceMs(c) >= deadlineMs).slice(-LOOKS_MAX);
  const first = quiet.find((c, i) => {
    const next = quiet[i + 1];
    return next !== undefined && agree(look(c), look(next));
  });
  if (first) {
    const sentence = `${tell(evidence, base, first)}: not billed`;
    return { outcome: 'verdict', verdict: 'not_billed', sentence, goneMs: shownSinceMs(first) };
  }
  if (now.shown) return inconclusive(evidence, deadlineMs, `${story}: it can be either`, billed);
  return wait(evidence, deadlineMs, story);
}

/** From when on a charge of this attempt would show in the balance. */
export function quietAtMs({ thetaMs, lambdaMs }: Pick<AccountEvidence, 'thetaMs' | 'lambdaMs'>, c: CaseFacts): number {
  if (c.flow === 'sync') return c.claimedAtMs + c.syncMaxMs + lambdaMs;
  const createdByMs = Math.max(c.claimedAtMs, c.gaveUpAtMs) + thetaMs;
  return c.charge === 'at-submit' ? createdByMs + lambdaMs : createdByMs + c.renderMaxMs + lambdaMs;
}

function isBilled({ shown, hidden }: Look): boolean {
  return shown && !hidden;
}

function isUnbilled({ shown, hidden }: Look): boolean {
  return hidden && !shown;
}

/** Two readings in a row that both show no charge of this attempt, and nothing else that moved in between. */
function agree(first: Look, second: Look): boolean {
  return isUnbilled(first) && isUnbilled(second) && meets(first.residual, second.residual);
}

/**
 * What other jobs were charged last may still be on its way at the deadline: a little longer makes it certain. `earlier`
 * is what an earlier reading told, which then stands.
 */
function inconclusive(evidence: SettleEvidence, deadlineMs: number, story: string, earlier?: Settlement): Settlement {
  const quiet = evidence.checkpoints.filter((c) => shownSinceMs(c) >= deadlineMs);
  const last = quiet.at(-1);
  const endMs = deadlineMs + Math.min(evidence.lambdaMs, evidence.thetaMs);
  const isOver = last !== undefined && shownSinceMs(last) >= endMs && quiet.length >= QUIET_READINGS_MIN;
  if (!isOver) return wait(evidence, deadlineMs, story);
  return earlier ?? verdict('undecided', `${story}: undecided`);
}

/**
 * Looks again soon at first, since a bill shows early, then ever more rarely, and twice at the deadline. An hour's
 * wait takes some twenty looks.
 */
function wait({ nowMs, lambdaMs, subject }: SettleEvidence, deadlineMs: number, sentence: string): Settlement {
  const step = Math.max(lambdaMs / 4, (nowMs - subject.claimedAtMs) / 4);
  const untilMs = nowMs < deadlineMs ? Math.min(deadlineMs, nowMs + step) : nowMs + lambdaMs / 12;
  return { outcome: 'wait', untilMs, sentence };
}

function verdict(which: Exclude<Verdict, 'not_billed'>, sentence: string): Settlement {
  return { outcome: 'verdict', verdict: which, sentence };
}
