import { pino } from 'pino';
import type { Log } from '../domain/log.js';

/** JSON lines on standard error, written at once: what happened last is there after a crash. */
export function createLogger(name: string): Log {
  const destination = pino.destination({ fd: 2, sync: true });
  // A log that cannot be written, on a full disk for one, is no reason to end.
  destination.on('error', () => undefined);
  return pino({ name, base: { pid: process.pid } }, destination);
}
