import { setTimeout as sleep } from 'node:timers/promises';
import { accountSettings } from '../../config/account-settings.js';
import type { AccountReadWhat } from '../../contract/account-read.js';
import type { Answer, Exchange, ServiceRequest } from '../../domain/exchange.js';
import { VOICES_REQUEST } from '../../kinds/vendor-b/wire.js';
import { CREDITS_REQUEST, DISCOUNTS_REQUEST } from '../../service/account.js';
import { readError, readRetryAfter } from '../../service/errors.js';
import { createTransport } from '../../service/transport.js';
import { EXIT } from '../exit-codes.js';
import type { Session } from '../session.js';
import { UserError } from '../user-error.js';

/** Free reads of the account straight from the service, for when no engine is there whose queue counts them. */

const REQUESTS: Readonly<Record<AccountReadWhat, ServiceRequest>> = {
  credits: CREDITS_REQUEST,
  discounts: DISCOUNTS_REQUEST,
  voices: VOICES_REQUEST,
};

const TRIES = 3;
const WHOLE_MS = 15_000;
const GAP_MS = 1_000;

/**
 * One read of the account, tried 3 times within 15 s. Throws a UserError: exit 4 when the key is refused, 5 when the
 * service cannot be reached or does not answer as documented.
 */
export async function readFromService(session: Session, what: AccountReadWhat): Promise<Answer> {
  const { baseUrl, userAgent } = accountSettings(session.config);
  const { secret } = await session.apiKey();
  const transport = createTransport({
    baseUrl,
    userAgent,
    key: () => secret.reveal(),
    timeouts: { connectMs: 4_000, readTotalMs: 8_000 },
  });
  const deadline = Date.now() + WHOLE_MS;
  try {
    for (let attempt = 1; ; attempt++) {
      const exchange = await transport.send(REQUESTS[what]);
      if (exchange.outcome === 'answered' && exchange.answer.status === 200) return exchange.answer;
      const waitMs = gapAfter(exchange, { baseUrl, what });
      if (attempt >= TRIES || Date.now() + waitMs >= deadline) throw unreachable(exchange, { baseUrl, what });
      await sleep(waitMs);
    }
  } finally {
    await transport.close();
  }
}

/** What was asked of whom. */
interface Asked {
  baseUrl: string;
  what: AccountReadWhat;
}

/** How long to wait before the next try; throws where another try cannot help. */
function gapAfter(exchange: Exchange, { baseUrl, what }: Asked): number {
  if (exchange.outcome !== 'answered') return GAP_MS;
  const { status, retryAfter } = exchange.answer;
  if (status === 401) throw new KeyRefusedError(sayOf(exchange.answer));
  if (status === 429) return readRetryAfter(retryAfter, Date.now())?.waitMs ?? 2 * GAP_MS;
  if (status >= 500) return GAP_MS;
  const advice = status === 403 ? '' : ': check that this is the base URL of the service';
  throw new UserError(
    `${baseUrl} answers ${sayOf(exchange.answer)} when asked for ${what}${advice}`,
    EXIT.configuration,
  );
}

/** The service knows the key and does not take it, or does not know it. */
export class KeyRefusedError extends UserError {
  constructor(said: string) {
    super(
      `the service does not accept the API key (${said}): set a valid one in CALLSHEET_API_KEY or --api-key-file`,
      EXIT.configuration,
    );
  }
}

function unreachable(exchange: Exchange, { baseUrl, what }: Asked): UserError {
  const why =
    exchange.outcome === 'answered'
      ? `answers ${sayOf(exchange.answer)} when asked for ${what}`
      : `cannot be reached (${exchange.phase}: ${exchange.message})`;
  return new UserError(
    `${baseUrl} ${why}: check the base URL and the network; nothing was submitted`,
    EXIT.unreachable,
  );
}

function sayOf(answer: Answer): string {
  const error = readError(answer);
  if (error === undefined) return `HTTP ${answer.status}`;
  return [`HTTP ${answer.status}`, error.code, error.message]
    .filter((part) => part !== undefined && part !== '')
    .join(' ');
}
