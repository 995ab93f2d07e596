import type { CreditsNano } from '../domain/money.js';

/** What the command line may read of the account while an engine runs. */
export type AccountReadWhat = 'credits' | 'discounts' | 'voices';

export interface AccountReadInput {
  account: string;
  what: AccountReadWhat;
}

/** The answer's JSON stands in the home under this key: it may be large and is nobody's history. */
export interface AccountReadResult {
  key: string;
}

/** Simultaneous jobs and requests per minute: the plan's, or less where a user says so. */
export interface Caps {
  concurrent: number;
  rpm: number;
}

export interface AccountReading extends Caps {
  balanceNano: CreditsNano | null;
  /** The balance shows all that moved before this, epoch ms. */
  shownUntilMs?: number;
  /** Of the key that was accepted. */
  keyMark?: string;
}
