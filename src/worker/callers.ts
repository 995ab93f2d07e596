import { readFileSync, readlinkSync } from 'node:fs';
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
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return undefined;
  }
}
