import type { Attempt, AttemptRef } from '../../src/domain/attempt.js';
import type { Row } from '../../src/domain/row.js';
import { handleOf, standingOf } from '../../src/domain/standing.js';
import { endStateOf } from '../../src/home/attempts.js';
import { LedgerError } from '../../src/home/ledger.js';
import { adapterFor } from '../../src/kinds/index.js';
import { readPolled } from '../../src/kinds/readings.js';
import type { Dependencies } from '../dependencies.js';
import { askedWaitMs, readTurn, tryAgain } from '../failures.js';
import { noteLimits } from '../row/semaphore-notes.js';

/**
 * Asks once what a rendered job has to give now. A fresh URL, or the word that there is nothing any more, stands in the
 * ledger afterwards; any other answer changes nothing. False where there is nothing to ask by.
 */
export async function askFreshUrl(deps: Dependencies, ref: AttemptRef, row: Row, attempt: Attempt): Promise<boolean> {
  const handle = handleOf(attempt);
  const adapter = adapterFor(row.kind);
  if (handle === undefined || adapter.flow !== 'async') return false;
  if (standingOf(attempt) !== 'rendered') return false;
  await readTurn(deps);
  const exchange = await deps.transport.send(adapter.pollRequest(handle, row));
  if (exchange.outcome !== 'answered') return true;
  const { answer } = exchange;
  if (answer.status === 429) {
    await noteLimits(deps);
    throw tryAgain('service.unavailable', '429', askedWaitMs(deps, answer.retryAfter));
  }
  if (answer.status < 200 || answer.status >= 300) return true;
  const reading = readPolled(adapter, handle, answer);
  if (reading.reading !== 'succeeded' && reading.reading !== 'failed') return true;
  try {
    await deps.ledger.append(ref, endStateOf(reading, deps.now()));
  } catch (error) {
    // A person has settled the attempt meanwhile: that stands.
    if (!(error instanceof LedgerError)) throw error;
    deps.log.warn({ ...ref, code: error.code }, 'what a late poll said does not fit the ledger');
  }
  return true;
}
