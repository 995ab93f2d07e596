/** Asks the engine of a data folder over its control socket. */
import { askEngine, type ControlReply, type ControlRequest, type NoReply } from './control.js';
import { readRecord } from './engine-record.js';
import type { EnginePlaces } from './places.js';

/** The socket that the running engine wrote down goes first: its TMPDIR may have been another one. */
export function ask(places: EnginePlaces, request: ControlRequest, timeoutMs: number): Promise<ControlReply | NoReply> {
  return askEngine(readRecord(places.record)?.socket ?? places.socket, request, timeoutMs);
}
