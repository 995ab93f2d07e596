import { keyOrigin } from '../../config/api-key.js';
import type { AccountReadWhat } from '../../contract/account-read.js';
import type { Answer } from '../../domain/exchange.js';
import {
  type AccountReading,
  type CreditAccount,
  readCredits as creditsOf,
  type Discount,
  readDiscounts as discountsOf,
} from '../../service/account.js';
import { EXIT } from '../exit-codes.js';
import type { Session } from '../session.js';
import { UserError } from '../user-error.js';
import type { HomeAccess } from './home-access.js';
import { KeyRefusedError, readFromService } from './read-account.js';

/**
 * What `credits`, `discounts` and `voices` show: through the queue where a worker serves the account, so that it counts
 * there, else straight: with a key that the engine does not have, its own is what the user asks about. A worker whose key is refused cannot tell what this command's own key would show.
 */
export async function readAccountAnswer(session: Session, access: HomeAccess, what: AccountReadWhat): Promise<Answer> {
  const { joinWork, runningEngine, sharedAddress } = await import('./work-access.js');
  const account = session.config.account.name;
  const isServed =
    sharedAddress(session) !== undefined || (await runningEngine(session))?.accounts.includes(account) === true;
  const work = isServed && (await isKeyOfEngine(session)) ? await joinWork(session) : undefined;
  if (work === undefined) return readFromService(session, what);
  try {
    const { readThroughQueue } = await import('./queued-read.js');
    return await readThroughQueue(work, access.home, what);
  } catch (error) {
    if (error instanceof KeyRefusedError) return readFromService(session, what);
    throw error;
  } finally {
    await work.close();
  }
}

/** True where the user gave no key, or the one that the engine has. */
async function isKeyOfEngine(session: Session): Promise<boolean> {
  if (keyOrigin(session.cli.io.env, session.keyFile) === undefined) return true;
  const { sharedAddress } = await import('./work-access.js');
  // Its workers have keys of their own: that of this command is never used, and may be none.
  if (sharedAddress(session) !== undefined) return true;
  const { isEngineKey } = await import('../../engine/control.js');
  const { secret } = await session.apiKey();
  return isEngineKey(session.config.data, session.config.account.name, secret.reveal());
}

export async function readCredits(session: Session, access: HomeAccess): Promise<CreditAccount> {
  return understood(creditsOf(await readAccountAnswer(session, access, 'credits')), 'credits');
}

export async function readDiscounts(session: Session, access: HomeAccess): Promise<Discount[]> {
  return understood(discountsOf(await readAccountAnswer(session, access, 'discounts')), 'discounts');
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
