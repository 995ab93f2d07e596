// What every answer to a submit means (docs/guarantees.md, T3 to T10, TH, TS, S1, S2): each status with the documented
// bodies, with what gateways send, and with handles and outputs in it, for every kind.
import { describe, expect, it } from 'vitest';
import type { Dependencies } from '../../activities/dependencies.js';
import { isWholeFile } from '../../activities/files/salvaged-output.js';
import { readExchange } from '../../activities/row/submit-outcome.js';
import { makeMp4 } from '../../emulator/media/media-mp4.js';
import type { Exchange } from '../../src/domain/exchange.js';
import type { Json } from '../../src/domain/json.js';
import type { Kind } from '../../src/domain/kind.js';
import { KINDS } from '../../src/kinds/facts.js';
import { adapterFor } from '../../src/kinds/index.js';
import type { Classified } from '../../src/service/classify.js';
import { silent } from '../support/silent-log.js';
import { smallPng } from '../support/small-png.js';

const deps = { now: () => 0, log: silent } as unknown as Dependencies;

async function classify(kind: Kind, exchange: Exchange, format = 'url'): Promise<Classified> {
  const work = { adapter: adapterFor(kind), row: { kind } } as Parameters<typeof readExchange>[1];
  const request = { method: 'POST', path: '/v1/x', body: { response_format: format } } as const;
  return (await readExchange(deps, work, exchange, request)).classified;
}

const bytesOf = (body: Json | string): Uint8Array =>
  Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));

function answered(status: number, body: Json | string, retryAfter?: string): Exchange {
  return {
    outcome: 'answered',
    tookMs: 1,
    answer: { status, contentType: undefined, retryAfter, body: bytesOf(body) },
  };
}

function cut(status: number, text: string): Exchange {
  const partialBody = Buffer.from(text);
  return { outcome: 'lost', phase: 'body', code: 'ECONNRESET', message: 'cut', tookMs: 1, status, partialBody };
}

/** `refused T3`, `unknown S2`, … */
function shown(classified: Classified): string {
  if (classified.state === 'refused') return `refused ${classified.rule}`;
  return 'evidence' in classified ? `${classified.state} ${classified.evidence.rule}` : classified.state;
}

/** The boxes at the top of an MP4, by their words. */
function boxesOf(file: Buffer): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  for (let at = 0; at < file.length; at += file.readUInt32BE(at)) {
    found.set(file.toString('latin1', at + 4, at + 8), file.subarray(at, at + file.readUInt32BE(at)));
  }
  return found;
}

function box(word: string): Buffer {
  const empty = Buffer.alloc(8);
  empty.writeUInt32BE(8, 0);
  empty.write(word, 4, 'latin1');
  return empty;
}

const SYNC = KINDS.filter((kind) => adapterFor(kind).flow === 'sync');
const ASYNC = KINDS.filter((kind) => adapterFor(kind).flow === 'async');
const isShared = (kind: Kind) => kind === 'vendor-c/video' || kind === 'vendor-g/video';

/** Document 1's own bodies. */
const GENERAL: [string, Json][] = [
  ['detail', { detail: 'as the document says' }],
  ['error', { error: { code: 'some_code', message: 'as the document says', request_id: 'r' } }],
  ['detail object', { detail: { code: 'some_code', message: 'no', model: 'm', entrypoint: 'svc' } }],
];
/** Document 2's body of the shared route. */
const SHARED: Json = { code: 'InvalidParameter', message: 'bad size', request_id: 'r' };
/** What stands between us and the service sends. */
const FOREIGN: [string, Json | string][] = [
  ['a numeric code', { error: { code: 504, message: 'upstream request timeout' } }],
  ['code and message', { code: 504, message: 'upstream request timeout' }],
  ['a message', { message: 'no healthy upstream' }],
  ['an error text', { error: 'Bad gateway' }],
  ['HTML', '<html><body>502 Bad Gateway</body></html>'],
  ['text', 'upstream connect error'],
  ['nothing', ''],
];
const ALONE: Json = { error: { message: 'no healthy upstream' } };

const REFUSED = [400, 401, 402, 403, 404, 405, 413, 415, 422];
const FAILED = [500, 502, 503, 504];
const NEVER = [301, 302, 303, 307, 308, 408, 409, 421, 425, 451, 499, 501, 520];

describe.each(KINDS)('%s', (kind) => {
  const isSync = SYNC.includes(kind);
  const unknown = isSync ? 'unknown S2' : 'unknown T10';
  const see = async (status: number, body: Json | string) => shown(await classify(kind, answered(status, body)));

  it('T3: a 4xx of the list is a refusal in the documented JSON of its route alone', async () => {
    for (const status of REFUSED) {
      for (const [, body] of GENERAL) expect(await see(status, body)).toBe('refused T3');
      for (const [name, body] of FOREIGN) expect([name, await see(status, body)]).toEqual([name, unknown]);
      expect(await see(status, SHARED)).toBe(isShared(kind) ? 'refused T3' : unknown);
      // Its own envelope, in which a number that is no status is the provider's.
      const isNumbered = kind.startsWith('vendor-a/') && (status === 400 || status === 422);
      expect(await see(status, { code: 1201, message: 'prefix' })).toBe(isNumbered ? 'refused T3' : unknown);
    }
  });

  it('T4: a 429 is a refusal whatever its body; Retry-After is kept', async () => {
    for (const [, body] of [...GENERAL, ...FOREIGN]) {
      expect(await classify(kind, answered(429, body, '7'))).toMatchObject({
        rule: 'T4',
        next: 'wait_gateway',
        retryAfterMs: 7_000,
      });
    }
  });

  it.each(FAILED)('S1: %i is refunded with a synchronous call and a detail string alone (1-D1)', async (status) => {
    expect(await see(status, { detail: 'late' })).toBe(isSync ? 'refused S1' : unknown);
    expect(await see(status, { detail: 'late', error: { code: 'engine_timeout' } })).toBe(
      isSync ? 'refused S1' : unknown,
    );
    for (const body of [ALONE, SHARED, GENERAL[1]?.[1] ?? null, ...FOREIGN.map(([, foreign]) => foreign)]) {
      expect([body, await see(status, body)]).toEqual([body, unknown]);
    }
  });

  it.each(NEVER)('T10: %i proves nothing, documented body or not', async (status) => {
    for (const [, body] of [...GENERAL, ...FOREIGN]) expect(await see(status, body)).toBe(unknown);
  });
});

describe('TH: a handle in any answer is in the evidence', () => {
  const HANDLES: Partial<Record<Kind, (handle: string) => Json>> = {
    'vendor-a/text2video': (task_id) => ({ code: 1, message: 'late', data: { task_id } }),
    'vendor-b/avatar': (video_id) => ({ data: { video_id } }),
    'vendor-c/video': (task_id) => ({ output: { task_id }, code: 'Timeout', message: 'late', request_id: 'r' }),
    'vendor-d/video': (id) => ({ id, error: { code: 'x', message: 'late' } }),
    'vendor-e/video': (task_id) => ({ task_id, detail: 'late' }),
    'vendor-f/video': (name) => ({ name, error: { code: 'vendor-f_unreachable', message: 'late' } }),
  };
  const families = Object.entries(HANDLES) as [Kind, (handle: string) => Json][];
  const HANDLE = 'cgt-a-handle';

  it.each(families)('2-D2: %s', async (kind, bodyOf) => {
    for (const status of [...REFUSED, 429, ...FAILED, ...NEVER]) {
      expect(await classify(kind, answered(status, bodyOf(HANDLE)))).toMatchObject({
        state: 'created_lost',
        salvagedHandle: HANDLE,
        evidence: { rule: 'TH', status },
      });
    }
    const text = JSON.stringify(bodyOf(HANDLE));
    const end = text.indexOf(HANDLE) + HANDLE.length + 1;
    for (const status of [200, 504]) {
      expect(await classify(kind, cut(status, text.slice(0, end)))).toMatchObject({ salvagedHandle: HANDLE });
      expect(await classify(kind, cut(status, text.slice(0, end - 1)))).not.toHaveProperty('salvagedHandle');
    }
  });

  it('vendor-d: outside 2xx an id without its prefix is a gateway’s own', async () => {
    expect(shown(await classify('vendor-d/video', answered(502, { id: 'req-1' })))).toBe('unknown T10');
    expect(shown(await classify('vendor-d/video', answered(200, { id: 'odd' })))).toBe('created');
  });

  it('vendor-f: outside 2xx a name of words is that of a gateway’s error', async () => {
    for (const name of ['TooManyRequests', 'RATE_LIMIT_REACHED', 'Not Found']) {
      const body = { name, message: 'slow down' };
      expect(shown(await classify('vendor-f/video', answered(429, body)))).toBe('refused T4');
      expect(shown(await classify('vendor-f/video', answered(503, body)))).toBe('unknown T10');
      expect(shown(await classify('vendor-f/video', answered(200, body)))).toBe('created');
    }
  });

  it('TH: a page that has such JSON in it gives no handle', async () => {
    const page = '<html><script>{"name":"x","task_id":"y","id":"cgt-1"}</script></html>';
    for (const kind of ASYNC) expect(shown(await classify(kind, answered(503, page)))).toBe('unknown T10');
  });
});

describe('TS: an output in any answer to a synchronous call', () => {
  const URL = 'https://out.example/a.png';
  const svc = SYNC.filter((kind) => kind !== 'vendor-f/interaction');

  it.each(svc)('%s: a URL is in the evidence, whatever the status and wherever it was cut', async (kind) => {
    const text = JSON.stringify({ detail: 'late', created: 1, data: [{ url: URL, width: 1 }] });
    const end = text.indexOf(URL) + URL.length + 1;
    for (const exchange of [answered(504, text), answered(429, text), cut(200, text.slice(0, end)), cut(500, text)]) {
      expect(await classify(kind, exchange)).toMatchObject({
        state: 'unknown',
        evidence: { rule: 'TS', outputUrl: URL },
      });
    }
    expect(shown(await classify(kind, cut(200, text.slice(0, end - 1))))).toBe('unknown S2');
  });

  it('TS: bytes count once they are a whole file', async () => {
    const base64 = smallPng().toString('base64');
    const text = JSON.stringify({ data: [{ b64_json: base64 }] });
    const end = text.indexOf(base64) + base64.length;
    for (const exchange of [cut(200, text.slice(0, end)), cut(200, text.slice(0, end + 1)), answered(500, text)]) {
      // A failure is refunded: whether this one was billed only the balance tells.
      const facts = { mayBeUnbilled: true };
      expect(await classify('svc/image', exchange)).toMatchObject({ state: 'done', outputs: [{ base64 }], facts });
    }
    expect(shown(await classify('svc/image', cut(200, text.slice(0, end - 8))))).toBe('unknown S2');
  });

  it('S0, TS: a URL that is the file itself counts as the bytes', async () => {
    const base64 = smallPng().toString('base64');
    const body = { created: 1, model: 'm', data: [{ url: `data:image/png;base64,${base64}` }] };
    for (const exchange of [answered(200, body), answered(500, body), cut(200, JSON.stringify(body).slice(0, -3))]) {
      const seen = await classify('svc/image', exchange);
      expect(seen).toMatchObject({ state: 'done', outputs: [{ base64 }] });
      expect(seen).not.toHaveProperty('outputs.0.url');
    }
  });

  it('TS: a clip that may go on behind its last byte is not whole by its own lengths', async () => {
    const clip = await makeMp4({ width: 480, height: 480, frames: 24, audio: false });
    expect(await isWholeFile(clip)).toBe(true);
    const boxes = boxesOf(clip);
    const data = boxes.get('mdat') ?? expect.fail('no mdat');
    const open = Buffer.from(data);
    open.writeUInt32BE(0, 0);
    const others = [...boxes].filter(([word]) => word !== 'mdat').map(([, box]) => box);
    // Streamed: its last box has no length of its own, and is as good cut anywhere.
    const streamed = Buffer.concat([...others, open]);
    expect(await isWholeFile(streamed)).toBe(false);
    expect(await isWholeFile(streamed.subarray(0, streamed.length - Math.floor(data.length / 2)))).toBe(false);
    // In fragments, without the index that stands behind the last of them.
    expect(await isWholeFile(Buffer.concat([...others, box('moof'), data]))).toBe(false);
    expect(await isWholeFile(Buffer.concat([...others, box('moof'), data, box('mfra')]))).toBe(true);
  });

  it('S0: base64 counts in lines and in the alphabet for URLs too: the output exists in that answer alone', async () => {
    const base64 = smallPng().toString('base64');
    for (const b64_json of [base64.replaceAll(/.{76}/g, '$& '), smallPng().toString('base64url')]) {
      const seen = await classify('svc/image', answered(200, { created: 1, data: [{ b64_json }] }));
      expect(seen.state === 'done' && Buffer.from(seen.outputs[0]?.base64 ?? '', 'base64')).toEqual(smallPng());
    }
  });

  it('S0: base64 that decodes to nothing is no result', async () => {
    for (const b64_json of ['', '***', 'a page of text', 'no image for you']) {
      expect(shown(await classify('svc/image', answered(200, { data: [{ b64_json }] })))).toBe('unknown S2');
    }
  });

  it('5-X2g: an interaction’s answer may have a byte-order mark or blanks before its object', async () => {
    const whole = Buffer.from('{"a":1}').toString('base64');
    for (const before of ['\ufeff', ' '.repeat(600), '\r\n\t']) {
      expect(await classify('vendor-f/interaction', answered(200, `${before}{"a":1}`))).toMatchObject({
        state: 'done',
        outputs: [{ base64: whole }],
      });
    }
  });
});

describe('an interaction (S0, S1, TS)', () => {
  it('S1: what is too large fails its row, whatever its own body asked for: the next one would ask the same', async () => {
    const tooLarge = answered(502, { detail: 'too large', error: { code: 'output_too_large', message: 'too large' } });
    expect(await classify('vendor-f/interaction', tooLarge, 'b64_json')).toMatchObject({ next: 'fail_size' });
    expect(await classify('svc/image', tooLarge, 'b64_json')).toMatchObject({ next: 'retry_as_url' });
  });

  const see = (exchange: Exchange) => classify('vendor-f/interaction', exchange);
  const base64 = Buffer.from('{"a":1}').toString('base64');

  it('TS: an object that came whole counts, also where the connection ended too early', async () => {
    expect(await see(cut(200, '\ufeff{"a":1}'))).toMatchObject({ state: 'done', outputs: [{ base64 }] });
    expect(shown(await see(cut(200, '{"a":1')))).toBe('unknown S2');
    for (const exchange of [cut(500, '{"a":1}'), answered(500, '{"a":1}')]) {
      expect(shown(await see(exchange))).toBe('unknown S2');
    }
  });

  it.each(GENERAL)('S0: a 200 with the documented error body is no result: %s', async (_name, body) => {
    expect(shown(await see(answered(200, body)))).toBe('unknown S2');
    expect(shown(await see(cut(200, JSON.stringify(body))))).toBe('unknown S2');
  });

  it('S0: an object with more than an error in it is the output', async () => {
    const body = { error: null, detail: 'auto', outputs: [] };
    expect(await see(answered(200, body))).toMatchObject({ state: 'done' });
  });
});

describe('what cannot be read is kept for a person', () => {
  it.each(KINDS.map((kind) => [kind]))('T9, S2, T10, T11: the beginning of the answer: %s', async (kind) => {
    const page = `<html>\u0007job 4711 at sk-svc-other-key ${'x'.repeat(9_000)}`;
    for (const exchange of [answered(200, page), cut(200, page), answered(502, page), cut(502, page)]) {
      const { evidence } = (await classify(kind, exchange)) as { evidence: { answer: string } };
      expect(evidence.answer).toMatch(/^<html> job 4711 at \[redacted\] x+…$/);
      expect(evidence.answer).toHaveLength(1_000);
    }
    expect(await classify(kind, cut(200, ''))).not.toHaveProperty('evidence.answer');
  });
});

describe('vendor-f, 503 (T5, T6)', () => {
  const see = async (body: Json) => shown(await classify('vendor-f/video', answered(503, body)));

  it.each([
    'The pass-through is not enabled.',
    'Pass-through for this provider is not enabled; do not retry in a loop',
    'vendor-f passthrough is disabled for this account',
    'This route is not available on your plan',
    'This route is not available for you',
    'The route is not available.',
    'the route has been switched off',
    "pass through isn't enabled",
    'Provider vendor-f is not currently enabled',
    'Passthrough unavailable for this account',
    'The vendor-f integration has been deactivated',
  ])('2-D12: %s', async (message) => {
    expect(await see({ detail: message })).toBe('refused T6');
    expect(await see({ error: { code: 'unavailable', message }, detail: 'Service Unavailable' })).toBe('refused T6');
  });

  it('T6: a code says it as well', async () => {
    expect(await see({ detail: 'no', error: { code: 'passthrough_disabled', message: 'no' } })).toBe('refused T6');
  });

  it.each([
    'Service temporarily unavailable',
    'route temporarily not available',
    'busy',
    'route handler failed',
    'Upstream endpoint unavailable',
    'Your request could not be completed: upstream endpoint unavailable',
    'The model endpoint is not available right now',
    'Route currently unavailable, retry later',
    'The provider is disabled for maintenance',
  ])('what may pass is a case: %s', async (message) => {
    expect(await see({ detail: message })).toBe('unknown T10');
    expect(await see({ detail: message, error: { code: 'unavailable', message } })).toBe('unknown T10');
  });

  it('unreachable is refused', async () => {
    expect(await see({ detail: 'no', error: { code: 'vendor-f_unreachable', message: 'no' } })).toBe('refused T5');
  });
});

describe('T4, F23: an absurd Retry-After is five minutes, and said', () => {
  it.each(['1e9', '-5', 'Thu, 01 Jan 1960 00:00:00 GMT'])('%s', async (header) => {
    const { message, retryAfterMs } = (await classify('svc/image', answered(429, '', header))) as never as {
      message: string;
      retryAfterMs: number;
    };
    expect(retryAfterMs).toBe(300_000);
    expect(message).toContain(`'${header}' makes no sense: 5 min`);
  });

  it('of a refusal after which nothing waits for it no wait is told', async () => {
    for (const status of [400, 402, 503]) {
      expect(await classify('svc/image', answered(status, { detail: 'no' }, '1e9'))).toMatchObject({ message: 'no' });
    }
  });
});
