import { safeText } from '../domain/secret.js';

/** How long an answer asks to wait: followed as given up to an hour; what nobody can mean is five minutes. */
const SHORTEST_MS = 1_000;
const LONGEST_MS = 3_600_000;
const ABSURD_MS = 300_000;
/** A date this far back is another clock's; one further back means nothing. */
const CLOCK_SKEW_MS = 60_000;

const NUMBER = /^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/** The three date forms of HTTP (RFC 9110, 5.6.7) all start with the day's name; anything else is not read as one. */
const DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;

export interface RetryAfter {
  waitMs: number;
  /** It asked for a time that nobody can mean: negative, long past, or more than an hour. */
  isAbsurd: boolean;
}

/**
 * Reads a `Retry-After` header: seconds or an HTTP date.
 * @returns undefined when absent or unreadable
 */
export function readRetryAfter(header: string | undefined, nowMs: number): RetryAfter | undefined {
  const text = header?.trim() ?? '';
  if (NUMBER.test(text)) return followed(Number(text) * 1_000, 0);
  if (!DATE.test(text)) return undefined;
  const atMs = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(atMs) ? undefined : followed(atMs - nowMs, -CLOCK_SKEW_MS);
}

/** What is said where a header asks for a time that nobody can mean; undefined where there is nothing to say. */
export function retryAfterNote(header: string | undefined, asked: RetryAfter | undefined): string | undefined {
  if (asked?.isAbsurd !== true) return undefined;
  return `Retry-After '${safeText(header ?? '', 60)}' makes no sense: ${asked.waitMs / 60_000} min are waited`;
}

function followed(askedMs: number, leastMs: number): RetryAfter {
  if (askedMs < leastMs || askedMs > LONGEST_MS) return { waitMs: ABSURD_MS, isAbsurd: true };
  return { waitMs: Math.max(Math.ceil(askedMs), SHORTEST_MS), isAbsurd: false };
}
