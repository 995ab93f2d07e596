/** What client commands do with the engine: start or join it, hand it their account, look at it, end it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { awaitedOf, awaitedText } from './awaited-text.js';
import { askEngine, type ControlReply, type NoReply } from './control.js';
import { EngineError } from './engine-error.js';
import { builtPrograms, type EngineProgram } from './engine-options.js';
import { type EngineRecord, type ProcessMark, readRecord, removeRecord } from './engine-record.js';
import type { EngineState } from './engine-status.js';
import { type EnginePlaces, enginePlaces } from './places.js';
import { endLeftovers, endProcess, isGone, lives, markOf } from './processes.js';
import type { AccountRegistration } from './registration.js';
import { startDetached } from './start-detached.js';
import { isStoppedByOrder, writeStopMark } from './stop-mark.js';

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
  register(registration: AccountRegistration): Promise<void>;
  status(): Promise<EngineState | undefined>;
}

/** Long enough for a killed engine's worker to finish its requests and for a slow disk. */
const startTimeoutMs = 120_000;
const replyTimeoutMs = 5_000;
const registerTimeoutMs = 40_000;
/** Who asks an engine to stop wants it gone, even if it does not answer. */
const stopReplyTimeoutMs = 3_000;
/** After its last word that it waits for the answer of a paid request. */
const stopTimeoutMs = 90_000;
const stopLookMs = 500;
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

export interface StopOptions {
  /** Does not wait for the answers of paid requests: what they bought may be lost. */
  isForced: boolean;
  /** Called with each change of what is still waited for. */
  onAwaiting(text: string): void;
}

/**
 * `stopped`: it ended in order. `killed`: what was left of it was ended by force. `draining`: what was left waits for
 * the answers of paid requests and ends by itself. `none`: nothing ran.
 */
export type StopOutcome = 'stopped' | 'killed' | 'draining' | 'none';

/** Ends the engine of a data folder; whoever follows a batch does not start it again. */
export async function stopEngine(dataFolder: string, options: StopOptions): Promise<StopOutcome> {
  const places = enginePlaces(dataFolder);
  const record = readRecord(places.record);
  const reply = await ask(places, { cmd: options.isForced ? 'stop-now' : 'stop' }, stopReplyTimeoutMs);
  const supervisor = reply !== 'none' && reply !== 'silent' && reply.ok ? markOf(reply.status.pid) : null;
  if (supervisor !== null && (await hasEnded(places, supervisor, options))) return 'stopped';
  if (record === undefined || ![record.supervisor, record.server, record.worker].some(lives)) return 'none';
  writeStopMark(places.stopMark);
  return endByForce(places, record, options);
}

async function hasEnded(places: EnginePlaces, supervisor: ProcessMark, options: StopOptions): Promise<boolean> {
  let told = '';
  for (let deadline = Date.now() + stopTimeoutMs; Date.now() < deadline; ) {
    if (await isGone(supervisor, stopLookMs)) return true;
    const reply = await ask(places, { cmd: 'status' }, stopReplyTimeoutMs);
    const calls = reply !== 'none' && reply !== 'silent' && reply.ok ? awaitedOf(reply.status) : [];
    if (calls.length === 0 || options.isForced) continue;
    deadline = Date.now() + stopTimeoutMs;
    const text = awaitedText(calls);
    if (text !== told) options.onAwaiting(text);
    told = text;
  }
  return false;
}

async function endByForce(places: EnginePlaces, record: EngineRecord, { isForced }: StopOptions): Promise<StopOutcome> {
  await endProcess(record.supervisor, 5_000);
  await endLeftovers(record, isForced);
  // The record is what `engine stop --now` finds such a worker by.
  if (lives(record.worker)) return 'draining';
  removeRecord(places.record);
  return 'killed';
}

/** Whether a person ended the engine since it last ran. */
export function wasStopped(dataFolder: string): boolean {
  return isStoppedByOrder(enginePlaces(dataFolder).stopMark);
}

function handle(places: EnginePlaces, address: string, joined: boolean): Engine {
  return {
    address,
    namespace: 'default',
    joined,
    dataFolder: places.dataFolder,
    async register(registration) {
      const reply = await ask(places, { cmd: 'account', registration }, registerTimeoutMs);
      if (reply === 'none' || reply === 'silent') {
        throw new EngineError('engine_gone', 'the engine ended meanwhile: run the same command again');
      }
      if (!reply.ok) throw new EngineError('registration_failed', reply.message, { reason: reply.code });
    },
    status: () => engineStatus(places.dataFolder),
  };
}

/** The socket that the running engine wrote down goes first: its TMPDIR may have been another one. */
function ask(
  places: EnginePlaces,
  request: Parameters<typeof askEngine>[1],
  timeoutMs: number,
): Promise<ControlReply | NoReply> {
  return askEngine(readRecord(places.record)?.socket ?? places.socket, request, timeoutMs);
}

function otherBuild(status: EngineState): EngineError {
  const what = `an engine of another build of callsheet (process ${status.pid}) runs in ${status.dataFolder}`;
  return new EngineError('other_build', `${what}: end it with \`${stopCommand(status.dataFolder)}\` and try again`);
}

function silent(places: EnginePlaces): EngineError {
  const what = `the engine in ${places.dataFolder} does not answer`;
  return new EngineError('not_responding', `${what}: end it with \`${stopCommand(places.dataFolder)}\` and try again`);
}

function stopCommand(dataFolder: string): string {
  return `callsheet engine stop --data '${dataFolder.replaceAll("'", "'\\''")}'`;
}
