import { formatDuration } from '../domain/duration.js';
import { standingOf } from '../domain/standing.js';
import {
  type DamagedDocument,
  lookOverDocuments,
  type Repair,
  repairDocument,
  verifyDocuments,
} from '../home/verify-documents.js';
import { type LedgerBreach, verifyLedger } from '../home/verify-ledger.js';
import { nameFlaw } from '../manifest/names.js';
import { openHomeAccess } from './access/home-access.js';
import { knownBatch } from './batch/known-batch.js';
import { commandHint } from './open-session.js';
import { nearestIdHint } from './review/case-row.js';
import { attemptJson, stateLine } from './review/case-story.js';
import type { Session } from './session.js';
import { EXIT, UserError } from './user-error.js';
import { amount } from './views/counts.js';

/** Shows all that the ledger has of one row. */
export async function showLedger(session: Session, batch: string, id: string): Promise<void> {
  const { terminal } = session;
  const known = await knownBatch(session, batch);
  const { access } = known;
  const attempts = nameFlaw(id) === undefined ? await access.ledger.read(batch, id) : [];
  if (attempts.length === 0) {
    throw new UserError(
      `the ledger of batch '${batch}' has no attempt of a row '${id.slice(0, 120)}'${await nearestIdHint(known, id)}`,
    );
  }
  if (session.isJson) return terminal.json({ schema: 1, batch, id, attempts: attempts.map(attemptJson) });
  for (const attempt of attempts) {
    const torn = attempt.torn ? ', a record of it cannot be read' : '';
    terminal.data(`attempt ${attempt.n}: ${standingOf(attempt).replace('_', ' ')}${torn}`);
    for (const state of attempt.states) terminal.data(`  ${stateLine(state)}`);
  }
}

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
  for (const { key, sort, isMissing } of unreadable) {
    const what = isMissing ? ': not there, beside the rest of its batch' : ' cannot be read';
    terminal.data(`damaged  ${key}: ${sort.name}${what}`);
  }
  if (damaged > unreadable.length) terminal.data(`${damaged - unreadable.length} more are not shown`);
  const took = formatDuration(Date.now() - startedAtMs);
  terminal.note(
    `${amount(facts.records, 'record')} of ${amount(facts.attempts, 'attempt')} of ${amount(facts.rows, 'row')} in ${amount(facts.batches, 'batch', 'batches')}, ${facts.open} open (${facts.leftovers} to be tidied at the next start), ${amount(documents, 'document')}, in ${took}`,
  );
  if (damaged > 0) {
    const what = amount(damaged, 'document', 'documents');
    terminal.error(`${what} cannot be read: ${commandHint(session, 'ledger repair')} makes anew what can be`);
  }
  if (isGood) terminal.data('the ledger agrees with itself');
  if (facts.breaches > 0)
    terminal.error(
      `${amount(facts.breaches, 'breach', 'breaches')}: nothing was changed; keep a copy of ${config.home} and ask for help`,
    );
  return exitCode;
}

const ADVICE = {
  again: '',
  run: ': run its manifest again, which writes it anew',
  kept: ': it stays, and is taken for the worst that it can say',
} as const;

/** Sets aside every damaged document that can be made anew, and says of each what became of it; gives the exit code. */
export async function repairAll(session: Session): Promise<number> {
  const { terminal, config, cli } = session;
  const { home } = openHomeAccess(config);
  // What is left to be mended is mended, whoever has read enough of it.
  cli.io.onReaderGone(() => undefined);
  const damaged: DamagedDocument[] = [];
  const documents = await verifyDocuments(home, (one) => damaged.push(one));
  const atMs = Date.now();
  const done: { key: string; repair: Repair }[] = [];
  for (const one of damaged) {
    const repair = await repairDocument(home, one, atMs);
    done.push({ key: one.key, repair });
    if (!session.isJson) terminal.data(`${repair}  ${one.key}${repair === 'left' ? ADVICE[one.sort.mended] : ''}`);
  }
  const left = done.filter(({ repair }) => repair === 'left').length;
  if (session.isJson) terminal.json({ schema: 1, account: config.account.name, documents, damaged: done });
  else if (damaged.length === 0) terminal.note(`${amount(documents, 'document')}: none is damaged`);
  else {
    const kept = `${config.home}/${home.account}/set-aside/${atMs}`;
    if (left < done.length)
      terminal.note(`what was set aside lies in ${kept}; rows without a record go on when their manifest is run again`);
  }
  return left === 0 ? EXIT.done : EXIT.someNotDone;
}
