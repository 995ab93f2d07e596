/** One supervisor per data folder. */
import { tryLock } from '#scripts/lock.mjs';
import { EngineError } from './engine-error.js';
import type { EnginePlaces } from './places.js';

/**
 * Gives the function that gives the folder back; undefined when another supervisor of this machine has it. Throws an
 * EngineError when another machine has it: nobody here can tell whether its engine still runs.
 */
export function takeFolder(places: EnginePlaces): (() => void) | undefined {
  const lock = tryLock(places.lock);
  if ('release' in lock) return lock.release;
  if (lock.foreign !== undefined) throw new EngineError('bad_folder', lock.foreign);
  return undefined;
}
