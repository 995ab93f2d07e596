import { readRetryAfter, retryAfterNote } from '../src/service/errors.js';
import type { Dependencies } from './dependencies.js';

/** How long a 429 to a free read asks to wait, ms; what nobody can mean is said. Undefined where it asks for nothing. */
export function askedWaitMs({ log, now }: Dependencies, header: string | undefined): number | undefined {
  const asked = readRetryAfter(header, now());
  const note = retryAfterNote(header, asked);
  if (note !== undefined) log.warn({ waitMs: asked?.waitMs }, note);
  return asked?.waitMs;
}
