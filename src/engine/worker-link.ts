/** The engine's worker: a forked process, and the accounts that it is handed over IPC. */
import { type ChildProcess, fork } from 'node:child_process';
import type { EngineProgram } from './engine-options.js';
import type { ProcessMark } from './engine-record.js';
import { createKeeper, type Keeper } from './keeper.js';
import { openLog } from './log-files.js';
import { type AccountRegistration, readFromWorker, type ToWorker } from './registration.js';

export interface WorkerLinkOptions {
  program: EngineProgram;
  /** Command line of the worker: where Temporal and the data folder are. */
  args: string[];
  environment: NodeJS.ProcessEnv;
  log: string;
  onOpenBatches(count: number): void;
  onChange(process: ProcessMark | null): void;
  onDeath(how: string, restartInMs: number): void;
  /** A replayed account that the worker could not take. */
  onReplayFailed(account: string, code: string): void;
}

export interface WorkerLink {
  keeper: Keeper;
  accounts(): string[];
  /** Hands an account over and waits for the worker's word on it. */
  register(registration: AccountRegistration, timeoutMs: number): Promise<RegistrationAnswer>;
}

export type RegistrationAnswer = { ok: true } | { ok: false; code: string; message: string };

interface Pending {
  registration: AccountRegistration;
  answer(answer: RegistrationAnswer): void;
}

export function createWorkerLink(options: WorkerLinkOptions): WorkerLink {
  let child: ChildProcess | undefined;
  /** Accounts that a worker has taken, with their latest good key: in memory alone, for the next worker. */
  const taken = new Map<string, AccountRegistration>();
  /** Handed over and not answered yet; one at a time for each account, since answers name the account alone. */
  const pending = new Map<string, Pending>();
  const turns = new Map<string, Promise<unknown>>();

  function send(registration: AccountRegistration): void {
    const message: ToWorker = { type: 'account', registration };
    // A worker that is just dying gets it again when it is back.
    if (child?.connected === true) child.send(message, () => undefined);
  }

  function start(): ChildProcess {
    const mine = forkWorker(options);
    child = mine;
    mine.on('message', receive);
    const again = new Map(taken);
    for (const [account, { registration }] of pending) again.set(account, registration);
    for (const registration of again.values()) send(registration);
    return mine;
  }

  function receive(value: unknown): void {
    const message = readFromWorker(value);
    if (message === undefined) return;
    if (message.type === 'open') {
      options.onOpenBatches(message.batches);
      return;
    }
    const waiting = pending.get(message.account);
    pending.delete(message.account);
    if (message.type === 'failed') {
      if (waiting === undefined) options.onReplayFailed(message.account, message.code);
      waiting?.answer({ ok: false, code: message.code, message: message.message });
    } else {
      if (waiting !== undefined) taken.set(message.account, waiting.registration);
      waiting?.answer({ ok: true });
    }
  }

  function handOver(registration: AccountRegistration, timeoutMs: number): Promise<RegistrationAnswer> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        pending.delete(registration.account);
        const seconds = Math.round(timeoutMs / 1_000);
        resolve({ ok: false, code: 'worker_timeout', message: `the worker said nothing within ${seconds} s` });
      }, timeoutMs);
      const answer = (answer: RegistrationAnswer) => {
        clearTimeout(timer);
        resolve(answer);
      };
      pending.set(registration.account, { registration, answer });
      send(registration);
    });
  }

  function register(registration: AccountRegistration, timeoutMs: number): Promise<RegistrationAnswer> {
    const { account } = registration;
    const turn = (turns.get(account) ?? Promise.resolve()).then(() => handOver(registration, timeoutMs));
    turns.set(account, turn);
    return turn;
  }

  const keeper = createKeeper({ start, onChange: options.onChange, onDeath: options.onDeath });
  return { keeper, accounts: () => [...taken.keys()], register };
}

/** Every record waits for the disk on a thread of its own: with Node's four, reads queue behind ten slots' writes. */
const UV_THREADPOOL_SIZE = '24';

function forkWorker({ program, args, environment, log }: WorkerLinkOptions): ChildProcess {
  const file = openLog(log);
  try {
    return fork(program.path, args, {
      execArgv: program.execArgv,
      env: { UV_THREADPOOL_SIZE, ...environment },
      stdio: ['ignore', file.fd, file.fd, 'ipc'],
    });
  } finally {
    file.close();
  }
}
