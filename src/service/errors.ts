/**
 * Reads an error answer (service document 1, Errors; service document 2, Errors) and says in which of the documented
 * forms it is: what has none of them, such as a proxy's page or a gateway's own JSON, is not the service's word.
 */

import { defined } from '../domain/defined.js';
import type { Answer, ErrorForm, ErrorReading } from '../domain/exchange.js';
import { isJsonObject, type JsonObject } from '../domain/json.js';
import { safeText } from '../domain/secret.js';

/** At most this many `details` are shown, two levels deep. */
const DETAIL_COUNT_MAX = 12;

/**
 * @returns code, message (at most 500 characters, without control characters) and request id; with a 402 the credits
 *   that are needed and left; undefined when the body has no such words
 */
export function readError(answer: Answer): ErrorReading | undefined {
  const body = readJsonBody(answer.body);
  if (!isJsonObject(body)) return undefined;
  if (isErrorObject(body.error)) return fromErrorObject(answer.status, body.error, body);
  if (isText(body.detail)) {
    const form = isProblem(answer, body) ? 'foreign' : 'detail';
    return { form, code: undefined, message: safeText(body.detail), requestId: requestIdOf(body) };
  }
  if (isErrorObject(body.detail)) return fromDetailObject(body.detail, body);
  if (codeOf(body.code) !== undefined && isText(body.message)) {
    const form = isText(body.code) ? 'coded' : isProviderCode(body.code) ? 'numbered' : 'foreign';
    return { form, code: codeOf(body.code), message: safeText(body.message), requestId: requestIdOf(body) };
  }
  return undefined;
}

/**
 * Problem details (RFC 9457), in which gateways and proxies say what they have to: their `detail` stands beside a title or a
 * URI of its type, as the service's never does. The call behind may go on.
 */
function isProblem({ contentType = '' }: Answer, { title, type }: JsonObject): boolean {
  const isNamed = isText(title) || (isText(type) && /^(about|https?|urn):/i.test(type));
  return isNamed || /^\s*application\/problem\+json\b/i.test(contentType);
}

/** `{error: {code, message, request_id, details}}`, on a 5xx with a `detail` string beside it. */
function fromErrorObject(status: number, error: JsonObject, body: JsonObject): ErrorReading {
  const code = isText(error.code) ? codeOf(error.code) : undefined;
  const texts = new Set([error.message, body.detail].filter(isText));
  const text = texts.size > 0 ? [...texts].join('; ') : (code ?? '');
  const details = isJsonObject(error.details) ? error.details : isJsonObject(body.details) ? body.details : undefined;
  const notes = details === undefined || status === 402 ? [] : [showDetails(details)];
  // An avatar submit says where its error is explained (service document 2, Errors).
  if (isText(error.doc_url)) notes.push(`see ${error.doc_url}`);
  const shown = notes.filter((note) => note !== '').join('; ');
  const message = safeText(shown === '' ? text : `${safeText(text, 300)} (${shown})`);
  const requestId = requestIdOf(error) ?? requestIdOf(body);
  return { form: formOf(error, body), code, message, requestId, ...creditsOf(status, error, details) };
}

/** A documented `error.code` is a string: gateways put the status there, as a number. */
function formOf(error: JsonObject, body: JsonObject): ErrorForm {
  if (isText(body.detail)) return 'detail';
  return error.code === undefined || isText(error.code) ? 'error' : 'foreign';
}

/** `{detail: {code, message, model, entrypoint}}`: a model that the account may not use. */
function fromDetailObject(detail: JsonObject, body: JsonObject): ErrorReading {
  const code = codeOf(detail.code);
  const { code: _code, message: _message, request_id: _id, ...rest } = detail;
  const shown = showDetails(rest);
  const text = isText(detail.message) ? detail.message : (code ?? '');
  const message = safeText(shown === '' ? text : `${safeText(text, 300)} (${shown})`);
  const requestId = requestIdOf(detail) ?? requestIdOf(body);
  return {
    form: 'detail_object',
    code,
    message,
    requestId,
    ...(isText(detail.model) && { model: detail.model.trim() }),
  };
}

/** 402 only: `details`, else their deprecated mirrors beside the code. Neither is always there. */
function creditsOf(status: number, error: JsonObject, details: JsonObject | undefined) {
  if (status !== 402) return {};
  return defined({
    creditsRequired: [details?.credits_required, error.creditsRequired].find(isNumber),
    creditsBalance: [details?.credits_balance, error.creditsBalance].find(isNumber),
  });
}

/** `requested: 3840x2160, maximum: 1920x1080`: the names of the fields are not documented, so all are shown. */
function showDetails(details: JsonObject): string {
  const flat = Object.entries(details).flatMap(([name, value]): [string, unknown][] =>
    isJsonObject(value) ? Object.entries(value).map(([inner, item]) => [`${name}.${inner}`, item]) : [[name, value]],
  );
  return flat
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .slice(0, DETAIL_COUNT_MAX)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ');
}

function isErrorObject(value: unknown): value is JsonObject {
  return isJsonObject(value) && (isText(value.code) || isText(value.message));
}

/** The one that is shown is 1201; gateways put the status there. */
function isProviderCode(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1_000;
}

/** Some providers behind the shared shape give their codes as numbers. */
function codeOf(value: unknown): string | undefined {
  if (typeof value === 'number' && value !== 0) return String(value);
  return isText(value) ? safeText(value, 100) : undefined;
}

function requestIdOf(holder: JsonObject): string | undefined {
  return isText(holder.request_id) ? safeText(holder.request_id, 200) : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** The JSON value of an answer's body; undefined when it is not UTF-8 or not JSON. */
export function readJsonBody(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

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
