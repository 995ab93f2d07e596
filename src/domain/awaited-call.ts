import type { CreditsNano } from './money.js';

/** A paid request whose answer is not in the home yet: whoever gives up waiting may lose what it bought. */
export interface AwaitedCall {
  /** The most that it can cost; null when nobody knows. */
  creditsNano: CreditsNano | null;
  /** When its time for an answer is over, epoch ms. */
  untilMs: number;
  /** Its answer is there, and the home cannot take it: the disk is full, or the home is away. */
  isAnswered?: true;
}
