import type { Terminal } from './terminal.js';
import { formatDuration } from './views/durations.js';

const FIRST_MS = 1_000;
const EVERY_MS = 5_000;

/** Says on standard error what goes on while something takes longer than a second, and every few seconds for how long. */
export async function sayMeanwhile<T>(
  { note }: Pick<Terminal, 'note'>,
  line: string,
  work: () => Promise<T>,
): Promise<T> {
  const sinceMs = Date.now();
  const first = setTimeout(() => note(line), FIRST_MS);
  const more = setInterval(() => note(`${line} (${formatDuration(Date.now() - sinceMs)})`), EVERY_MS);
  try {
    return await work();
  } finally {
    clearTimeout(first);
    clearInterval(more);
  }
}
