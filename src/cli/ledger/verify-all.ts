import { type LedgerBreach, verifyLedger } from '../../store/verify-ledger.js';
import { openHomeAccess } from '../access/home-access.js';
import { EXIT } from '../exit-codes.js';
import type { Session } from '../session.js';
import { amount } from '../views/counts.js';
import { formatDuration } from '../views/durations.js';

/** Breaches beyond this are counted, not shown. */
const SHOWN_MAX = 100;

/** Verifies the whole ledger of the account and tells what it found; gives the exit code. */
export async function verifyAll(session: Session): Promise<number> {
  const { terminal, config } = session;
  const { home } = openHomeAccess(config);
  const shown: LedgerBreach[] = [];
  const startedAtMs = Date.now();
  const facts = await verifyLedger(home, (breach) => {
    if (shown.length < SHOWN_MAX) shown.push(breach);
  });
  const exitCode = facts.breaches === 0 ? EXIT.done : EXIT.someNotDone;
  if (session.isJson) {
    terminal.json({ schema: 1, account: config.account.name, ...facts, shown });
    return exitCode;
  }
  for (const { batch, id, rule, what } of shown) terminal.data(`${rule}  batch '${batch}', row '${id}': ${what}`);
  if (facts.breaches > shown.length) terminal.data(`${facts.breaches - shown.length} more are not shown`);
  const took = formatDuration(Date.now() - startedAtMs);
  terminal.note(
    `${amount(facts.records, 'record')} of ${amount(facts.attempts, 'attempt')} of ${amount(facts.rows, 'row')} in ${amount(facts.batches, 'batch', 'batches')}, ${facts.open} open (${facts.leftovers} to be tidied at the next start), in ${took}`,
  );
  if (facts.breaches === 0) terminal.data('the ledger agrees with itself');
  else
    terminal.error(
      `${amount(facts.breaches, 'breach', 'breaches')}: nothing was changed; keep a copy of ${config.home} and ask for help`,
    );
  return exitCode;
}
