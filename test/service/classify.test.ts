import { describe, expect, it } from 'vitest';
import type { ErrorForm, ErrorReading, Exchange, SubmitReading } from '../../src/domain/exchange.js';
import { classifySubmit, type SubmitEvidence } from '../../src/service/classify.js';

function answered(status: number): Exchange {
  return {
    outcome: 'answered',
    answer: { status, contentType: 'application/json', retryAfter: undefined, body: new Uint8Array() },
    tookMs: 5,
  };
}

const errorForms: ReadonlySet<ErrorForm> = new Set(['detail', 'error', 'detail_object']);

function error(code?: string, form: ErrorForm = 'detail'): ErrorReading {
  return { form, code, message: 'as the service said', requestId: undefined };
}

function read(status: number, change: Partial<SubmitEvidence> = {}) {
  return classifySubmit({ flow: 'async', errorForms, exchange: answered(status), ...change });
}

const lost = (change: object = {}): Exchange => ({
  outcome: 'lost',
  phase: 'headers',
  code: 'ECONNRESET',
  message: 'reset',
  tookMs: 5,
  ...change,
});

describe('classification of one submit', () => {
  it('T1: what is proved not to be sent is refused and tried again', () => {
    const exchange: Exchange = {
      outcome: 'not_sent',
      phase: 'connect',
      code: 'ECONNREFUSED',
      message: 'refused',
      tookMs: 1,
    };
    for (const flow of ['sync', 'async'] as const) {
      expect(classifySubmit({ flow, errorForms, exchange })).toMatchObject({
        state: 'refused',
        rule: 'T1',
        next: 'retry_backoff',
      });
    }
  });

  it.each(['BAD_BODY', 'BAD_PATH'])('T1: what can never be sent (%s) fails its row, and is no network away', (code) => {
    const exchange: Exchange = { outcome: 'not_sent', phase: 'request', code, message: 'not whole', tookMs: 0 };
    expect(classifySubmit({ flow: 'async', errorForms, exchange })).toMatchObject({ rule: 'T1', next: 'fail_row' });
  });

  it.each([400, 404, 405, 413, 415, 422])('T3: %i with the documented body fails the row', (status) => {
    expect(read(status, { error: error() })).toMatchObject({ state: 'refused', rule: 'T3', next: 'fail_row', status });
  });

  it('T3: 401 and 402 pause the account, 403 model_not_available closes the model', () => {
    expect(read(401, { error: error('invalid_api_key') })).toMatchObject({ next: 'pause_key' });
    expect(read(402, { error: error('insufficient_credits') })).toMatchObject({ next: 'pause_credits' });
    expect(read(403, { error: error('model_not_available') })).toMatchObject({ next: 'fail_model' });
    expect(read(403, { error: error('other') })).toMatchObject({ next: 'fail_row' });
  });

  it('T4: the two documented 429 are told apart from any other, which a gateway sent', () => {
    expect(read(429, { error: error('rpm_limit_exceeded') })).toMatchObject({ rule: 'T4', next: 'wait_turn' });
    expect(read(429, { error: error('concurrent_limit_exceeded') })).toMatchObject({ next: 'wait_slot' });
    expect(read(429)).toMatchObject({ state: 'refused', rule: 'T4', next: 'wait_gateway', status: 429 });
    expect(read(429, { error: error('slow', 'foreign') })).toMatchObject({ state: 'refused', next: 'wait_gateway' });
  });

  it('T5 and T6: the two 503 that a vendor explains (F11, F12)', () => {
    const coded = { error: error('vendor_unreachable'), vendorRefusal: 'unreachable' } as const;
    expect(read(503, coded)).toMatchObject({ rule: 'T5', next: 'wait_provider' });
    expect(read(503, { error: error(), vendorRefusal: 'disabled' })).toMatchObject({ rule: 'T6', next: 'fail_route' });
    // A number as its code is no documented form: a gateway's word, behind which the call may go on.
    const foreign = { ...error('503'), form: 'foreign' } as const;
    expect(read(503, { error: foreign, vendorRefusal: 'disabled' })).toMatchObject({ state: 'unknown' });
  });

  it('T7: a 200 that carries a refusal of the provider', () => {
    const reading: SubmitReading = { reading: 'refused', code: '1201', message: 'data prefix' };
    expect(read(200, { reading })).toMatchObject({ state: 'refused', rule: 'T7', next: 'fail_row', code: '1201' });
  });

  it('T8: a handle is a created job; 201 and 202 warn once (F15)', () => {
    const reading: SubmitReading = { reading: 'created', handle: 'h' };
    expect(read(200, { reading })).toEqual({ state: 'created', handle: 'h' });
    expect(read(202, { reading })).toMatchObject({
      state: 'created',
      handle: 'h',
      warning: expect.stringContaining('202'),
    });
  });

  it('T9: any other 2xx is a case; a salvaged handle is kept apart until a poll confirms it (F13, F14)', () => {
    const reading: SubmitReading = { reading: 'unreadable', why: 'no handle' };
    expect(read(200, { reading, salvagedHandle: 'h' })).toMatchObject({
      state: 'created_lost',
      salvagedHandle: 'h',
      evidence: { rule: 'TH' },
    });
    const cut = lost({ phase: 'body', status: 200 });
    expect(classifySubmit({ flow: 'async', errorForms, exchange: cut })).toMatchObject({
      state: 'created_lost',
      evidence: { rule: 'T9' },
    });
  });

  it.each([500, 502, 503, 504, 408, 409, 425])(
    'T10: %i on an async submit is unknown, documented body or not (F9, F10, F18)',
    (status) => {
      expect(read(status, { error: error() })).toMatchObject({ state: 'unknown', evidence: { rule: 'T10', status } });
      expect(read(status)).toMatchObject({ state: 'unknown', evidence: { rule: 'T10', status } });
    },
  );

  it.each([301, 302, 303, 307, 308, 400, 403, 421])(
    'T10: %i without the documented body is unknown (F16, F17)',
    (status) => {
      expect(read(status)).toMatchObject({ state: 'unknown' });
    },
  );

  it('T11: whatever fails after bytes may have left is unknown', () => {
    expect(classifySubmit({ flow: 'async', errorForms, exchange: lost() })).toMatchObject({
      state: 'unknown',
      evidence: { rule: 'T11' },
    });
  });

  it('S0: the outputs of a synchronous answer are the result', () => {
    const reading: SubmitReading = { reading: 'done', outputs: [{ url: 'https://x/y' }], facts: {} };
    expect(read(200, { flow: 'sync', reading })).toEqual({
      state: 'done',
      outputs: [{ url: 'https://x/y' }],
      facts: {},
    });
  });

  it.each([500, 502, 503, 504])('S1: %i with the documented body is refunded and tried again', (status) => {
    expect(read(status, { flow: 'sync', error: error() })).toMatchObject({ rule: 'S1', next: 'retry_sync' });
    expect(read(status, { flow: 'sync' })).toMatchObject({ state: 'unknown', evidence: { rule: 'S2' } });
  });

  it.each(['error', 'coded', 'foreign', 'detail_object'] as const)(
    'S2: a 5xx with %s alone proves no refund',
    (form) => {
      const seen = read(504, { flow: 'sync', error: error('engine_timeout', form) });
      expect(seen).toMatchObject({ state: 'unknown', evidence: { rule: 'S2', code: 'engine_timeout' } });
    },
  );

  it('S1, 1-D8: an output that is too large is asked for once more by URL, unless a URL was asked for', () => {
    const tooLarge = { flow: 'sync', error: error('output_too_large') } as const;
    expect(read(502, { ...tooLarge, askedForBytes: true })).toMatchObject({ rule: 'S1', next: 'retry_as_url' });
    expect(read(502, tooLarge)).toMatchObject({ rule: 'S1', next: 'fail_size' });
  });

  it.each([200, 400, 429, 500, 503, 504, 307])('TH: a handle in an answer with %i is in the evidence', (status) => {
    const seen = read(status, { error: error('vendor-f_unreachable'), salvagedHandle: 'h' });
    expect(seen).toMatchObject({ state: 'created_lost', evidence: { rule: 'TH', status }, salvagedHandle: 'h' });
  });

  it.each([200, 400, 500, 504])('TS: an output in an answer with %i is the result once it is whole', (status) => {
    const base = { flow: 'sync', error: error() } as const;
    expect(read(status, { ...base, salvagedOutput: { url: 'https://x/y' } })).toMatchObject({
      state: 'unknown',
      evidence: { rule: 'TS', outputUrl: 'https://x/y' },
    });
    expect(read(status, { ...base, salvagedOutput: { base64: 'aaaa' } })).toMatchObject({
      state: 'done',
      outputs: [{ base64: 'aaaa' }],
    });
  });

  it('S2: a synchronous answer that is lost or unreadable is unknown, never created_lost', () => {
    expect(classifySubmit({ flow: 'sync', errorForms, exchange: lost({ phase: 'body', status: 200 }) })).toMatchObject({
      state: 'unknown',
    });
    const reading: SubmitReading = { reading: 'unreadable', why: 'html' };
    expect(read(200, { flow: 'sync', reading })).toMatchObject({ state: 'unknown', evidence: { rule: 'S2' } });
  });
});
