import type { JsonObject } from '../domain/json.js';
import type { CreditsNano } from '../domain/money.js';
import type { BalanceCheckpoint } from '../home/home.js';
import type { ResultLine } from '../manifest/result-fields.js';
import type { Store } from '../store/port.js';
import type { Order } from './orders.js';
import type { BatchHistory } from './slot-history.js';

/** What the page is made from: the home, the store and the commands' own functions, handed in by the command line. */
export interface DashboardSource {
  /** What `list --json` says, with `isServed`: an engine or a shared Temporal can be reached. */
  list(): Promise<JsonObject>;
  /** True for a batch that was run from this home. */
  knows(batch: string): Promise<boolean>;
  /** What `status --json` says of one batch; undefined for a batch that the home does not know. */
  status(batch: string): Promise<JsonObject | undefined>;
  /** Every row of the batch in force, in the manifest's order. */
  lines(batch: string): AsyncIterable<ResultLine>;
  /** What `review show --json` and `explain` say of a row, with what was asked for. Throws an `OrderRefused`. */
  row(batch: string, id: string): Promise<JsonObject>;
  /** How many rows the batch in force has. */
  count(batch: string): Promise<number>;
  /** The most that rows can cost, by their places in the manifest; null where a price is not known. */
  mostOf(batch: string, indexes: ReadonlySet<number>): Promise<CreditsNano | null>;
  /** Readings of the balance since then, epoch ms. */
  balance(sinceMs: number): Promise<BalanceCheckpoint[]>;
  /** What was recorded of these rows' attempts, of the batch's pauses, and of the account's requests since then. */
  history(batch: string, ids: readonly string[], sinceMs: number): Promise<BatchHistory>;
  /** The store that holds the batch's files, below `<batch>/`. */
  outputs(batch: string): Promise<Store>;
  /** Gives the order as the command line does; gives what it said. Throws an `OrderRefused` with its sentence. */
  order(batch: string, order: Order): Promise<string>;
}

/** The command line's own refusal, in one sentence. */
export class OrderRefused extends Error {
  override readonly name = 'OrderRefused';
}
