import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** What processes have used, as Linux alone tells it in files. */

/** Linux counts processor time in hundredths of a second, whatever the machine. */
const TICKS_PER_SECOND = 100;

/** Processor time of a process until now, s; NaN where it is gone. */
export async function cpuSecondsOf(pid: number | null): Promise<number> {
  const text = pid === null ? '' : await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [user, system] = timesIn(text);
  return (user + system) / TICKS_PER_SECOND;
}

/** Processor time of this process's children that have ended, theirs included, s. */
export function endedChildrenCpuSeconds(): number {
  const [, , user, system] = timesIn(readFileSync('/proc/self/stat', 'utf8'));
  return (user + system) / TICKS_PER_SECOND;
}

/** The most memory that a process ever held, MB; NaN where it is gone. */
export async function peakMbOf(pid: number | null): Promise<number> {
  const text = pid === null ? '' : await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kb = /^VmHWM:\s+(\d+) kB$/m.exec(text)?.[1];
  return kb === undefined ? Number.NaN : Math.round(Number(kb) / 1_024);
}

/** Own user and system time, and that of ended children, in ticks; the name before them may hold spaces. */
function timesIn(stat: string): [number, number, number, number] {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const at = (index: number): number => Number(fields[index] ?? Number.NaN);
  return [at(11), at(12), at(13), at(14)];
}
