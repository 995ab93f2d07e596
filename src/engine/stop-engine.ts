/** Ends the engine of a data folder, and knows whether somebody did. */
import { ask } from './control.js';
import { type EngineRecord, readRecord, readStopMark, removeRecord, writeStopMark } from './engine-record.js';
import { awaitedOf, awaitedText, type EngineState } from './engine-status.js';
import { endLeftovers, endProcess, isGone, lives, markOf, type ProcessMark } from './keeper.js';
import { type EnginePlaces, enginePlaces } from './places.js';

/** Who asks an engine to stop wants it gone, even if it does not answer. */
const stopReplyTimeoutMs = 3_000;
/** After its last word that it waits for the answer of a paid request. */
const stopTimeoutMs = 90_000;
const stopLookMs = 500;

export interface StopOptions {
  /** Does not wait for the answers of paid requests: what they bought may be lost. */
  isForced: boolean;
  /** Called with each change of what is still waited for. */
  onAwaiting(text: string): void;
  /** Called with what the engine said of itself when the order came to it. */
  onOrdered?(state: EngineState): void;
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
  if (reply !== 'none' && reply !== 'silent' && reply.ok) options.onOrdered?.(reply.status);
  const supervisor = reply !== 'none' && reply !== 'silent' && reply.ok ? markOf(reply.status.pid) : null;
  if (supervisor !== null && (await hasEnded(places, supervisor, options))) return 'stopped';
  if (record === undefined || ![record.supervisor, record.server, record.worker].some(lives)) return 'none';
  writeStopMark(places.stopMark, record);
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
  return readStopMark(enginePlaces(dataFolder).stopMark) !== undefined;
}

/** Batches that were open when the engine that no longer runs was last heard of; 0 where nothing is known of any. */
export function leftOpen(dataFolder: string): number {
  const places = enginePlaces(dataFolder);
  return readStopMark(places.stopMark)?.openBatches ?? readRecord(places.record)?.openBatches ?? 0;
}
