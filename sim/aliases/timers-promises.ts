import { inHost } from '../engine/current.js';

/** `node:timers/promises` on the virtual clock. */
export function setTimeout<T>(delayMs: number, value?: T): Promise<T | undefined> {
  return inHost(delayMs, () => value);
}
