import type { CreditsNano } from './money.js';

/** A paid request that was sent and has no answer yet: whoever gives up waiting may lose what it bought. */
export interface AwaitedCall {
  /** The most that it can cost; null when nobody knows. */
  creditsNano: CreditsNano | null;
  /** When its time for an answer is over, epoch ms. */
  untilMs: number;
}
