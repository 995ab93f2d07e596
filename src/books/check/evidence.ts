import type { CreditsNano, CreditsRange } from '../../domain/money.js';

/** One reading of the account's balance. It shows the balance of some moment from Λ before it was asked for on. */
export interface Reading {
  askedMs: number;
  /** When the answer was there. */
  atMs: number;
  balanceNano: CreditsNano;
}

/**
 * What an attempt whose fate is known may do to the balance: nothing before `fromMs`; once `afterMs` have passed since
 * `toMs` (null = not over yet) it has taken `lo` to `hi`; in between anything from nothing to `peak`. A refund takes a
 * negative amount; `null` = without bound.
 */
export interface Movement {
  fromMs: number;
  /** When something was seen to end. */
  toMs: number | null;
  /** How long after that it can still move. */
  afterMs: number;
  lo: CreditsNano;
  hi: CreditsNano | null;
  peak: CreditsNano | null;
}

/** An attempt whose answer is lost: billed or not, nobody knows yet. Times are epoch ms, waits scaled. */
export interface Case {
  /** `batch/id/n`: tells cases apart. */
  name: string;
  /** Nothing can have been charged before. */
  claimedAtMs: number;
  /** When its call was over for certain: nobody held the connection any more. */
  t0Ms: number;
  /** So long after `t0Ms` a charge of it can still come. */
  dueAfterMs: number;
  /** So long after `t0Ms` a charge can still be given back; null where a failure is never charged. */
  backAfterMs: number | null;
  /** What it would cost; null = no price known. */
  price: CreditsRange | null;
}

/** What is known of the account while cases are weighed. */
export interface AccountEvidence {
  nowMs: number;
  /** Nobody else uses the account. */
  exclusive: boolean;
  /** Λ: how late the balance can show a movement. */
  lambdaMs: number;
  /** Ρ: how late a refund can be after the end. */
  rhoMs: number;
  /** One unit of the last decimal place that this account's balances ever showed. */
  roundingNano: CreditsNano;
  /** Two readings this far apart count as two. */
  apartMs: number;
  /** Ascending, from some time before the first claim on. */
  readings: Reading[];
  /** Every attempt but the open cases that may have moved the balance since the first reading. */
  movements: Movement[];
}

/** Everything that the verdict on one case rests on. */
export interface Evidence extends AccountEvidence {
  subject: Case;
  /** The account's other open cases: each may or may not have been billed as well. */
  rivals: Case[];
  /** Names of the rivals that are interchangeable with the subject: it does not matter which of them was billed. */
  equals: string[];
  /** Those of the same price that were judged before: what may still come back of them counts with the equals. */
  judged?: Judged;
  /** How long a case that is past its time waits by itself before it is hopeless or asks for a quiet. */
  patienceMs: number;
  /** So long after its time (and that of its equals) a case is given up. */
  giveUpAfterMs: number;
}

/** Interchangeable attempts with a verdict, as the open cases that they were. */
export interface Judged {
  cases: Case[];
  /** How many of them count as billed. */
  billed: number;
  /** The movements of everything but them. */
  movements: Movement[];
}
