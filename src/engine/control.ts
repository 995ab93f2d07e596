/** The control socket: one JSON line asked, one JSON line answered; only this user can open it. */

import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import type { RunningBatch } from '../contract/semaphore-view.js';
import { isJsonObject, type JsonObject } from '../domain/json.js';
import { socketOf } from './engine-record.js';
import type { EngineState } from './engine-status.js';
import { type EnginePlaces, enginePlaces } from './places.js';
import { type AccountRegistration, type KeyProof, readRegistration } from './registration.js';

/** Whether the engine has a key, asked without showing it. */
export interface KeyQuestion {
  account: string;
  nonce: string;
  /** HMAC of the key by the nonce. */
  proof: string;
}

export type ControlRequest =
  | { cmd: 'status' }
  /** Like `status`, and the engine counts as used from now. */
  | { cmd: 'join' }
  | { cmd: 'stop' }
  /** Like `stop`, without waiting for the answers of paid requests. */
  | { cmd: 'stop-now' }
  | { cmd: 'same-key'; question: KeyQuestion }
  /** What runs of a batch. */
  | { cmd: 'look'; account: string; batch: string }
  | { cmd: 'account'; registration: AccountRegistration };

export type ControlReply =
  /** `seen`: of a `look`, a RunningBatch, or null where the batch does not run; `key`: of an `account`. */
  | { ok: true; status: EngineState; seen?: JsonObject | null; key?: KeyProof }
  | { ok: false; code: string; message: string };

export const otherKey: ControlReply = { ok: false, code: 'other_key', message: 'the engine has another key' };

/** Undefined: the worker cannot tell now. */
export function seenBy(seen: JsonObject | null | undefined, status: EngineState): ControlReply {
  return seen === undefined ? { ok: false, code: 'unseen', message: 'unseen' } : { ok: true, status, seen };
}

export function notReady(state: EngineState['state']): ControlReply {
  return { ok: false, code: 'not_ready', message: `the engine is ${state}` };
}

/** A registration with all its prices is far below this; a longer line is not from us. */
const lineBytesMax = 4_000_000;

/** Serves requests on the socket; a socket file that a dead engine left is replaced (the caller holds the lock). */
export async function serveControl(
  path: string,
  answer: (request: ControlRequest) => Promise<ControlReply>,
): Promise<Server> {
  rmSync(path, { force: true });
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    readLine(socket)
      .then((line) => answerLine(line, answer))
      .then((reply) => socket.end(`${JSON.stringify(reply)}\n`))
      .catch(() => socket.destroy());
  });
  // The socket is bound within the call: it never exists with a wider mode.
  const before = process.umask(0o177);
  server.listen(path);
  process.umask(before);
  await once(server, 'listening');
  chmodSync(path, 0o600);
  return server;
}

async function answerLine(
  line: string,
  answer: (request: ControlRequest) => Promise<ControlReply>,
): Promise<ControlReply> {
  const request = readRequest(line);
  if (request === undefined) return { ok: false, code: 'bad_request', message: 'not a request' };
  try {
    return await answer(request);
  } catch (error) {
    // On a full disk for one; without a word the client would take the engine for gone.
    const { message, code = 'failed' } = error as NodeJS.ErrnoException;
    return { ok: false, code, message };
  }
}

/** Why no reply came. */
export type NoReply =
  /** Nobody listens. */
  | 'none'
  /** Somebody listens and says nothing. */
  | 'silent';

/** Asks the engine at the socket. */
export async function askEngine(
  path: string,
  request: ControlRequest,
  timeoutMs: number,
): Promise<ControlReply | NoReply> {
  const socket = createConnection(path);
  socket.setTimeout(timeoutMs, () => socket.destroy(new Error('silent')));
  socket.on('connect', () => socket.write(`${JSON.stringify(request)}\n`));
  try {
    return JSON.parse(await readLine(socket)) as ControlReply;
  } catch (error) {
    return error instanceof Error && error.message === 'silent' ? 'silent' : 'none';
  } finally {
    socket.destroy();
  }
}

function readLine(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end));
      else if (text.length > lineBytesMax) reject(new Error('line too long'));
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('closed')));
  });
}

function readRequest(line: string): ControlRequest | undefined {
  const value = parse(line);
  if (!isJsonObject(value)) return undefined;
  const { cmd } = value;
  if (cmd === 'status' || cmd === 'join' || cmd === 'stop' || cmd === 'stop-now') return { cmd };
  if (cmd === 'same-key') return readKeyQuestion(value.question);
  if (cmd === 'look') return readLook(value);
  const registration = readRegistration(value.registration);
  return cmd === 'account' && registration !== undefined ? { cmd, registration } : undefined;
}

function readKeyQuestion(value: unknown): ControlRequest | undefined {
  if (!isJsonObject(value)) return undefined;
  const { account, nonce, proof } = value;
  if (typeof account !== 'string' || typeof nonce !== 'string' || typeof proof !== 'string') return undefined;
  return { cmd: 'same-key', question: { account, nonce, proof } };
}

function readLook({ account, batch }: JsonObject): ControlRequest | undefined {
  return typeof account === 'string' && typeof batch === 'string' ? { cmd: 'look', account, batch } : undefined;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

export function ask(places: EnginePlaces, request: ControlRequest, timeoutMs: number): Promise<ControlReply | NoReply> {
  return askEngine(socketOf(places), request, timeoutMs);
}

const replyTimeoutMs = 5_000;

/** Asks the engine; false where none runs, where it does not serve the account, or where it is of an older build. */
export async function isEngineKey(dataFolder: string, account: string, key: string): Promise<boolean> {
  const nonce = randomBytes(16).toString('hex');
  const question = { account, nonce, proof: proofOf(key, nonce) };
  const reply = await ask(enginePlaces(dataFolder), { cmd: 'same-key', question }, replyTimeoutMs);
  return reply !== 'none' && reply !== 'silent' && reply.ok;
}

/**
 * What the engine's worker sees of a batch; null where it does not run. Undefined where the worker cannot tell now, and
 * of an engine of an earlier build.
 */
export async function lookThroughEngine(
  dataFolder: string,
  account: string,
  batch: string,
): Promise<RunningBatch | null | undefined> {
  const reply = await ask(enginePlaces(dataFolder), { cmd: 'look', account, batch }, replyTimeoutMs);
  if (reply === 'none' || reply === 'silent' || !reply.ok) return undefined;
  return reply.seen as RunningBatch | null | undefined;
}

export function answersTo(key: AccountRegistration['key'] | undefined, { nonce, proof }: KeyQuestion): boolean {
  if (key === undefined) return false;
  try {
    const value = 'value' in key ? key.value : readFileSync(key.file, 'utf8').trim();
    return proofOf(value, nonce) === proof;
  } catch {
    return false;
  }
}

function proofOf(key: string, nonce: string): string {
  return createHmac('sha256', nonce).update(key).digest('hex');
}
