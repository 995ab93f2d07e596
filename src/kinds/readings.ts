/** The readings that every family gives in the same words: created, running, succeeded, failed, unreadable. */
import { z } from 'zod';
import type { Answer, ErrorForm, Output, PollReading, ResultFacts, SubmitReading } from '../domain/exchange.js';
import { isJsonObject, type Json } from '../domain/json.js';
import { safeText } from '../domain/secret.js';
import type { AsyncAdapter } from './adapter.js';
import { readJson, readSegment } from './wire.js';

/** The forms of an error body in service document 1, which apply to every route. */
export const GENERAL_ERRORS: ReadonlySet<ErrorForm> = new Set(['detail', 'error', 'detail_object']);
/** The shared route of service document 2 has a form of its own beside them. */
export const SHARED_ROUTE_ERRORS: ReadonlySet<ErrorForm> = new Set([...GENERAL_ERRORS, 'coded']);
/** "`code`: 0 on success; non-zero is a provider error", with `message` (service document 2, Multi-mode video task). */
export const NUMBERED_ERRORS: ReadonlySet<ErrorForm> = new Set([...GENERAL_ERRORS, 'numbered']);

/** The documented status words of a family. A Map, so that no word can hit an object's own properties. */
export type StatusTable = ReadonlyMap<string, 'running' | 'succeeded' | 'failed'>;

/** How deep a `usage` object may nest to be kept. */
const USAGE_DEPTH_MAX = 16;
/** No film of the service is longer, seconds. */
const LENGTH_MAX = 60;

/** A field that may be absent or of the wrong type without making the answer unreadable. */
export const optionalText = z.string().optional().catch(undefined);
export const optionalCount = z.int().positive().optional().catch(undefined);

/** Seconds as a number or as a string of one; undefined when it is neither. */
export const optionalSeconds = z
  .union([z.number(), z.string().regex(/^\d+(\.\d+)?$/)])
  .transform(Number)
  .pipe(z.number().nonnegative())
  .optional()
  .catch(undefined);

/** No output is a day long: the longest that the documents bound is 30 s, and a speech has an end. */
const OUTPUT_SECONDS_MAX = 86_400;

/** Seconds of an output that can be true; others are unknown, and that is said. */
export function believedSeconds(field: string, seconds: number | undefined, warnings: string[]): number | undefined {
  return believed(field, seconds, OUTPUT_SECONDS_MAX, warnings);
}

/** A quantity from above nothing up to the most that it can be; another one is unknown, and that is said. */
export function believed(
  field: string,
  value: number | undefined,
  most: number,
  warnings: string[],
): number | undefined {
  if (value === undefined || (value > 0 && value <= most)) return value;
  warnings.push(`the answer's ${field} is ${value}, which cannot be: taken as unknown`);
  return undefined;
}

/** Undefined where there is nothing to say. */
export function unlessNone(warnings: string[]): string[] | undefined {
  return warnings.length > 0 ? warnings.map((warning) => safeText(warning)) : undefined;
}

/** A handle is any string that is not blank: opaque and unbounded. */
export const handleText = z.string().refine((text) => text.trim() !== '');

export function created(answer: Answer, handle: string, remark?: string): SubmitReading {
  const warning = [...statusWarnings(answer), ...(remark === undefined ? [] : [remark])].join('; ');
  return warning === '' ? { reading: 'created', handle } : { reading: 'created', handle, warning };
}

/** The service documents 200 for every success; another 2xx is accepted and mentioned. */
export function statusWarnings(answer: Answer): string[] {
  return answer.status === 200 ? [] : [`answered ${answer.status} instead of 200`];
}

export function unreadable(why: string): { reading: 'unreadable'; why: string } {
  return { reading: 'unreadable', why };
}

/** The job is over, and the answer gives nothing more of it. */
export function endedUnreadably(why: string): PollReading {
  return { reading: 'unreadable', why, hasEnded: true };
}

/** Reads a status word by the family's table. A word that the documents do not name means "still running". */
export function readStatus(
  word: unknown,
  table: StatusTable,
  ended: { succeeded: () => PollReading; failed: (word: string) => PollReading },
): PollReading {
  if (typeof word !== 'string') return unreadable('the answer has no status');
  switch (table.get(word)) {
    case 'succeeded':
      return ended.succeeded();
    case 'failed':
      return ended.failed(word);
    case 'running':
      return { reading: 'running', word, known: true };
    case undefined:
      return { reading: 'running', word: safeText(word, 60), known: false };
  }
}

/**
 * The same for a family whose documents list the words and say nothing of others: their case does not matter, nor how
 * "cancelled" is spelt. The output, which is there "only when" the job succeeded, outdoes a word that is not listed.
 */
export function readListed(
  word: unknown,
  table: StatusTable,
  ended: { succeeded: () => PollReading; failed: (word: string) => PollReading },
): PollReading {
  const listed = [...table.keys()].find((one) => isSameWord(word, one));
  const reading = readStatus(listed ?? word, table, ended);
  if (reading.reading !== 'running' || reading.known) return reading;
  const found = ended.succeeded();
  if (found.reading !== 'succeeded') return reading;
  const warning = `the status '${reading.word}' is not a documented one: with an output it is taken as success`;
  return { ...found, facts: { ...found.facts, warnings: [...(found.facts.warnings ?? []), warning] } };
}

function isSameWord(word: unknown, listed: string): boolean {
  const plain = (text: string) => text.toLowerCase().replace('canceled', 'cancelled');
  return typeof word === 'string' && plain(word) === plain(listed);
}

/** A success, unless it announces no output that could be fetched. */
export function succeeded(outputs: Output[], facts: ResultFacts): PollReading {
  if (outputs.length === 0) return endedUnreadably('the service says that the job succeeded, but gives no output URL');
  return { reading: 'succeeded', outputs, facts };
}

/** A failure with its reason, whatever form the reason has: the inner fields of error objects are not documented. */
export function failed(word: string, reason: unknown): PollReading {
  const code = isJsonObject(reason) ? codeOf(reason.code) : undefined;
  const message = describe(reason) ?? 'no reason given';
  return code === undefined ? { reading: 'failed', word, message } : { reading: 'failed', word, code, message };
}

/** `usage` exactly as the service gave it; undefined when there is none or it nests too deep to be recorded. */
export function usageOf(value: unknown): Json | undefined {
  return value === null || value === undefined || depthExceeds(value, USAGE_DEPTH_MAX) ? undefined : (value as Json);
}

/** Amounts that can be an output's length in seconds; which of them is one is not shown. */
export function lengthsIn(usage: Json): number[] {
  if (typeof usage === 'object' && usage !== null) return Object.values(usage).flatMap(lengthsIn);
  const amount = typeof usage === 'number' || typeof usage === 'string' ? Number(usage) : 0;
  return amount > 0 && amount <= LENGTH_MAX ? [amount] : [];
}

/** A machine-readable code, which some providers give as a number. */
function codeOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? safeText(value, 100) : undefined;
}

function describe(reason: unknown): string | undefined {
  if (typeof reason === 'string') return reason.trim() === '' ? undefined : safeText(reason);
  if (reason === null || reason === undefined) return undefined;
  if (typeof reason === 'object' && Object.keys(reason).length === 0) return undefined;
  if (isJsonObject(reason) && typeof reason.message === 'string' && reason.message.trim() !== '') {
    return safeText(reason.message);
  }
  return depthExceeds(reason, USAGE_DEPTH_MAX) ? undefined : safeText(JSON.stringify(reason));
}

/** Level by level instead of by recursion: the value comes from outside and may nest without limit. */
function depthExceeds(value: unknown, depthMax: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= depthMax; depth += 1) {
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
    if (level.length === 0) return false;
  }
  return true;
}

/**
 * What the answer to a poll of this handle says. Families whose documents show the handle in it tell an answer that
 * something on the way kept from the poll of another job: it says nothing of this one.
 */
export function readPolled(adapter: AsyncAdapter, handle: string, answer: Answer): PollReading {
  const echoed = adapter.echo && echoedIn(adapter.echo, answer);
  const isEcho = echoed !== undefined && echoed.trim() !== '' && adapter.isEcho?.(echoed) !== false;
  if (isEcho && readSegment(echoed) !== readSegment(handle)) return unreadable('the answer is about another job');
  const reading = adapter.readPoll(answer);
  // Beside the handle the word is the service's own.
  return isEcho && adapter.otherWordsRun && reading.reading === 'running' ? { ...reading, known: true } : reading;
}

function echoedIn(path: readonly string[], { body }: Answer): string | undefined {
  let value = readJson(body);
  for (const name of path) value = isJsonObject(value) ? value[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}
