import type { AttemptState, Decision } from '../../domain/attempt.js';
import { userName } from './user-name.js';

/** A person's order about one row or several. */
export type ReviewOrder = {
  why?: string;
  isSaidYes: boolean;
  trustsHome: boolean;
  /** What the rows feed goes on with them. */
  follow: boolean;
} & (
  | { command: 'attach-handle'; handles: ReadonlyMap<string, string> }
  | { command: 'mark-lost'; isBilled: boolean }
  | { command: 'resubmit' }
);

const WHY_MAX = 500;

/** What the ledger keeps of the order: who, when and why. `handle` is what a poll confirmed, for `attach-handle`. */
export function stateOf(order: ReviewOrder, handle: string | undefined, atMs: number): AttemptState {
  const why = order.why?.trim().slice(0, WHY_MAX);
  const by: Decision = { who: userName(), ...(why ? { why } : {}) };
  switch (order.command) {
    case 'attach-handle':
      return { state: 'attached', atMs, handle: handle ?? '', by };
    case 'mark-lost':
      return { state: 'ruled', atMs, ruling: order.isBilled ? 'billed' : 'not_billed', by };
    case 'resubmit':
      return { state: 'overridden', atMs, cause: 'person', by };
  }
}
