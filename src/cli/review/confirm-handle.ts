import { accountSettings } from '../../config/account-settings.js';
import { handleOf } from '../../domain/attempt.js';
import type { PollReading } from '../../domain/reading.js';
import type { Row } from '../../domain/row.js';
import { resultLines } from '../../home/result-lines.js';
import { adapterFor, readPolled } from '../../kinds/index.js';
import { readError } from '../../service/errors.js';
import { createTransport } from '../../service/transport.js';
import type { HomeAccess } from '../access/home-access.js';
import { resultSources } from '../batch/final-rows.js';
import type { KnownBatch } from '../batch/known-batch.js';
import { EXIT } from '../exit-codes.js';
import type { Session } from '../session.js';
import { plain } from '../terminal.js';
import { UserError } from '../user-error.js';
import type { CaseRow } from './case-row.js';

/** A handle counts only when a poll of it is answered as documented; else nothing is changed. */
export async function confirmHandle(session: Session, row: Row, handle: string): Promise<void> {
  const adapter = adapterFor(row.kind);
  if (adapter.flow !== 'async') throw new UserError(`${row.kind} has no handles`);
  const { baseUrl, userAgent } = accountSettings(session.config);
  const { secret } = await session.apiKey();
  const transport = createTransport({ baseUrl, userAgent, key: () => secret.reveal() });
  try {
    const exchange = await transport.send(adapter.pollRequest(handle, row));
    if (exchange.outcome !== 'answered') {
      throw new UserError(
        `${baseUrl} cannot be reached (${exchange.phase}): nothing was changed; try again`,
        EXIT.unreachable,
      );
    }
    const { answer } = exchange;
    if (answer.status === 200 && confirms(readPolled(adapter, handle, answer))) return;
    const error = readError(answer);
    const said = plain([`HTTP ${answer.status}`, error?.code, error?.message].filter(Boolean).join(' '), 200);
    const isAway = answer.status === 401 || answer.status === 429 || answer.status >= 500;
    if (isAway) {
      throw new UserError(
        `the service could not say whether it knows the handle (${said}): nothing was changed; try again`,
        EXIT.unreachable,
      );
    }
    throw new UserError(
      `the service does not know this handle under ${row.kind} (${said}): nothing was changed; compare it with what the service gave`,
    );
  } finally {
    await transport.close();
  }
}

/** A handle that stood in an answer which was not whole, or undefined. */
export function salvagedHandle({ attempts }: Pick<CaseRow, 'attempts'>): string | undefined {
  const states = attempts.at(-1)?.states ?? [];
  return states.flatMap((state) => (state.state === 'created_lost' ? [state.salvagedHandle] : [])).at(-1);
}

/** Two rows must never take the same output for theirs. Throws a UserError that names the other row. */
export async function refuseSharedHandle(
  access: HomeAccess,
  { batch, generation }: KnownBatch,
  id: string,
  handle: string,
): Promise<void> {
  const taken = (other: string, where: string): UserError =>
    new UserError(`the handle belongs to row '${other}' of batch '${where}': nothing was changed`);
  for await (const { row, record } of resultLines(resultSources(access), batch, generation.generation)) {
    if (row.id !== id && record?.handle === handle) throw taken(row.id, batch);
  }
  for await (const open of access.ledger.open()) {
    const isOwn = open.batch === batch && open.id === id;
    const attempt = isOwn ? undefined : await access.ledger.readAttempt(open);
    if (attempt && handleOf(attempt) === handle) throw taken(open.id, open.batch);
  }
}

/** A status that the documents do not know may be a gateway's own word. */
function confirms(reading: PollReading): boolean {
  return reading.reading === 'running' ? reading.known : reading.reading !== 'unreadable';
}
