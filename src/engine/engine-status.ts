/** What an engine says about itself. */
import { formatCredits } from '../domain/money.js';
import type { AwaitedCall } from '../domain/price.js';
import type { EngineLogs } from './places.js';

export interface ChildState {
  /** Null while it is being started again. */
  pid: number | null;
  restarts: number;
}

export interface EngineState {
  state: 'starting' | 'ready' | 'stopping';
  pid: number;
  buildId: string;
  startedAtMs: number;
  dataFolder: string;
  socket: string;
  /** `127.0.0.1:port` of the Temporal server; null until its port is chosen. */
  address: string | null;
  namespace: 'default';
  uiAddress: string | null;
  server: ChildState;
  worker: ChildState;
  /** Names of the accounts that the worker serves. */
  accounts: string[];
  /** Batches that are not finished; null until the worker has counted them. */
  openBatches: number | null;
  /** Other workflows than batches that go on; null until the worker has counted them. */
  otherWork: number | null;
  /** While the engine ends: paid requests whose answers it still waits for. */
  awaited: AwaitedCall[];
  /** When the engine ends by itself unless it is used again; null while anything is open. */
  endsAtMs: number | null;
  /** What happened at the start that a person should know. */
  notice: string | null;
  logs: EngineLogs;
}

const NAMED_MAX = 5;

/** What an engine that ends still waits for; an engine of an older build does not say it. */
export function awaitedOf(state: Partial<EngineState>): AwaitedCall[] {
  return state.awaited ?? [];
}

/**
 * `it waits for 2 paid calls (0.08 credits, cost unknown), until 18:03:10 at the latest`; and what to do where their
 * answers cannot be written down.
 */
export function awaitedText(calls: readonly AwaitedCall[]): string {
  const unwritten = calls.filter(({ isAnswered }) => isAnswered);
  const open = calls.filter(({ isAnswered }) => !isAnswered);
  const parts = [
    ...(open.length > 0 ? [openText(open)] : []),
    ...(unwritten.length > 0 ? [unwrittenText(unwritten)] : []),
  ];
  return `it waits for ${parts.join('; and for ')}`;
}

function unwrittenText(calls: readonly AwaitedCall[]): string {
  const what = calls.length === 1 ? 'the answer of 1 paid call' : `the answers of ${calls.length} paid calls`;
  const them = calls.length === 1 ? 'it' : 'them';
  return `${what} (${costsText(calls)}) to be written to the home: make room there or bring it back, \`engine stop --now\` loses ${them}`;
}

function openText(calls: readonly AwaitedCall[]): string {
  const until = new Date(Math.max(...calls.map(({ untilMs }) => untilMs))).toTimeString().slice(0, 8);
  const what = calls.length === 1 ? '1 paid call' : `${calls.length} paid calls`;
  return `${what} (${costsText(calls)}), until ${until} at the latest`;
}

function costsText(calls: readonly AwaitedCall[]): string {
  const costs = calls.map(({ creditsNano }) =>
    creditsNano === null ? 'cost unknown' : `${formatCredits(creditsNano)} credits`,
  );
  const more = costs.length > NAMED_MAX ? [`${costs.length - NAMED_MAX} more`] : [];
  return [...costs.slice(0, NAMED_MAX), ...more].join(', ');
}
