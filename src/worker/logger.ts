import { pino } from 'pino';
import type { Log } from '../activities/dependencies.js';

/** JSON lines on standard error, written at once: what happened last is there after a crash. */
export function createLogger(name: string): Log {
  return pino({ name, base: { pid: process.pid } }, pino.destination({ fd: 2, sync: true }));
}
