/** What the command line, the supervisor and its worker say to each other about accounts. */
import { isJsonObject, type JsonObject } from '../domain/json.js';
import type { AwaitedCall } from '../domain/price.js';
import { type S3Environment, s3Environment } from '../domain/s3.js';

/**
 * An account as a client command hands it to the engine. The key itself stays in the memory of supervisor and worker:
 * it is in no file, argument, environment or log.
 */
export interface AccountRegistration {
  account: string;
  /** The frozen account settings; the engine passes them on unread. */
  settings: JsonObject;
  key: { value: string } | { file: string };
  /** The command brings a key, S3 variables and whom it tells: otherwise an account that is served stays as it is. */
  isKeyOnly?: boolean;
  /** The command's own S3 credentials and places; kept like the key. */
  s3?: S3Environment;
}

/** What one free read says of a key: `unknown` when the service gave neither a 200 nor a 401. */
export type KeyProof = 'good' | 'refused' | 'unknown';

/** Whether the worker serves the account now; a key that is not good leaves the one before in force. */
export type RegistrationAnswer = { ok: true; key: KeyProof } | { ok: false; code: string; message: string };

/** Supervisor to worker; `turn` comes back with the answer. */
export type ToWorker = ServerPlace | HandedAccount | BatchQuestion;

/** The server answers there from now on. Comes first, and once. */
export interface ServerPlace {
  type: 'server';
  /** `host:port` */
  address: string;
}

export interface HandedAccount {
  type: 'account';
  turn: number;
  registration: AccountRegistration;
}

export interface BatchQuestion {
  type: 'look';
  turn: number;
  account: string;
  batch: string;
}

/**
 * Worker to supervisor. `open` comes every few seconds: batches, and whatever else goes on for an account (an output
 * that is still fetched after its batch ended).
 */
export type FromWorker =
  /** `settings`: those that the account is served with from now on; only a good key replaces one that it had. */
  | { type: 'ready'; turn: number; account: string; settings: JsonObject; key: KeyProof }
  | { type: 'failed'; turn: number; account: string; code: string; message: string }
  /** Answers a `look`, with a RunningBatch, which is passed on unread; null where the batch does not run. */
  | { type: 'seen'; turn: number; account: string; seen?: JsonObject | null }
  /** Nobody has used the account for long: it is served again once a command hands it over. */
  | { type: 'left'; account: string }
  | { type: 'open'; batches: number; others: number }
  /** While it ends, once a second: paid requests that have no answer yet. */
  | { type: 'awaiting'; calls: AwaitedCall[] };

/** Reads what the supervisor says; undefined when it is none of these. */
export function readToWorker(value: unknown): ToWorker | undefined {
  if (!isJsonObject(value)) return undefined;
  const { type, turn, account, batch, address } = value;
  if (type === 'server') return typeof address === 'string' ? { type, address } : undefined;
  if (typeof turn !== 'number') return undefined;
  if (type === 'look') {
    return typeof account === 'string' && typeof batch === 'string' ? { type, turn, account, batch } : undefined;
  }
  const registration = readRegistration(value.registration);
  return registration && { type: 'account', turn, registration };
}

/** Reads a registration that came over the control socket or over IPC; undefined when it is none. */
export function readRegistration(value: unknown): AccountRegistration | undefined {
  if (!isJsonObject(value)) return undefined;
  const { account, settings, key } = value;
  const s3 = s3Environment(isJsonObject(value.s3) ? value.s3 : {});
  if (typeof account !== 'string' || account === '' || !isJsonObject(settings) || !isJsonObject(key)) return undefined;
  const common = { account, settings, s3, ...(value.isKeyOnly === true ? { isKeyOnly: true } : {}) };
  if (typeof key.value === 'string') return { ...common, key: { value: key.value } };
  if (typeof key.file === 'string') return { ...common, key: { file: key.file } };
  return undefined;
}

/** Reads a worker's message; undefined when it is none of them. */
export function readFromWorker(value: unknown): FromWorker | undefined {
  if (!isJsonObject(value)) return undefined;
  const { type, turn, account, code, message, batches, others, calls } = value;
  if (type === 'open' && typeof batches === 'number') return { type, batches, others: Number(others ?? 0) };
  if (type === 'awaiting' && Array.isArray(calls)) return { type, calls: calls.flatMap(readCall) };
  if (typeof account !== 'string') return undefined;
  if (type === 'left') return { type, account };
  if (typeof turn !== 'number') return undefined;
  if (type === 'seen') {
    const { seen } = value;
    return { type, turn, account, ...(seen === null || isJsonObject(seen) ? { seen } : {}) };
  }
  if (type === 'ready')
    return isJsonObject(value.settings)
      ? { type, turn, account, settings: value.settings, key: readProof(value.key) }
      : undefined;
  if (type === 'failed') return { type, turn, account, code: String(code), message: String(message) };
  return undefined;
}

function readProof(value: unknown): KeyProof {
  return value === 'refused' || value === 'unknown' ? value : 'good';
}

function readCall(value: unknown): AwaitedCall[] {
  if (!isJsonObject(value) || typeof value.untilMs !== 'number') return [];
  const { untilMs, creditsNano, isAnswered } = value;
  const cost = typeof creditsNano === 'number' ? creditsNano : null;
  return [{ untilMs, creditsNano: cost, ...(isAnswered === true ? { isAnswered } : {}) }];
}
