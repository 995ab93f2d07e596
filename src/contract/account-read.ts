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
