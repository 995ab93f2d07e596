import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const entry = fileURLToPath(new URL('../children/validate-process.ts', import.meta.url));

interface Checked {
  seconds: number;
  rssGrowthMb: number;
  rssPeakMb: number;
  rows: number;
  problemCount: number;
}

/** Checks a manifest in a process of its own; throws when it does not have this many rows or has a problem. */
export async function freshCheck(path: string, rows: number): Promise<Checked> {
  const child = fork(entry, [path], { execArgv: ['--import', 'tsx'] });
  const ended = once(child, 'exit');
  const [message] = await Promise.race([
    once(child, 'message'),
    ended.then(([code]) => Promise.reject(new Error(`the check ended with ${code} and said nothing`))),
  ]);
  await ended;
  const checked = message as Checked;
  if (checked.rows !== rows || checked.problemCount > 0) throw new Error('the manifest of the benchmark is not valid');
  return checked;
}
