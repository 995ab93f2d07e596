/** How long an answer asks to wait, within what is sensible to follow. */
const SHORTEST_MS = 1_000;
const LONGEST_MS = 300_000;

const NUMBER = /^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/** The three date forms of HTTP (RFC 9110, 5.6.7) all start with the day's name; anything else is not read as one. */
const DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;

/**
 * Reads a `Retry-After` header: seconds or an HTTP date.
 * @returns milliseconds from `nowMs`, between 1 s and 300 s whatever was asked; undefined when absent or unreadable
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  if (NUMBER.test(text)) return clamp(Number(text) * 1_000);
  if (!DATE.test(text)) return undefined;
  const atMs = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(atMs) ? undefined : clamp(atMs - nowMs);
}

function clamp(waitMs: number): number {
  return Math.min(Math.max(Math.ceil(waitMs), SHORTEST_MS), LONGEST_MS);
}
