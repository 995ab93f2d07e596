import { lookOverDocuments } from '../../home/verify-documents.js';
import { type LedgerBreach, verifyLedger } from '../../home/verify-ledger.js';
import { openHomeAccess } from '../access/home-access.js';
import { EXIT } from '../exit-codes.js';
import { commandHint } from '../hints.js';
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
  const { documents, damaged, shown: unreadable } = await lookOverDocuments(home);
  const isGood = facts.breaches === 0 && damaged === 0;
  const exitCode = isGood ? EXIT.done : EXIT.someNotDone;
  if (session.isJson) {
    const keys = unreadable.map(({ key }) => key);
    terminal.json({ schema: 1, account: config.account.name, ...facts, shown, documents, damaged, unreadable: keys });
    return exitCode;
  }
  for (const { batch, id, rule, what } of shown) terminal.data(`${rule}  batch '${batch}', row '${id}': ${what}`);
  if (facts.breaches > shown.length) terminal.data(`${facts.breaches - shown.length} more are not shown`);
  for (const { key, sort } of unreadable) terminal.data(`damaged  ${key}: ${sort.name} cannot be read`);
  if (damaged > unreadable.length) terminal.data(`${damaged - unreadable.length} more are not shown`);
  const took = formatDuration(Date.now() - startedAtMs);
  terminal.note(
    `${amount(facts.records, 'record')} of ${amount(facts.attempts, 'attempt')} of ${amount(facts.rows, 'row')} in ${amount(facts.batches, 'batch', 'batches')}, ${facts.open} open (${facts.leftovers} to be tidied at the next start), ${amount(documents, 'document')}, in ${took}`,
  );
  if (damaged > 0) {
    const what = amount(damaged, 'document', 'documents');
    terminal.error(`${what} cannot be read: ${commandHint(session, 'ledger repair')} sets aside what can be made anew`);
  }
  if (isGood) terminal.data('the ledger agrees with itself');
  if (facts.breaches > 0)
    terminal.error(
      `${amount(facts.breaches, 'breach', 'breaches')}: nothing was changed; keep a copy of ${config.home} and ask for help`,
    );
  return exitCode;
}
