import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { accountSettings } from '../../config/make-config.js';
import type { AccountReadWhat } from '../../contract/account.js';
import type { Answer, Exchange, ServiceRequest } from '../../domain/exchange.js';
import { VOICES_REQUEST } from '../../kinds/vendor-b/wire.js';
import {
  type AccountReading,
  CREDITS_REQUEST,
  type CreditAccount,
  readCredits as creditsOf,
  DISCOUNTS_REQUEST,
  type Discount,
  readDiscounts as discountsOf,
  readVoices,
} from '../../service/account.js';
import { readError, readRetryAfter } from '../../service/errors.js';
import { createTransport } from '../../service/transport.js';
import { encodeJson, forgotten, readJson } from '../../store/json-file.js';
import type { Session } from '../session.js';
import { EXIT, UserError } from '../user-error.js';
import { type HomeAccess, noteRequest } from './home-access.js';

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
      await noteRequest(session.config);
      const exchange = await transport.send(REQUESTS[what]);
      if (exchange.outcome === 'answered' && exchange.answer.status === 200) return exchange.answer;
      const said =
        exchange.outcome === 'answered'
          ? `${baseUrl} answers ${sayOf(exchange.answer)} when asked for ${what}`
          : `${baseUrl} cannot be reached (${exchange.phase}: ${exchange.message})`;
      const waitMs = gapAfter(exchange, said);
      if (attempt >= TRIES || Date.now() + waitMs >= deadline) {
        throw new UserError(`${said}: ${adviceOn(exchange)}; nothing was submitted`, EXIT.unreachable);
      }
      await sleep(waitMs);
    }
  } finally {
    await transport.close();
  }
}

function adviceOn(exchange: Exchange): string {
  const isLimited = exchange.outcome === 'answered' && exchange.answer.status === 429;
  return isLimited
    ? 'other work of this account uses its requests per minute; try again in a minute'
    : 'check the base URL and the network';
}

/** No document knows a 403 of an account read: a key is refused with 401, so that something on the way may have said it. */
const FORBIDDEN =
  'use a key that may read the account (CALLSHEET_API_KEY or --api-key-file), or have the proxy or firewall on the way let this machine through';

/** How long to wait before the next try; throws where another try cannot help. */
function gapAfter(exchange: Exchange, said: string): number {
  if (exchange.outcome !== 'answered') return GAP_MS;
  const { status, retryAfter } = exchange.answer;
  if (status === 401) throw new KeyRefusedError(sayOf(exchange.answer));
  if (status === 429) return readRetryAfter(retryAfter, Date.now())?.waitMs ?? 2 * GAP_MS;
  if (status >= 500) return GAP_MS;
  throw new UserError(
    `${said}: ${status === 403 ? FORBIDDEN : 'check that this is the base URL of the service'}`,
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

export function sayOf(answer: Answer): string {
  const error = readError(answer);
  return [`HTTP ${answer.status}`, error?.code, error?.message].filter(Boolean).join(' ');
}

/**
 * Balance and caps, read with this command's own key: a queue would answer with the key of whoever came before, and a
 * wrong one must be told before it is handed on. The few requests that are kept free of the queue are for this.
 */
export async function readOwnCredits(session: Session): Promise<CreditAccount> {
  return understood(creditsOf(await readFromService(session, 'credits')), 'credits');
}

/** Active discounts, with this command's own key. */
export async function readOwnDiscounts(session: Session): Promise<Discount[]> {
  return understood(discountsOf(await readFromService(session, 'discounts')), 'discounts');
}

export function understood<Value>(reading: AccountReading<Value>, what: string): Value {
  if (reading.reading === 'ok') return reading.value;
  const said = `the service's answer about ${what} cannot be read: ${reading.why}`;
  throw new UserError(`${said}; check that the base URL is the service's`, EXIT.unreachable);
}

/** The voices of the account, read once and kept in its home for minutes; they are free to read. */

const KEPT_MS = 5 * 60_000;

const keptSchema = z.object({
  schema: z.literal(1),
  baseUrl: z.string(),
  atMs: z.number(),
  voices: z.array(z.string()),
});

/**
 * Gives the set that a named voice is looked up in. A voice that the kept list does not have is looked for in a fresh
 * one. A service that does not answer is a warning, once, and the voices are then unknown.
 */
export function createKnownVoices(session: Session, access: HomeAccess) {
  let kept: ReadonlySet<string> | undefined;
  let fresh: Promise<ReadonlySet<string> | undefined> | undefined;
  return async (named: string): Promise<ReadonlySet<string> | undefined> => {
    if (fresh !== undefined) return fresh;
    kept ??= await readKept(session, access);
    if (kept.has(named)) return kept;
    fresh = readFresh(session, access);
    return fresh;
  };
}

async function readKept({ config }: Session, { home }: HomeAccess): Promise<ReadonlySet<string>> {
  const found = await readJson(home.store, keyOf(home.account), keptSchema, forgotten);
  const isGood = found !== undefined && found.baseUrl === config.baseUrl && Date.now() - found.atMs < KEPT_MS;
  return new Set(isGood ? found.voices : []);
}

async function readFresh(session: Session, { home }: HomeAccess): Promise<ReadonlySet<string> | undefined> {
  const { baseUrl } = session.config;
  try {
    const read = understood(readVoices(await readFromService(session, 'voices')), 'voices');
    const voices = read.map(({ voiceId }) => voiceId);
    // A home that the account does not use yet is not made for this.
    if ((await home.baseUrl()) === baseUrl) {
      await home.store.put(keyOf(home.account), encodeJson({ schema: 1, baseUrl, atMs: Date.now(), voices }));
    }
    return new Set(voices);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    session.terminal.warn(`voice_id is not checked: ${error.message}`);
    return undefined;
  }
}

function keyOf(account: string): string {
  return `${account}/reads/known-voices.json`;
}
