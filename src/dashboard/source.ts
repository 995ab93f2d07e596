import { z } from 'zod';
import type { JsonObject } from '../domain/json.js';
import type { CreditsNano } from '../domain/money.js';
import type { BalanceCheckpoint } from '../home/home.js';
import { nameFlaw } from '../manifest/names.js';
import type { ResultLine } from '../manifest/result-fields.js';
import type { Store } from '../store/port.js';
import type { PageRow } from './answers.js';
import type { BatchHistory } from './slot-history.js';

/** What the page is made from: the home, the store and the commands' own functions, handed in by the command line. */
export interface DashboardSource {
  /** What `list --json` says, with `isServed`: an engine or a shared Temporal can be reached. */
  list(): Promise<JsonObject>;
  /** True for a batch that was run from this home. */
  knows(batch: string): Promise<boolean>;
  /** What `status --json` says of one batch; undefined for a batch that the home does not know. */
  status(batch: string): Promise<JsonObject | undefined>;
  /** What its sample said of the rest that waits for approval, line by line; empty where nothing waits. */
  quote(batch: string): Promise<[name: string, text: string][]>;
  /** Every row of the batch in force, in the manifest's order. */
  lines(batch: string): AsyncIterable<ResultLine>;
  /** What `review show --json` and `explain` say of a row, with what was asked for. Throws an `OrderRefused`. */
  row(batch: string, row: Pick<PageRow, 'id' | 'reasonCode' | 'flags'>): Promise<JsonObject>;
  /** Which of the batch's manifests is in force; undefined where it has none. */
  generation(batch: string): Promise<string | undefined>;
  /** How many rows the batch in force has. */
  count(batch: string): Promise<number>;
  /** The most that rows can cost, by their places in the manifest; null where a price is not known. */
  mostOf(batch: string, indexes: ReadonlySet<number>): Promise<CreditsNano | null>;
  /** Whether the most is known that the batch can have cost so far. */
  isSpentBounded(batch: string): Promise<boolean>;
  /** The rows that may run while the rest of a sample waits for its approval; undefined where all may. */
  mayRun(batch: string): Promise<ReadonlySet<string> | undefined>;
  /** Rows that a retry ordered and that keep their earlier end until the batch comes to them. */
  queued(batch: string): Promise<ReadonlySet<string>>;
  /** Rows that keep their earlier file since a changed one feeds them: to take that gives the order for them again. */
  stoppedByInputs(batch: string): Promise<ReadonlySet<string>>;
  /** What `limits` says that holds of a batch; without one, of the account. */
  limits(batch?: string): Promise<LimitsInForce>;
  /** Readings of the balance since then, epoch ms. */
  balance(sinceMs: number): Promise<BalanceCheckpoint[]>;
  /** What was recorded of these rows' attempts, of the batch's pauses, and of the account's requests since then. */
  history(batch: string, ids: readonly string[], sinceMs: number): Promise<BatchHistory>;
  /** The store that holds the batch's files, below `<batch>/`. */
  outputs(batch: string): Promise<Store>;
  /** Gives the order as the command line does; gives what it said. Throws an `OrderRefused` with its sentence. */
  order(batch: string, order: Order): Promise<string>;
}

/** By the names that the orders for limits have; null where nothing limits it. */
export type LimitsInForce = Record<string, number | null>;

/** The command line's own refusal, in one sentence. */
export class OrderRefused extends Error {
  override readonly name = 'OrderRefused';
}

const text = (pattern: RegExp, error: string) => z.string(error).regex(pattern, error);
const NOT_A_NAME = 'not the name of a batch, a row or a reason';
const name = z.string(NOT_A_NAME).refine((given) => nameFlaw(given) === undefined, NOT_A_NAME);
const credits = text(/^\d{1,9}(\.\d{1,9})?$/, 'credits must be a positive number such as 12.5');
const count = text(/^[1-9]\d{0,5}$/, 'it must be a whole number of at least 1');
const priority = text(/^-?\d{1,3}$/, 'a priority is a whole number');
const why = z.exactOptional(text(/^.{0,500}$/s, 'what you say may have at most 500 characters'));
const handle = text(/^.{1,2000}$/s, 'a handle has 1 to 2,000 characters');

/** The orders that the page can give. */
export const orderSchema = z.discriminatedUnion(
  'order',
  [
    z.object({ order: z.literal('pause') }),
    z.object({ order: z.literal('resume'), maxCredits: z.exactOptional(credits) }),
    z.object({ order: z.literal('cancel') }),
    z.object({ order: z.literal('retry'), reason: z.exactOptional(name), acceptInputs: z.exactOptional(z.boolean()) }),
    z.object({
      order: z.literal('limits'),
      concurrency: z.exactOptional(count),
      weight: z.exactOptional(count),
      priority: z.exactOptional(priority),
    }),
    z.object({ order: z.literal('account-limits'), concurrency: z.exactOptional(count), rpm: z.exactOptional(count) }),
    z.object({ order: z.literal('rerun'), id: name, withDependents: z.boolean() }),
    z.object({ order: z.literal('approve'), maxCredits: z.exactOptional(credits), generation: z.exactOptional(name) }),
    z.object({ order: z.literal('resubmit'), id: name, why }),
    z.object({ order: z.literal('mark-lost'), id: name, isNotBilled: z.boolean(), why }),
    z.object({ order: z.literal('attach-handle'), id: name, handle, why }),
    z.object({ order: z.literal('settle-group') }),
  ],
  'this is no order',
);
export type Order = z.output<typeof orderSchema>;

/** The words behind `callsheet`; what a person typed stands behind `--` or an equals sign and is never a flag. */
export function commandOf(batch: string, order: Order): { words: string[]; flags: string[] } {
  switch (order.order) {
    case 'pause':
    case 'cancel':
      return { words: [order.order], flags: ['--', batch] };
    case 'resume':
      return { words: ['resume', ...budgetFlag(order.maxCredits)], flags: ['--', batch] };
    case 'retry': {
      const only = order.reason === undefined ? [] : [`--class=${order.reason}`];
      const inputs = order.acceptInputs === true ? ['--accept-inputs'] : [];
      return { words: ['retry', '--yes', '--json', ...only, ...inputs], flags: ['--', batch] };
    }
    case 'limits':
      return {
        words: ['limits', '--json', ...flagsOf(order, ['concurrency', 'weight', 'priority'])],
        flags: ['--', batch],
      };
    case 'account-limits':
      return { words: ['limits', '--json', ...flagsOf(order, ['concurrency', 'rpm'])], flags: [] };
    case 'rerun': {
      const others = order.withDependents ? ['--with-dependents'] : [];
      return { words: ['rerun', '--yes', ...others], flags: ['--', batch, order.id] };
    }
    case 'approve':
      return { words: ['approve', '--yes', '--json', ...approvedFlags(order)], flags: ['--', batch] };
    case 'resubmit':
      return { words: ['review', 'resubmit', '--yes', ...whyFlag(order.why)], flags: ['--', batch, order.id] };
    case 'mark-lost': {
      const unbilled = order.isNotBilled ? ['--not-billed'] : [];
      const words = ['review', 'mark-lost', '--yes', ...unbilled, ...whyFlag(order.why)];
      return { words, flags: ['--', batch, order.id] };
    }
    case 'attach-handle': {
      const words = ['review', 'attach-handle', '--yes', ...whyFlag(order.why)];
      return { words, flags: ['--', batch, order.id, order.handle] };
    }
    case 'settle-group':
      return { words: ['review', 'settle-group', '--yes'], flags: ['--', batch] };
  }
}

function flagsOf<Name extends string>(order: { [name in Name]?: string }, names: readonly Name[]): string[] {
  return names.flatMap((name) => (order[name] === undefined ? [] : [`--${name}=${order[name]}`]));
}

function budgetFlag(maxCredits: string | undefined): string[] {
  return maxCredits === undefined ? [] : [`--max-credits=${maxCredits}`];
}

/** Without a budget a person agreed where no price was known; refused where all of it is known by then. */
function approvedFlags({ maxCredits, generation }: Extract<Order, { order: 'approve' }>): string[] {
  const seen = generation === undefined ? [] : [`--generation=${generation}`];
  return [...(maxCredits === undefined ? ['--unpriced'] : budgetFlag(maxCredits)), ...seen];
}

function whyFlag(text: string | undefined): string[] {
  return text === undefined || text === '' ? [] : [`--why=${text}`];
}
