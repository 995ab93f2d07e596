import type { AttemptInput } from '../src/contract/activities.js';
import type { AttemptRef, AttemptState } from '../src/domain/attempt.js';
import type { PollReading } from '../src/domain/exchange.js';
import { handleOf, standingOf } from '../src/domain/standing.js';
import { LedgerError } from '../src/home/ledger.js';
import { loadRow } from '../src/home/row-work.js';
import { readPolled } from '../src/kinds/readings.js';

import { askedWaitMs } from './asked-wait.js';
import type { Dependencies } from './dependencies.js';
import { readTurn, tryAgain, withRecords } from './failures.js';
import { noteLimits } from './semaphore-notes.js';

export interface FreshUrlActivities {
  /**
   * Asks once what a rendered job has to give now. A fresh URL, or the word that there is nothing any more, stands in
   * the ledger afterwards; any other answer changes nothing.
   */
  askFreshUrl(input: AttemptInput): Promise<void>;
}

export function freshUrlActivities(deps: Dependencies): FreshUrlActivities {
  return { askFreshUrl: (input) => withRecords(() => ask(deps, input)) };
}

async function ask(deps: Dependencies, { row, n }: AttemptInput): Promise<void> {
  const ref: AttemptRef = { batch: row.batch, id: row.id, n };
  const attempt = await deps.ledger.readAttempt(ref);
  const handle = attempt && handleOf(attempt);
  const work = await loadRow(deps, row);
  if (!attempt || handle === undefined || work.adapter.flow !== 'async') return;
  if (standingOf(attempt) !== 'rendered') return;
  await readTurn(deps);
  const exchange = await deps.transport.send(work.adapter.pollRequest(handle, work.row));
  if (exchange.outcome !== 'answered') return;
  const { answer } = exchange;
  if (answer.status === 429) {
    await noteLimits(deps);
    throw tryAgain('service.unavailable', '429', askedWaitMs(deps, answer.retryAfter));
  }
  const said =
    answer.status >= 200 && answer.status < 300 ? stateOf(readPolled(work.adapter, handle, answer), deps.now()) : null;
  if (said === null) return;
  try {
    await deps.ledger.append(ref, said);
  } catch (error) {
    // A person has settled the attempt meanwhile: that stands.
    if (!(error instanceof LedgerError)) throw error;
    deps.log.warn({ ...ref, code: error.code }, 'what a late poll said does not fit the ledger');
  }
}

/** What the ledger learns of a job that was rendered before. */
function stateOf(reading: PollReading, atMs: number): AttemptState | null {
  switch (reading.reading) {
    case 'succeeded':
      return { state: 'rendered', atMs, outputs: reading.outputs, facts: reading.facts };
    case 'failed': {
      const { word, code, message } = reading;
      return { state: 'ended', atMs, word, message, ...(code === undefined ? {} : { code }) };
    }
    case 'running':
    case 'unreadable':
      return null;
  }
}
