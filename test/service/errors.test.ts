import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ErrorReading } from '../../src/domain/exchange.js';
import { readError } from '../../src/service/errors.js';

function read(status: number, body: unknown): ErrorReading | undefined {
  const bytes = typeof body === 'string' ? Buffer.from(body) : Buffer.from(JSON.stringify(body));
  return readError({ status, contentType: undefined, retryAfter: undefined, body: bytes });
}

describe('documented shapes (service document 1, Errors)', () => {
  it('an error object: authentication, rate limits, engine', () => {
    expect(read(401, { error: { code: 'key_expired', message: 'Key expired', request_id: 'req-1' } })).toEqual({
      form: 'error',
      code: 'key_expired',
      message: 'Key expired',
      requestId: 'req-1',
    });
  });

  it('a plain detail string', () => {
    expect(read(400, { detail: 'width and height go together' })).toEqual({
      form: 'detail',
      code: undefined,
      message: 'width and height go together',
      requestId: undefined,
    });
  });

  it('403: detail as an object, with model and entrypoint in the message', () => {
    const detail = { code: 'model_not_available', message: 'No access', model: 'm-1', entrypoint: 'svc' };
    expect(read(403, { detail })).toEqual({
      form: 'detail_object',
      code: 'model_not_available',
      message: 'No access (model: m-1, entrypoint: svc)',
      requestId: undefined,
      model: 'm-1',
    });
  });

  it('402 with details', () => {
    const error = {
      code: 'insufficient_credits',
      message: 'Not enough credits',
      request_id: 'req-2',
      details: { credits_required: 1.25, credits_balance: 0.5 },
      creditsRequired: 9,
      creditsBalance: 9,
    };
    expect(read(402, { error })).toEqual({
      form: 'error',
      code: 'insufficient_credits',
      message: 'Not enough credits',
      requestId: 'req-2',
      creditsRequired: 1.25,
      creditsBalance: 0.5,
    });
  });

  it('402 with the deprecated mirrors alone, and with neither', () => {
    const error = { code: 'insufficient_credits', message: 'Not enough credits', request_id: 'req-2' };
    const mirrored = read(402, { error: { ...error, creditsRequired: 2, creditsBalance: 0 } });
    expect(mirrored).toMatchObject({ creditsRequired: 2, creditsBalance: 0 });
    const plain = read(402, { error: { ...error, details: { credits_required: '2' } } });
    expect(plain).toEqual({
      form: 'error',
      code: 'insufficient_credits',
      message: 'Not enough credits',
      requestId: 'req-2',
    });
  });

  it.each([
    [{ requested: '3840x2160', maximum: '1920x1080' }, 'requested: 3840x2160, maximum: 1920x1080'],
    [{ requested: { width: 3840 }, max: { width: 1920 } }, 'requested.width: 3840, max.width: 1920'],
  ])('422: requested value and maximum are in the message, whatever their names: %j', (details, shown) => {
    const message = `Too large (${shown})`;
    expect(read(422, { error: { code: 'request_too_large', message: 'Too large', details } })).toMatchObject({
      message,
    });
    expect(read(422, { error: { code: 'request_too_large', message: 'Too large' }, details })).toMatchObject({
      message,
    });
  });

  it('5xx with and without an error object beside the detail', () => {
    expect(read(504, { detail: 'late', error: { code: 'engine_timeout' } })).toMatchObject({
      code: 'engine_timeout',
      message: 'late',
    });
    expect(read(500, { detail: 'oops' })).toMatchObject({ code: undefined, message: 'oops' });
    expect(read(503, { detail: 'why', error: { code: 'x', message: 'what' } })).toMatchObject({
      form: 'detail',
      message: 'what; why',
    });
  });

  it('a gateway’s own JSON is read for its words, and is of no documented form', () => {
    const gateway = { error: { code: 504, message: 'upstream request timeout' } };
    expect(read(504, gateway)).toMatchObject({ form: 'foreign', message: 'upstream request timeout' });
    expect(read(504, { ...gateway, detail: 'late' })).toMatchObject({ form: 'detail' });
  });

  it('problem details (RFC 9457) are a gateway’s: their detail proves no refund', () => {
    const late = { title: 'Gateway Timeout', status: 504, detail: 'upstream request timeout' };
    expect(read(504, late)).toMatchObject({ form: 'foreign', message: 'upstream request timeout' });
    expect(read(502, { type: 'about:blank', detail: 'reset' })).toMatchObject({ form: 'foreign' });
    expect(read(400, { type: 'bad_size', detail: 'no' })).toMatchObject({ form: 'detail' });
    const answer = { status: 504, retryAfter: undefined, body: Buffer.from('{"status":504,"detail":"late"}') };
    expect(readError({ ...answer, contentType: 'application/problem+json; charset=utf-8' })).toMatchObject({
      form: 'foreign',
    });
    expect(readError({ ...answer, contentType: 'application/json' })).toMatchObject({ form: 'detail' });
  });

  it('the shared route: code, message, request_id (service document 2, Errors)', () => {
    expect(read(400, { code: 'InvalidParameter', message: 'bad size', request_id: 'req-3' })).toEqual({
      form: 'coded',
      code: 'InvalidParameter',
      message: 'bad size',
      requestId: 'req-3',
    });
    expect(read(400, { code: 1201, message: 'data: prefix' })).toMatchObject({
      form: 'numbered',
      code: '1201',
      message: 'data: prefix',
    });
    for (const code of [400, 504, 999, 1201.5])
      expect(read(400, { code, message: 'x' })).toMatchObject({ form: 'foreign' });
  });

  it('avatar submit: error.code with a doc_url', () => {
    const error = { code: 'invalid_parameter', message: 'cannot download', doc_url: 'https://docs.example' };
    const message = 'cannot download (see https://docs.example)';
    expect(read(400, { error })).toMatchObject({ code: 'invalid_parameter', message });
  });
});

describe('what is none of them is not the service’s word (T10)', () => {
  it.each([
    '',
    '<html><h1>400 Bad Request</h1></html>',
    '"detail"',
    '[]',
    'null',
    '{}',
    '{"error":"Bad gateway"}',
    '{"error":{}}',
    '{"error":{"code":"","message":" "}}',
    '{"detail":[{"msg":"field required"}]}',
    '{"detail":{"model":"m"}}',
    '{"code":"x"}',
    '{"message":"x"}',
    '{"code":0,"message":"SUCCEED"}',
    '{"detail":"cut',
  ])('%s', (body) => {
    expect(read(400, body)).toBeUndefined();
  });
});

describe('messages are fit for records and terminals', () => {
  it('are cut, without control characters, without keys', () => {
    const message = `\u001b[31mkey 'sk-svc-abc.DEF_1' is\r\n\u202e\u061cbad ${'x'.repeat(900)}`;
    const reading = read(401, { error: { code: 'invalid_api_key', message, request_id: 'sk-svc-abc' } });
    expect(reading?.message.startsWith("[31mkey '[redacted]' is bad xxx")).toBe(true);
    expect(reading?.message).toHaveLength(500);
    expect(reading?.requestId).toBe('[redacted]');
  });

  it('never throws, and never gives more than 500 characters, whatever the body', () => {
    const shape = fc.dictionary(
      fc.constantFrom('error', 'detail', 'details', 'code', 'message', 'request_id'),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(fc.oneof(shape, fc.record({ error: shape }), fc.record({ detail: shape })), (body) => {
        const reading = read(422, body);
        expect(reading?.message.length ?? 0).toBeLessThanOrEqual(500);
      }),
      { numRuns: 1_000 },
    );
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void readBytes(bytes)));
  });
});

function readBytes(body: Uint8Array): ErrorReading | undefined {
  return readError({ status: 500, contentType: undefined, retryAfter: undefined, body });
}
