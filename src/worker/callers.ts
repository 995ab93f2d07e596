import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { isAlive, startMark } from '#scripts/live-process.mjs';
import type { Callers } from '../../activities/dependencies.js';

/**
 * Names this process so that another one on the same machine can tell for certain that it is gone: by boot, the numbering
 * of processes that it lives in, its number and when it began. Where that cannot be known (another system, another
 * machine, another container) nothing is said to be gone.
 */
export function createCallers(): Callers {
  const place = placeOfProcesses();
  const began = place === undefined ? undefined : startMark(process.pid);
  return {
    own: began === undefined ? null : [place, process.pid, began].join(' '),
    isGone(caller) {
      const [boot, numbering, pid, mark] = caller.split(' ');
      return `${boot} ${numbering}` === place && mark !== undefined && !isAlive(Number(pid), mark);
    },
  };
}

function placeOfProcesses(): string | undefined {
  try {
    return `${readBoot()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return undefined;
  }
}

/** Names the clock that this process goes by: all containers of a machine have the same one. */
export function machineClock(): string {
  try {
    return readBoot();
  } catch {
    return hostname();
  }
}

function readBoot(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}
