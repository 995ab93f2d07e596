import type { AwaitedCall } from '../domain/awaited-call.js';
import { formatCredits } from '../domain/money.js';
import type { EngineState } from './engine-status.js';

const NAMED_MAX = 5;

/** What an engine that ends still waits for; an engine of an older build does not say it. */
export function awaitedOf(state: Partial<EngineState>): AwaitedCall[] {
  return state.awaited ?? [];
}

/** `it waits for 2 paid calls (0.08 credits, cost unknown), until 18:03:10 at the latest`. */
export function awaitedText(calls: readonly AwaitedCall[]): string {
  const costs = calls.map(({ creditsNano }) =>
    creditsNano === null ? 'cost unknown' : `${formatCredits(creditsNano)} credits`,
  );
  const more = costs.length > NAMED_MAX ? [`${costs.length - NAMED_MAX} more`] : [];
  const until = new Date(Math.max(...calls.map(({ untilMs }) => untilMs))).toTimeString().slice(0, 8);
  const named = [...costs.slice(0, NAMED_MAX), ...more].join(', ');
  return `it waits for ${calls.length} paid ${calls.length === 1 ? 'call' : 'calls'} (${named}), until ${until} at the latest`;
}
