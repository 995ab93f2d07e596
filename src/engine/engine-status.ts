/** What an engine says about itself. */
import type { AwaitedCall } from '../domain/awaited-call.js';
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
