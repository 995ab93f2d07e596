import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** What processes have used, as Linux alone tells it in files. */

/** Linux counts processor time in hundredths of a second, whatever the machine. */
const TICKS_PER_SECOND = 100;

/** Processor time of a process until now with all that it has started, s; NaN where it is gone. */
export async function cpuSecondsOf(pid: number | null): Promise<number> {
  const text = pid === null ? '' : await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const ticks = timesIn(text).reduce((sum, one) => sum + one, 0);
  const children = await Promise.all(childrenOf(pid).map((child) => cpuSecondsOf(child)));
  return children.reduce((sum, one) => sum + (Number.isNaN(one) ? 0 : one), ticks / TICKS_PER_SECOND);
}

/** The processes that a process has started and that live. */
function childrenOf(pid: number | null): number[] {
  if (pid === null || !existsSync(`/proc/${pid}/task`)) return [];
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.flatMap((thread) => {
    const path = `/proc/${pid}/task/${thread}/children`;
    return existsSync(path) ? readFileSync(path, 'utf8').split(' ').filter(Boolean).map(Number) : [];
  });
}

/** What a process has written to its disk until now, MB; NaN where it is gone. */
export async function writtenMbOf(pid: number | null): Promise<number> {
  const text = pid === null ? '' : await readFile(`/proc/${pid}/io`, 'utf8').catch(() => '');
  return Number(/^write_bytes: (\d+)$/m.exec(text)?.[1] ?? Number.NaN) / 2 ** 20;
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
