import type { AccountReadWhat } from '../../contract/workflows.js';
import type { Answer } from '../../domain/exchange.js';
import {
  type AccountReading,
  type CreditAccount,
  type Discount,
  readCredits,
  readDiscounts,
} from '../../service/account.js';
import { EXIT } from '../exit-codes.js';
import type { Session } from '../session.js';
import { UserError } from '../user-error.js';
import type { HomeAccess } from './home-access.js';
import { readFromService } from './read-account.js';

/** What the command line reads of the account: through the queue where a worker serves it, else straight. */
export async function readAccountAnswer(session: Session, access: HomeAccess, what: AccountReadWhat): Promise<Answer> {
  const { joinWork, runningEngine, sharedAddress } = await import('./work-access.js');
  const account = session.config.account.name;
  const isServed =
    sharedAddress(session) !== undefined || (await runningEngine(session))?.accounts.includes(account) === true;
  const work = isServed ? await joinWork(session) : undefined;
  if (work === undefined) return readFromService(session, what);
  try {
    const { readThroughQueue } = await import('./queued-read.js');
    return await readThroughQueue(work, access.home, what);
  } finally {
    await work.close();
  }
}

/**
 * Balance and caps, read with this command's own key: a queue would answer with the key of whoever came before, and a
 * wrong one must be told before it is handed on. The few requests that are kept free of the queue are for this.
 */
export async function checkOwnKey(session: Session): Promise<CreditAccount> {
  return understood(readCredits(await readFromService(session, 'credits')), 'credits');
}

export async function readCreditAccount(session: Session, access: HomeAccess): Promise<CreditAccount> {
  return understood(readCredits(await readAccountAnswer(session, access, 'credits')), 'credits');
}

export async function readActiveDiscounts(session: Session, access: HomeAccess): Promise<Discount[]> {
  return understood(readDiscounts(await readAccountAnswer(session, access, 'discounts')), 'discounts');
}

export function understood<Value>(reading: AccountReading<Value>, what: string): Value {
  if (reading.reading === 'ok') return reading.value;
  throw new UserError(`the service's answer about ${what} cannot be read: ${reading.why}`, EXIT.unreachable);
}
