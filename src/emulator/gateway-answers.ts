/** What stands between client and service may answer in its place: a gateway's own bodies, a handle in an error, a cache. */
import { STATUS_CODES } from 'node:http';
import type { JsonObject } from './errors.js';
import type { FaultActions } from './fault-actions.js';
import type { WireAnswer } from './wire.js';

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
export function errorWithHandle(status: number, made: WireAnswer): WireAnswer {
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
