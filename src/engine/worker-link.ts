/** The engine's worker: a forked process, and the accounts that it is handed over IPC. */
import type { ChildProcess } from 'node:child_process';
import type { JsonObject } from '../domain/json.js';
import type { AwaitedCall } from '../domain/price.js';
import { s3InForce } from '../domain/s3.js';
import { answersTo, type KeyQuestion } from './control.js';
import { forkWorker, type WorkerProgram } from './fork-worker.js';
import { createKeeper, type Keeper, type ProcessMark } from './keeper.js';
import {
  type AccountRegistration,
  type FromWorker,
  type RegistrationAnswer,
  readFromWorker,
  type ToWorker,
} from './registration.js';

export interface WorkerLinkOptions extends WorkerProgram {
  onOpen(open: { batches: number; others: number }): void;
  onAwaiting(calls: AwaitedCall[]): void;
  onChange(process: ProcessMark | null): void;
  onDeath(how: string, restartInMs: number): void;
  /** The worker serves an account no more. */
  onLeft(): void;
  /** A replayed account that the worker could not take. */
  onReplayFailed(account: string, code: string): void;
}

export interface WorkerLink {
  keeper: Keeper;
  /** The server answers there: the worker, which may have been loading meanwhile, connects. */
  connect(address: string): void;
  accounts(): string[];
  hasKey(question: KeyQuestion): boolean;
  /** Hands an account over and waits for the worker's word on it. */
  register(registration: AccountRegistration): Promise<RegistrationAnswer>;
  /** What the worker sees of a batch, unread; null where it does not run, undefined where the worker cannot tell now. */
  look(account: string, batch: string): Promise<JsonObject | null | undefined>;
}

/** An account that a worker has taken. It is kept, with its latest good key, in memory alone. */
interface Taken {
  registration: AccountRegistration;
  /** Replays in a row that failed. */
  failures: number;
  timer?: NodeJS.Timeout | undefined;
}

interface Pending {
  registration: AccountRegistration;
  /** Undefined for a replay, which nobody waits for. */
  answer?: ((answer: RegistrationAnswer) => void) | undefined;
}

const registrationTimeoutS = 30;
/** Shorter than the client waits for the engine: it then asks Temporal itself. */
const lookTimeoutMs = 4_500;
const replayDelaysMs = [1_000, 2_000, 5_000, 10_000, 30_000];

export function createWorkerLink(options: WorkerLinkOptions): WorkerLink {
  let child: ChildProcess | undefined;
  let address: string | undefined;
  let lastTurn = 0;
  const taken = new Map<string, Taken>();
  /** Handed over and not answered yet, by turn. */
  const pending = new Map<number, Pending>();
  /** Who waits for what the worker sees, by turn. */
  const looks = new Map<number, (seen: JsonObject | null | undefined) => void>();

  function send(message: ToWorker): void {
    // A worker that is just dying gets accounts again when it is back.
    if (child?.connected === true) child.send(message, () => undefined);
  }

  function connect(to: string): void {
    address = to;
    send({ type: 'server', address });
  }

  function hand(one: Pending): number {
    lastTurn += 1;
    pending.set(lastTurn, one);
    send({ type: 'account', turn: lastTurn, registration: one.registration });
    return lastTurn;
  }

  function start(): ChildProcess {
    const mine = forkWorker(options);
    child = mine;
    mine.on('message', receive);
    if (address !== undefined) connect(address);
    for (const [turn, { answer }] of pending) if (answer === undefined) pending.delete(turn);
    for (const one of taken.values()) replay(one);
    // After the accounts that were taken, in the order they came: the newest of an account is what stays.
    for (const [turn, { registration, answer }] of pending)
      if (answer !== undefined) send({ type: 'account', turn, registration });
    return mine;
  }

  function replay(one: Taken): void {
    clearTimeout(one.timer);
    hand({ registration: one.registration });
  }

  function receive(value: unknown): void {
    const message = readFromWorker(value);
    if (message === undefined) return;
    if (message.type === 'open') options.onOpen(message);
    else if (message.type === 'awaiting') options.onAwaiting(message.calls);
    else if (message.type === 'seen') looks.get(message.turn)?.(message.seen);
    else if (message.type === 'left') leave(message.account);
    else settle(message);
  }

  function leave(account: string): void {
    clearTimeout(taken.get(account)?.timer);
    taken.delete(account);
    options.onLeft();
  }

  /** What the worker says of an account that it was handed. */
  function settle(message: FromWorker & { type: 'ready' | 'failed' }): void {
    const waiting = pending.get(message.turn);
    pending.delete(message.turn);
    const one = taken.get(message.account);
    if (message.type === 'failed') {
      if (waiting?.answer === undefined) options.onReplayFailed(message.account, message.code);
      waiting?.answer?.({ ok: false, code: message.code, message: message.message });
      if (one !== undefined) replayLater(one);
      return;
    }
    clearTimeout(one?.timer);
    const handed = waiting?.registration ?? one?.registration;
    const { account, settings } = message;
    if (handed !== undefined) {
      const key = message.key === 'good' ? handed.key : (one?.registration.key ?? handed.key);
      // A command that brings a key alone, or S3 variables, has no word on the rest.
      const registration = handed.isKeyOnly && one !== undefined ? one.registration : handed;
      const s3 = s3InForce(one?.registration.s3, handed.s3);
      taken.set(account, { registration: { ...registration, settings, key, s3 }, failures: 0 });
    }
    waiting?.answer?.({ ok: true, key: message.key });
  }

  /** What a batch needs may only be away for a while, a bucket for one: its account is offered until it is served. */
  function replayLater(one: Taken): void {
    clearTimeout(one.timer);
    const delayMs = replayDelaysMs[Math.min(one.failures, replayDelaysMs.length - 1)];
    one.failures += 1;
    one.timer = setTimeout(() => replay(one), delayMs).unref();
  }

  function register(registration: AccountRegistration): Promise<RegistrationAnswer> {
    return new Promise((resolve) => {
      const answer = (answer: RegistrationAnswer) => {
        clearTimeout(timer);
        resolve(answer);
      };
      const turn = hand({ registration, answer });
      const timer = setTimeout(() => {
        // What it says later still counts: it may serve the account, and the next worker must be handed it then.
        pending.set(turn, { registration });
        const message = `the worker said nothing within ${registrationTimeoutS} s; its log is ${options.log}: run the same command again`;
        resolve({ ok: false, code: 'worker_timeout', message });
      }, registrationTimeoutS * 1_000);
    });
  }

  function look(account: string, batch: string): Promise<JsonObject | null | undefined> {
    lastTurn += 1;
    const turn = lastTurn;
    return new Promise((resolve) => {
      const timer = setTimeout(() => answer(undefined), lookTimeoutMs);
      const answer = (seen: JsonObject | null | undefined): void => {
        clearTimeout(timer);
        looks.delete(turn);
        resolve(seen);
      };
      looks.set(turn, answer);
      if (child?.connected === true) send({ type: 'look', turn, account, batch });
      else answer(undefined);
    });
  }

  const keeper = createKeeper({ start, onChange: options.onChange, onDeath: options.onDeath });
  const hasKey = (question: KeyQuestion) => answersTo(taken.get(question.account)?.registration.key, question);
  return { keeper, connect, accounts: () => [...taken.keys()], hasKey, register, look };
}
