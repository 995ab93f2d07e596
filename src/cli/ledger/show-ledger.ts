import { standingOf } from '../../domain/standing.js';
import { openHomeAccess } from '../access/home-access.js';
import { knownBatch } from '../batch/known-batch.js';
import { attemptJson, stateLine } from '../review/state-lines.js';
import type { Session } from '../session.js';
import { UserError } from '../user-error.js';

/** Shows all that the ledger has of one row. */
export async function showLedger(session: Session, batch: string, id: string): Promise<void> {
  const { terminal } = session;
  const access = openHomeAccess(session.config);
  await knownBatch(session, access, batch);
  const attempts = /^[A-Za-z0-9._-]{1,120}$/.test(id) ? await access.ledger.read(batch, id) : [];
  if (attempts.length === 0) {
    throw new UserError(`the ledger of batch '${batch}' has no attempt of a row '${id.slice(0, 120)}'`);
  }
  if (session.isJson) return terminal.json({ schema: 1, batch, id, attempts: attempts.map(attemptJson) });
  for (const attempt of attempts) {
    const torn = attempt.torn ? ', a record of it cannot be read' : '';
    terminal.data(`attempt ${attempt.n}: ${standingOf(attempt).replace('_', ' ')}${torn}`);
    for (const state of attempt.states) terminal.data(`  ${stateLine(state)}`);
  }
}
