import type { AccountReadInput, AccountReadResult } from '../src/contract/account-read.js';
import { accountProxy } from './proxies.js';

/** A read that the command line asks for: it goes through the account's one queue, so that it counts there. */
export async function accountRead(input: AccountReadInput): Promise<AccountReadResult> {
  return accountProxy(input.account, 'routine').readForClient({ what: input.what });
}
