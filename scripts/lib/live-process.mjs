// Tells whether a process that was written down earlier still lives, although its number may have been given away.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * When a process began, in a form that can only be compared; undefined when it is gone or a zombie.
 * A process number alone proves nothing: the system gives it to another process later.
 * @param {number} pid
 * @returns {string | undefined}
 */
export function startMark(pid) {
  if (process.platform === 'linux') {
    const fields = linuxStat(pid);
    // Fields after the command: 0 is the state, 19 the start time in ticks since the machine began.
    return fields === undefined || fields[0] === 'Z' ? undefined : fields[19];
  }
  try {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return line === '' || line.startsWith('Z') ? undefined : line.replace(/^\S+\s+/, '').replace(/[^0-9A-Za-z]+/g, '-');
  } catch {
    return undefined;
  }
}

/**
 * True while the process that had this mark lives.
 * @param {number} pid
 * @param {string} mark
 */
export function isAlive(pid, mark) {
  return startMark(pid) === mark;
}

/** @param {number} pid */
function linuxStat(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command stands in brackets and may itself hold blanks and brackets.
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
