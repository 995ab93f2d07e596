import { type CreditsNano, formatCredits } from '../domain/money.js';
import type { BatchBooks } from '../home/learned.js';
import { distrust, readTrust } from '../home/verdicts.js';
import { clockText, rangeText } from './check/story.js';
import type { Books } from './open-books.js';

/**
 * Somebody else moves the balance of an account that was declared exclusive: another home, another account name with its
 * key, or the service itself. Nothing is sent again by itself then until a person has looked.
 */

/** What a closed batch leaves unexplained. A price that is too high looks like a rise: only one of the balance counts. */
export async function tellOfOthers(
  { home, log, now }: Books,
  batch: string,
  { fromMs, toMs, startNano, endNano, unattributed }: BatchBooks,
  earlier: BatchBooks | undefined,
): Promise<void> {
  if (unattributed === null || (unattributed.lo === 0 && unattributed.hi === 0)) return;
  log.warn({ batch, ...unattributed }, 'the balance moved by more than is known here');
  const { lo, hi } = unattributed;
  const between = `between ${clockText(fromMs)} and ${clockText(toMs)}`;
  // What was told of the same span is not told again; more of it is.
  const known = (earlier?.fromMs === fromMs ? earlier.unattributed : null) ?? { lo: 0, hi: 0 };
  if (lo > 0 && lo > known.lo) {
    // What is given back to them would look like an answer of ours that was never billed.
    const why = `${between} ${rangeText(unattributed)} credits left the balance that no request of this home explains`;
    await distrust(home, { why, atMs: now() });
  }
  if (hi < 0 && hi < known.hi && endNano > startNano) {
    const came = rangeText({ lo: -hi, hi: -lo });
    const why = `${between} ${came} credits came to the balance that no refund and no purchase explains`;
    await distrust(home, { why, atMs: now() });
  }
}

/** A rise of the balance beside open cases: it may hide their bills. Whoever has looked since is not asked again. */
export async function tellOfRise({ home, log, now }: Books, balanceNano: CreditsNano, atMs: number): Promise<void> {
  const seen = await readTrust(home);
  if (seen && (!seen.trusted || seen.atMs >= atMs)) return;
  const balance = formatCredits(balanceNano);
  const why = `by ${clockText(atMs)} the balance rose to ${balance} by what no refund and no purchase explains`;
  log.error({ why }, 'if-proved is off for this account');
  await distrust(home, { why, atMs: now() });
}
