/** Answers that a fault makes up: plain errors, any status and body, a gateway's own words, a handle inside an error. */
import { STATUS_CODES } from 'node:http';
import type { JsonObject } from '../model/errors.js';
import type { WireAnswer } from '../model/world.js';
import type { FaultActions } from './fault-actions.js';

const TIMED_OUT = 'upstream request timeout';

/** The gateway's answer; it never has the documented form of the service. */
export function gatewayAnswer({ status, body }: FaultActions['gateway']): WireAnswer {
  const title = `${status} ${STATUS_CODES[status] ?? 'Error'}`;
  switch (body) {
    case 'error-code':
      return json(status, { error: { code: status, message: TIMED_OUT } });
    case 'code-message':
      return json(status, { code: status, message: TIMED_OUT });
    case 'error-message':
      return json(status, { error: { message: 'no healthy upstream' } });
    case 'html':
      return text(
        status,
        'text/html',
        `<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`,
      );
    case 'text':
      return text(status, 'text/plain', TIMED_OUT);
    case 'empty':
      return { status, headers: {}, body: Buffer.alloc(0) };
    default:
      return body satisfies never;
  }
}

/** The answer that was made, under the status of an error: "if the submit returned a handle, poll it" (document 2). */
export function errorWithHandle(status: number, made: WireAnswer | undefined): WireAnswer {
  if (made?.headers['content-type'] !== 'application/json') return plain(status, STATUS_CODES[status] ?? 'Error');
  const fields = JSON.parse(made.body.toString('utf8')) as JsonObject;
  // The handle stands first, so it keeps its place in the bytes.
  return { ...made, ...json(status, { ...fields, detail: STATUS_CODES[status] ?? 'Error' }) };
}

function json(status: number, value: unknown): WireAnswer {
  return text(status, 'application/json', JSON.stringify(value));
}

function text(status: number, contentType: string, body: string): WireAnswer {
  return { status, headers: { 'content-type': contentType }, body: Buffer.from(body) };
}

/** The answer of an `answer` action; `made` is the real one where the request was carried out. */
export function chosenAnswer(action: FaultActions['answer'], made: WireAnswer | undefined): WireAnswer {
  const answer: WireAnswer =
    action.body === undefined ? withoutBody(action.status, made) : fromBody(action.status, action.body);
  if (action.contentType !== undefined) answer.headers['content-type'] = action.contentType;
  Object.assign(answer.headers, action.headers);
  return answer;
}

/** The real body under another 2xx status, else the documented form of an error. */
function withoutBody(status: number, made: WireAnswer | undefined): WireAnswer {
  if (made !== undefined && status < 300) return { ...made, status, headers: { ...made.headers } };
  return plain(status, STATUS_CODES[status] ?? 'Error');
}

function fromBody(status: number, body: unknown): WireAnswer {
  const isText = typeof body === 'string';
  return {
    status,
    headers: { 'content-type': isText ? 'text/html; charset=utf-8' : 'application/json' },
    body: Buffer.from(isText ? body : JSON.stringify(body)),
  };
}

/** The documented form of a server error. */
export function plain(status: number, detail: string): WireAnswer {
  return fromBody(status, { detail });
}
