/**
 * One supervisor per data folder, and one engine per account of a home: each gives out all of the plan's slots, and two
 * of them twice as many.
 */
import { mkdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { tryLock } from '#scripts/lock.mjs';
import { isS3Address } from '../domain/s3.js';
import { EngineError, stopCommand } from './engine-error.js';
import { copiedFrom } from './engine-record.js';
import type { EnginePlaces } from './places.js';
import type { AccountRegistration, RegistrationAnswer } from './registration.js';
import type { WorkerLink } from './worker-link.js';

export interface HomeLocks {
  /**
   * Registers an account unless another engine serves it from the same home. A home in a bucket has no lock; from one
   * that cannot be written nothing is claimed.
   */
  serving(registration: AccountRegistration, register: WorkerLink['register']): Promise<RegistrationAnswer>;
  /** The worker serves an account no more, until a command hands it over again. */
  left(): void;
  releaseAll(): void;
}

interface HeldLock {
  account: string;
  release(): void;
  /** Commands that wait for the worker's word on the account. */
  asking: number;
  /** The worker took the account from this home. */
  wasTaken: boolean;
  /** The worker has said nothing of it in time, and may serve it all the same. */
  isSilent: boolean;
}

/** `isServed`: whether the worker serves an account, as it said last. */
export function createHomeLocks(isServed: (account: string) => boolean): HomeLocks {
  const held = new Map<string, HeldLock>();
  return {
    async serving(registration, register) {
      const { account } = registration;
      const { home } = registration.settings;
      const name = typeof home === 'string' && !isS3Address(home) ? lockName(join(home, account)) : undefined;
      if (name === undefined) return register(registration);
      // By the folder and not its path: that may lead through a link, or be another one since.
      const folder = basename(name);
      let lock = held.get(folder);
      if (lock === undefined) {
        const claimed = tryClaim(name);
        if (claimed === undefined) return register(registration);
        if (!('release' in claimed))
          return { ok: false, code: 'home_taken', message: takenText(account, String(home), claimed) };
        lock = { account, release: claimed.release, asking: 0, wasTaken: false, isSilent: false };
        held.set(folder, lock);
      }
      lock.asking += 1;
      const answer = await register(registration);
      lock.asking -= 1;
      lock.wasTaken ||= answer.ok;
      lock.isSilent ||= !answer.ok && answer.code === 'worker_timeout';
      releaseIdle();
      return answer;
    },
    left: releaseIdle,
    releaseAll() {
      for (const { release } of held.values()) release();
      held.clear();
    },
  };

  function releaseIdle(): void {
    for (const [folder, { account, asking, wasTaken, isSilent, release }] of held) {
      if (asking > 0 || isSilent || (wasTaken && isServed(account))) continue;
      release();
      held.delete(folder);
    }
  }
}

/** Undefined where nothing may be written: what is ordered of such a home is refused by what it would write. */
function tryClaim(name: string): ReturnType<typeof tryLock> | undefined {
  try {
    return tryLock(name);
  } catch (error) {
    if (!['EROFS', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return undefined;
  }
}

/** By the folder's place on the disk: what a copy of a home brings along says nothing of the copy. */
function lockName(folder: string): string | undefined {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { dev, ino } = statSync(folder, { bigint: true });
    const name = join(folder, `engine-${dev}-${ino}.lock`);
    mkdirSync(name, { recursive: true, mode: 0o700 });
    return name;
  } catch {
    return undefined;
  }
}

function takenText(account: string, home: string, { holder, foreign }: { holder: number; foreign?: string }): string {
  const who = foreign ?? `the engine of another data folder (process ${holder})`;
  return `${who} serves the account '${account}' from ${home}: two engines would use the plan's slots twice; say its --data, or end it there with \`callsheet engine stop\``;
}

/**
 * Gives the function that gives the folder back; undefined when another supervisor of this machine has it. Throws an
 * EngineError when another machine has it, where nobody here can tell whether its engine still runs, and for a copy of a
 * folder whose engine runs: both would go on with the same batches.
 */
export function takeFolder(places: EnginePlaces): (() => void) | undefined {
  const lock = tryLock(places.lock);
  if ('release' in lock) return lock.release;
  if (lock.foreign !== undefined) throw new EngineError('bad_folder', lock.foreign);
  const original = copiedFrom(places.record);
  if (original === undefined) return undefined;
  throw new EngineError(
    'bad_folder',
    `${places.dataFolder} was copied from ${original} while its engine ran, which runs on: end it with \`${stopCommand(original)}\` first, or go on with that folder`,
  );
}
