import type { Attempt, AttemptRef } from '../../src/domain/attempt.js';
import { speaksOfHost } from '../../src/domain/exchange.js';
import type { Row } from '../../src/domain/row.js';
import { handleOf, standingOf } from '../../src/domain/standing.js';
import { endStateOf } from '../../src/home/attempts.js';
import { LedgerError } from '../../src/home/ledger.js';
import { adapterFor } from '../../src/kinds/index.js';
import { readPolled } from '../../src/kinds/readings.js';
import type { Dependencies } from '../dependencies.js';
import { askedWaitMs, readTurn, tryAgain } from '../failures.js';
import { noteLimits } from '../row/semaphore-notes.js';

/** Of a question for a fresh URL: there is nothing to ask by, the service said nothing of the job, or it did. */
type Asked = 'nobody' | 'unanswered' | 'answered';

/**
 * Asks once what a rendered job has to give now. A fresh URL, or the word that there is nothing any more, stands in the
 * ledger afterwards; any other answer changes nothing.
 */
export async function askFreshUrl(deps: Dependencies, ref: AttemptRef, row: Row, attempt: Attempt): Promise<Asked> {
  const handle = handleOf(attempt);
  const adapter = adapterFor(row.kind);
  if (handle === undefined || adapter.flow !== 'async') return 'nobody';
  if (standingOf(attempt) !== 'rendered') return 'nobody';
  await readTurn(deps);
  const exchange = await deps.transport.send(adapter.pollRequest(handle, row));
  if (exchange.outcome !== 'answered') return 'unanswered';
  const { answer } = exchange;
  if (answer.status === 429) {
    await noteLimits(deps);
    throw tryAgain('service.unavailable', '429', askedWaitMs(deps, answer.retryAfter));
  }
  // A refused key says nothing of the job either.
  if (answer.status === 401 || speaksOfHost(answer.status)) return 'unanswered';
  if (answer.status < 200 || answer.status >= 300) return 'answered';
  const reading = readPolled(adapter, handle, answer);
  if (reading.reading !== 'succeeded' && reading.reading !== 'failed') return 'answered';
  try {
    await deps.ledger.append(ref, endStateOf(reading, deps.now()));
  } catch (error) {
    // A person has settled the attempt meanwhile: that stands.
    if (!(error instanceof LedgerError)) throw error;
    deps.log.warn({ ...ref, code: error.code }, 'what a late poll said does not fit the ledger');
  }
  return 'answered';
}
