/** What client commands do with the engine: start or join it, hand it their account, look at it, end it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from './control.js';
import { EngineError, stopCommand } from './engine-error.js';
import { builtPrograms, type EngineProgram } from './engine-options.js';
import { readRecord } from './engine-record.js';
import { awaitedOf, awaitedText, type EngineState } from './engine-status.js';
import { lives } from './keeper.js';
import { type EnginePlaces, enginePlaces } from './places.js';
import type { AccountRegistration, KeyProof } from './registration.js';
import { startDetached } from './start-detached.js';

export interface EnsureEngineOptions {
  dataFolder: string;
  /** Of the client's own build: an engine of another one is not joined. */
  buildId: string;
  /** A line for the user while something takes time. */
  onProgress?: (line: string) => void;
  /** Port of the Temporal UI of an engine that is started now: 0 for a free one; none if not given. */
  uiPort?: number;
  /** How long an engine that is started now stays after its last open batch; 5 min if not given. */
  idleMs?: number;
  /** Other programs than the build's own. */
  programs?: { supervisor: EngineProgram; worker: EngineProgram };
}

/** An engine that runs and answers. */
export interface Engine {
  /** `127.0.0.1:port` of its Temporal server; the same for the engine's whole life. */
  address: string;
  namespace: 'default';
  /** False when this call started it. */
  joined: boolean;
  dataFolder: string;
  /** Hands an account and its key to the worker; throws `registration_failed` with the worker's code as `reason`. */
  register(registration: AccountRegistration): Promise<KeyProof>;
  status(): Promise<EngineState | undefined>;
}

/** Long enough for a killed engine's worker to finish its requests and for a slow disk. */
const startTimeoutMs = 120_000;
const replyTimeoutMs = 5_000;
const registerTimeoutMs = 40_000;
const defaultIdleMs = 5 * 60_000;

/** Joins the engine of the data folder, or starts it. Two callers at once get the same engine. */
export async function ensureEngine(options: EnsureEngineOptions): Promise<Engine> {
  const places = enginePlaces(options.dataFolder);
  const tell = options.onProgress ?? (() => undefined);
  let joined = true;
  let isStarting: () => boolean = () => false;
  let starts = 0;
  let isDraining = false;
  for (let deadline = Date.now() + startTimeoutMs; Date.now() < deadline; await sleep(isDraining ? 500 : 40)) {
    const reply = await ask(places, { cmd: 'join' }, replyTimeoutMs);
    if (reply === 'silent') throw silent(places);
    if (reply !== 'none' && reply.ok) {
      const { status } = reply;
      const calls = awaitedOf(status);
      if (status.state === 'stopping' && calls.length > 0) {
        if (!isDraining) tell(`the engine before this one ends: ${awaitedText(calls)}; then a new one starts`);
        isDraining = true;
        deadline = Date.now() + startTimeoutMs;
      }
      if (status.state === 'stopping') continue;
      if (status.buildId !== options.buildId) throw otherBuild(status);
      if (status.state === 'ready' && status.address !== null) {
        if (!joined && status.notice) tell(status.notice);
        return handle(places, status.address, joined);
      }
    } else if (!isStarting()) {
      joined = false;
      // Another supervisor was first and is not heard yet, or it is just ending.
      if (starts++ > 0) await sleep(300);
      else tell('starting the engine');
      isStarting = await startDetached({
        places,
        buildId: options.buildId,
        uiPort: options.uiPort ?? null,
        idleMs: options.idleMs ?? defaultIdleMs,
        programs: options.programs ?? builtPrograms,
        onProgress: tell,
      });
    }
  }
  const seconds = startTimeoutMs / 1_000;
  throw new EngineError('start_timeout', `the engine was not ready after ${seconds} s: see ${places.logs.engine}`);
}

/** What runs in the data folder; undefined when nothing does. */
export async function engineStatus(dataFolder: string): Promise<EngineState | undefined> {
  const places = enginePlaces(dataFolder);
  const reply = await ask(places, { cmd: 'status' }, replyTimeoutMs);
  if (reply === 'silent') throw silent(places);
  return reply !== 'none' && reply.ok ? reply.status : undefined;
}

/** True when no supervisor is in the data folder: none answers, and the one on record does not live. */
export async function isEngineGone(dataFolder: string): Promise<boolean> {
  const places = enginePlaces(dataFolder);
  if ((await ask(places, { cmd: 'status' }, replyTimeoutMs)) !== 'none') return false;
  return !lives(readRecord(places.record)?.supervisor ?? null);
}

function handle(places: EnginePlaces, address: string, joined: boolean): Engine {
  return {
    address,
    namespace: 'default',
    joined,
    dataFolder: places.dataFolder,
    async register(registration) {
      const reply = await ask(places, { cmd: 'account', registration }, registerTimeoutMs);
      if (reply === 'silent') throw silent(places);
      if (reply === 'none' || (!reply.ok && reply.code === 'not_ready')) {
        throw new EngineError('engine_gone', 'the engine ended meanwhile: run the same command again');
      }
      if (reply.ok) return reply.key ?? 'good';
      if (reply.code === 'worker_timeout') throw new EngineError('not_responding', reply.message);
      throw new EngineError('registration_failed', reply.message, { reason: reply.code });
    },
    status: () => engineStatus(places.dataFolder),
  };
}

function otherBuild(status: EngineState): EngineError {
  const what = `an engine of another build of callsheet (process ${status.pid}) runs in ${status.dataFolder}`;
  return new EngineError('other_build', `${what}: end it with \`${stopCommand(status.dataFolder)}\` and try again`);
}

function silent(places: EnginePlaces): EngineError {
  const what = `the engine in ${places.dataFolder} does not answer`;
  return new EngineError('not_responding', `${what}: end it with \`${stopCommand(places.dataFolder)}\` and try again`);
}
