import diagnosticsChannel from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import type { TLSSocket } from 'node:tls';
import { inspect } from 'node:util';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import type { Exchange, ServiceRequest } from '../../src/domain/exchange.js';
import type { JsonObject } from '../../src/domain/json.js';
import { createTransport, type Transport, type TransportOptions } from '../../src/service/transport.js';
import { answer, type RawServer, startRawServer } from './raw-server.js';

type Lost = Extract<Exchange, { outcome: 'lost' }>;

const KEY = 'sk-svc-transport-test-key';
const SUBMIT: ServiceRequest = { method: 'POST', path: '/v1/images/generations', body: { prompt: 'a cat é' } };
const POLL: ServiceRequest = { method: 'GET', path: '/v1/credits' };

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

function track<Item extends { close(): Promise<void> }>(item: Item): Item {
  open.push(item);
  return item;
}

async function serve(...parameters: Parameters<typeof startRawServer>): Promise<RawServer> {
  return track(await startRawServer(...parameters));
}

function transportTo(baseUrl: string, options: Partial<TransportOptions> = {}): Transport {
  return track(createTransport({ baseUrl, userAgent: 'callsheet/0.1.0', key: () => KEY, ...options }));
}

function fixture(name: string): string {
  return readFileSync(new URL(`./fixtures/${name}.pem`, import.meta.url), 'utf8');
}

async function writeByteByByte(socket: net.Socket, text: string): Promise<void> {
  for (const character of text) {
    socket.write(character);
    await new Promise(setImmediate);
  }
}

/** No key in anything that an exchange says. */
function said(exchange: Exchange): string {
  return inspect(exchange, { depth: 9 }) + JSON.stringify(exchange);
}

describe('one request', () => {
  it('sends the documented headers, and gives status, headers and body', async () => {
    const server = await serve(({ socket }) =>
      socket.end(answer(429, '{"error":{"code":"rpm_limit_exceeded"}}', { 'Retry-After': '7' })),
    );
    const exchange = await transportTo(server.url).send(SUBMIT);
    expect(exchange).toMatchObject({
      outcome: 'answered',
      answer: { status: 429, contentType: 'application/json', retryAfter: '7' },
    });
    const [head = '', body = ''] = server.wire().split('\r\n\r\n');
    expect(head.split('\r\n')[0]).toBe('POST /v1/images/generations HTTP/1.1');
    expect(head).toContain(`Authorization: Bearer ${KEY}`);
    expect(head).toContain('User-Agent: callsheet/0.1.0');
    expect(head).toContain('Content-Type: application/json');
    expect(head).toContain('Accept: application/json');
    expect(head).toContain('Accept-Encoding: identity');
    expect(Buffer.from(body, 'latin1').toString()).toBe('{"prompt":"a cat é"}');
    expect(said(exchange)).not.toContain(KEY);
  });

  it('reads the key again at each request (service document 1, Authentication: rotation; F21)', async () => {
    const server = await serve(({ socket }) => socket.end(answer(200, '{}')));
    let key = 'sk-svc-old';
    const transport = transportTo(server.url, { key: () => key });
    await transport.send(SUBMIT);
    key = 'sk-svc-new';
    await transport.send(SUBMIT);
    expect(server.connections.map(({ received }) => /Bearer (\S+)/.exec(received)?.[1])).toEqual([
      'sk-svc-old',
      'sk-svc-new',
    ]);
  });

  it('takes the first of a header that came twice', async () => {
    const twice = 'HTTP/1.1 429 X\r\nRetry-After: 5\r\nRetry-After: 9\r\nContent-Length: 2\r\n\r\n{}';
    const server = await serve(({ socket }) => socket.end(twice));
    const exchange = await transportTo(server.url).send(SUBMIT);
    expect(exchange).toMatchObject({ outcome: 'answered', answer: { status: 429, retryAfter: '5' } });
  });

  it('reads an answer behind many headers', async () => {
    const headers = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`X-Policy-${i}`, 'x'.repeat(80)]));
    const server = await serve(({ socket }) => socket.end(answer(200, '{"a":1}', headers)));
    for (const request of [SUBMIT, POLL]) {
      const exchange = await transportTo(server.url).send(request);
      expect(exchange).toMatchObject({ outcome: 'answered', answer: { status: 200 } });
    }
  });

  describe('interim answers are passed over (RFC 9110, 15.2)', () => {
    const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
    const HINTS = 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n';
    const REAL = answer(200, '{"a":1}');

    it.each([
      ['103', HINTS],
      ['100', CONTINUE],
      ['100 of HTTP/1.0 with a header', 'HTTP/1.0 100 Continue\r\nVia: 1.0 proxy\r\n\r\n'],
      ['100, 102, 103 and 100', `${CONTINUE}HTTP/1.1 102 Processing\r\n\r\n${HINTS}${CONTINUE}`],
      ['100 twice', CONTINUE + CONTINUE],
    ])('%s', async (_name, interim) => {
      const server = await serve(({ socket }) => socket.write(interim + REAL));
      const transport = transportTo(server.url);
      const seen = { outcome: 'answered', answer: { status: 200, body: Buffer.from('{"a":1}') } };
      expect(await transport.send(SUBMIT)).toMatchObject(seen);
      // The second on the same connection.
      for (const _poll of [1, 2]) expect(await transport.send(POLL)).toMatchObject(seen);
      expect(server.postCount()).toBe(1);
    });

    it('byte by byte, and over TLS', async () => {
      const tls = { cert: fixture('localhost-certificate'), key: fixture('localhost-key') };
      const server = await serve(({ socket }) => void writeByteByByte(socket, CONTINUE + REAL), { tls });
      const transport = transportTo(server.url, { ca: tls.cert });
      for (const request of [SUBMIT, POLL, POLL]) {
        expect(await transport.send(request)).toMatchObject({ outcome: 'answered', answer: { status: 200 } });
      }
    });

    it('one without the answer is a lost answer, and 101 is none at all', async () => {
      const alone = await serve(({ socket }) => socket.end(CONTINUE));
      expect(await transportTo(alone.url).send(SUBMIT)).toMatchObject({ outcome: 'lost', phase: 'headers' });
      const switched = await serve(({ socket }) => socket.end(`HTTP/1.1 101 Switching Protocols\r\n\r\n${REAL}`));
      expect(await transportTo(switched.url).send(SUBMIT)).toMatchObject({ outcome: 'lost', phase: 'headers' });
    });
  });

  describe('a key in an answer goes nowhere (I15)', () => {
    const cases: [string, string, string][] = [
      ['in a text', `{"message":"key ${KEY} is bad"}`, '{"message":"key [redacted] is bad"}'],
      ['between escaped quotes', `{"m":"the \\"${KEY}\\" of é"}`, '{"m":"the \\"[redacted]\\" of é"}'],
      ['written by numbers', `{"m":"${KEY.replace('-s', '\\u002D\\u0073')}"}`, '{"m":"[redacted]"}'],
      ['of a rotated key', '{"name":"sk-svc-other-key","done":true}', '{"name":"[redacted]","done":true}'],
      ['not at all', '{"m":"a\\u002db \\\\u002d sk-svc"}', '{"m":"a\\u002db \\\\u002d sk-svc"}'],
    ];

    it.each(cases)('%s', async (_name, sent, kept) => {
      for (const length of [Buffer.byteLength(sent), Buffer.byteLength(sent) + 9]) {
        const text = answer(200, sent, { 'Content-Length': String(length), 'Retry-After': KEY });
        const server = await serve(({ socket }) => socket.end(text));
        const exchange = await transportTo(server.url).send(SUBMIT);
        const body = exchange.outcome === 'answered' ? exchange.answer.body : (exchange as Lost).partialBody;
        expect(Buffer.from(body ?? '').toString()).toBe(kept);
        expect(said(exchange)).not.toContain(KEY);
      }
    });

    it('with characters that JSON escapes', async () => {
      const key = 'sk-svc-a\\b/c+d';
      const server = await serve(({ socket }) => socket.end(answer(401, JSON.stringify({ detail: `${key}!` }))));
      const exchange = await transportTo(server.url, { key: () => key }).send(POLL);
      expect(exchange).toMatchObject({ answer: { body: Buffer.from('{"detail":"[redacted]!"}') } });
    });
  });

  it('gives each submit a connection of its own, and lets reads share one', async () => {
    const server = await serve(({ socket }) => socket.write(answer(200, '{}')));
    const transport = transportTo(server.url);
    for (const request of [SUBMIT, SUBMIT, POLL, POLL, POLL]) {
      await transport.send(request);
      await pause(20);
    }
    expect(server.connections).toHaveLength(3);
  });

  it('goes only to the paths of the service', async () => {
    const server = await serve(({ socket }) => socket.end(answer(200, '{}')));
    const exchange = await transportTo(server.url).send({ method: 'POST', path: 'http://evil.test/v1/', body: {} });
    expect(exchange).toMatchObject({ outcome: 'not_sent', code: 'BAD_PATH' });
    expect(server.connections).toHaveLength(0);
  });

  it('sends nothing after close, and close waits for what is under way', async () => {
    const server = await serve(({ socket }) => setTimeout(() => socket.end(answer(200, '{}')), 200));
    const transport = createTransport({ baseUrl: server.url, userAgent: 'u', key: () => KEY });
    const [exchange] = await Promise.all([transport.send(SUBMIT), transport.close()]);
    expect(exchange.outcome).toBe('answered');
    expect(await transport.send(SUBMIT)).toMatchObject({ outcome: 'not_sent', code: 'CLOSED' });
    expect(server.postCount()).toBe(1);
  });
});

describe('not sent: proved by the request-start hook that never fired (T1)', () => {
  it('connection refused (F1)', async () => {
    const closed = await startRawServer(() => undefined);
    await closed.close();
    for (const request of [SUBMIT, POLL]) {
      const exchange = await transportTo(closed.url).send(request);
      expect(exchange).toMatchObject({ outcome: 'not_sent', phase: 'connect', code: 'ECONNREFUSED' });
    }
  });

  it('a name that does not resolve (F1)', async () => {
    const exchange = await transportTo('http://callsheet-test.invalid').send(SUBMIT);
    expect(exchange).toMatchObject({ outcome: 'not_sent', phase: 'dns' });
  });

  it('connect timeout (F2)', async () => {
    const { url, close } = await fullBacklog();
    track({ close });
    const exchange = await transportTo(url, { timeouts: { connectMs: 300 } }).send(SUBMIT);
    expect(exchange).toMatchObject({ outcome: 'not_sent', phase: 'connect', code: 'TIMEOUT' });
  });

  it('TLS handshake that stalls (F2)', async () => {
    const server = await serve(() => undefined);
    const url = server.url.replace('http:', 'https:');
    const exchange = await transportTo(url, { timeouts: { connectMs: 300 } }).send(SUBMIT);
    expect(exchange).toMatchObject({ outcome: 'not_sent', phase: 'tls', code: 'TIMEOUT' });
    expect(server.wire()).not.toContain('POST');
  });

  it('TLS handshake that is reset (F2)', async () => {
    const server = await serve(() => undefined, {
      onConnection: (socket) => socket.on('data', () => socket.resetAndDestroy()),
    });
    const exchange = await transportTo(server.url.replace('http:', 'https:')).send(SUBMIT);
    expect(exchange).toMatchObject({ outcome: 'not_sent', phase: 'tls', code: 'ECONNRESET' });
  });

  it('a body that cannot be written as JSON', async () => {
    const server = await serve(({ socket }) => socket.end(answer(200, '{}')));
    const deep: JsonObject = {};
    for (let level = 0, inner = deep; level < 100_000; level += 1) {
      const next: JsonObject = {};
      inner.a = next;
      inner = next;
    }
    const exchange = await transportTo(server.url).send({ ...SUBMIT, body: deep });
    expect(exchange).toMatchObject({ outcome: 'not_sent', phase: 'request', code: 'BAD_BODY' });
    expect(server.connections).toHaveLength(0);
  });

  it('a key that no header can carry, and a key that cannot be read', async () => {
    const server = await serve(({ socket }) => socket.end(answer(200, '{}')));
    const exchange = await transportTo(server.url, { key: () => `${KEY}\nX: y` }).send(SUBMIT);
    expect(exchange).toMatchObject({ outcome: 'not_sent', phase: 'request', code: 'UND_ERR_INVALID_ARG' });
    expect(said(exchange)).not.toContain(KEY);
    const unread = transportTo(server.url, {
      key: () => {
        throw new Error(`no ${KEY}`);
      },
    });
    const second = await unread.send(SUBMIT);
    expect(second).toMatchObject({ outcome: 'not_sent', code: 'KEY_UNAVAILABLE' });
    expect(said(second)).not.toContain(KEY);
    expect(server.connections).toHaveLength(0);
  });
});

describe('the freshness guard runs inside the hook, before a byte is written', () => {
  it('undici calls the hook after the connection stands, before its sendHeaders channel, with nothing written', async () => {
    const server = await serve(({ socket }) => socket.end(answer(200, '{}')));
    const order: [string, number | undefined][] = [];
    let socket: net.Socket | undefined;
    const connected = (message: unknown) => {
      socket = (message as { socket: net.Socket }).socket;
      order.push(['connected', socket.bytesWritten]);
    };
    const sendHeaders = () => order.push(['sendHeaders', socket?.bytesWritten]);
    diagnosticsChannel.subscribe('undici:client:connected', connected);
    diagnosticsChannel.subscribe('undici:client:sendHeaders', sendHeaders);
    await transportTo(server.url).send(SUBMIT, { beforeSend: () => order.push(['hook', socket?.bytesWritten]) });
    diagnosticsChannel.unsubscribe('undici:client:connected', connected);
    diagnosticsChannel.unsubscribe('undici:client:sendHeaders', sendHeaders);
    expect(order).toEqual([
      ['connected', 0],
      ['hook', 0],
      ['sendHeaders', 0],
    ]);
    expect(socket?.bytesWritten).toBeGreaterThan(0);
  });

  it('a guard that throws leaves an empty wire', async () => {
    const server = await serve(({ socket }) => socket.end(answer(200, '{}')));
    for (const request of [SUBMIT, POLL]) {
      const exchange = await transportTo(server.url).send(request, {
        beforeSend: () => {
          throw new Error(`stale ${KEY}`);
        },
      });
      expect(exchange).toMatchObject({ outcome: 'not_sent', phase: 'guard', code: 'GUARD' });
      expect(said(exchange)).not.toContain(KEY);
    }
    await pause(100);
    expect(server.connections).toHaveLength(2);
    expect(server.wire()).toBe('');
  });

  it('runs after the connection stands, not when the request is asked for', async () => {
    const server = await serve(({ socket }) => socket.end(answer(200, '{}')));
    let guarded = false;
    const sending = transportTo(server.url).send(SUBMIT, {
      beforeSend: () => {
        guarded = true;
      },
    });
    await Promise.resolve();
    expect(guarded).toBe(false);
    await sending;
    expect(guarded).toBe(true);
  });
});

describe('lost: bytes may have left, exactly one POST on the wire (T10, T11)', () => {
  const cases: [string, Parameters<typeof startRawServer>, object, string?][] = [
    [
      'accept, then FIN with the request unread (F3)',
      [() => undefined, { onConnection: (s) => s.end() }],
      { phase: 'headers' },
    ],
    [
      'accept, then RST with the request unread',
      [() => undefined, { onConnection: (s) => s.pause() && setTimeout(() => s.resetAndDestroy(), 100) }],
      { phase: 'headers' },
    ],
    ['RST before headers (F4)', [({ socket }) => socket.resetAndDestroy()], { phase: 'headers', code: 'ECONNRESET' }],
    ['FIN before headers', [({ socket }) => socket.end()], { phase: 'headers', code: 'UND_ERR_SOCKET' }],
    ['no headers (F5)', [() => undefined], { phase: 'headers', code: 'HEADERS_TIMEOUT' }],
    [
      'half a head, then silence',
      [({ socket }) => socket.write('HTTP/1.1 200')],
      { phase: 'headers', code: 'HEADERS_TIMEOUT' },
    ],
    ['no HTTP', [({ socket }) => socket.end('SSH-2.0-x\r\n')], { phase: 'headers', code: 'NOT_HTTP' }],
    [
      '100 Continue that nobody asked for',
      [({ socket }) => socket.write('HTTP/1.1 100 Continue\r\n\r\n')],
      { phase: 'headers' },
    ],
    [
      'Content-Length longer than the body',
      [({ socket }) => socket.end(answer(200, '{"name":"h1"', { 'Content-Length': '99' }))],
      { phase: 'body', status: 200 },
      '{"name":"h1"',
    ],
    [
      'chunked body without an end',
      [({ socket }) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7\r\n{"name"\r\n')],
      { phase: 'body', status: 200 },
      '{"name"',
    ],
    [
      'RST inside the body',
      [
        ({ socket }) => {
          socket.write(answer(200, '{"name":', { 'Content-Length': '99' }));
          setTimeout(() => socket.resetAndDestroy(), 50);
        },
      ],
      { phase: 'body', status: 200 },
      '{"name":',
    ],
    [
      'silence inside the body',
      [({ socket }) => socket.write(answer(200, '{"na', { 'Content-Length': '99' }))],
      { phase: 'body', code: 'BODY_TIMEOUT', status: 200 },
      '{"na',
    ],
    ['a body without end', [({ socket }) => pour(socket)], { phase: 'body', code: 'BODY_TOO_LARGE', status: 200 }],
    ['a body that drips', [({ socket }) => drip(socket)], { phase: 'body', code: 'ANSWER_TOO_SLOW', status: 200 }],
  ];

  it.each(cases)('%s', async (_name, script, expected, partial) => {
    const server = await serve(...script);
    const exchange = await transportTo(server.url).send(SUBMIT, {
      headersTimeoutMs: 400,
      bodyTimeoutMs: 400,
      rateWindowMs: 900,
      maxBodyBytes: 1_000_000,
    });
    expect(exchange).toMatchObject({ outcome: 'lost', ...expected });
    if (partial !== undefined && exchange.outcome === 'lost') {
      expect(Buffer.from(exchange.partialBody ?? []).toString()).toBe(partial);
    }
    expect(said(exchange)).not.toContain(KEY);
    await pause(150);
    expect(server.connections).toHaveLength(1);
    expect(server.postCount()).toBeLessThanOrEqual(1);
  });

  it.each([421, 425, 408, 409, 500, 502, 503, 504])('%i is an answer, sent once (F17, F18)', async (status) => {
    const server = await serve(({ socket }) => socket.end(answer(status, 'no', { 'Content-Type': 'text/html' })));
    const exchange = await transportTo(server.url).send(SUBMIT);
    expect(exchange).toMatchObject({ outcome: 'answered', answer: { status, contentType: 'text/html' } });
    await pause(100);
    expect(server.postCount()).toBe(1);
    expect(server.connections).toHaveLength(1);
  });

  it.each([301, 302, 303, 307, 308])('%i is never followed, the key goes nowhere else (F16)', async (status) => {
    const elsewhere = await serve(({ socket }) => socket.end(answer(200, '{}')));
    const server = await serve(({ socket }) =>
      socket.end(answer(status, '', { Location: `${elsewhere.url}/v1/images/generations` })),
    );
    for (const request of [SUBMIT, POLL]) {
      const exchange = await transportTo(server.url).send(request);
      expect(exchange).toMatchObject({ outcome: 'answered', answer: { status } });
    }
    await pause(50);
    expect(elsewhere.connections).toHaveLength(0);
  });

  it('keep-alive race: a connection that the server closes is never used for the next submit', async () => {
    const server = await serve(({ socket }) => {
      socket.write(answer(200, '{}', { Connection: 'keep-alive' }));
      setImmediate(() => socket.end());
    });
    const transport = transportTo(server.url);
    for (let round = 0; round < 30; round += 1) {
      expect(await transport.send(SUBMIT)).toMatchObject({ outcome: 'answered' });
    }
    expect(server.postCount()).toBe(30);
    expect(server.connections).toHaveLength(30);
  });

  it('a large body that the server stops reading: the phase is the request', async () => {
    const server = await serve(() => undefined, { onConnection: (socket) => socket.pause() });
    const body = { prompt: 'x'.repeat(30_000_000) };
    const exchange = await transportTo(server.url).send({ ...SUBMIT, body }, { headersTimeoutMs: 400 });
    expect(exchange).toMatchObject({ outcome: 'lost', phase: 'request', code: 'HEADERS_TIMEOUT' });
  });

  it('what a large body takes to leave on a slow line does not count as waiting for its answer (design 3)', async () => {
    const body = { image: 'x'.repeat(30_000_000) };
    const server = net.createServer((socket) => {
      let bytes = 0;
      socket.on('error', () => undefined);
      // Far more than the buffers of the two systems take.
      socket.pause();
      setTimeout(() => socket.resume(), 900);
      socket.on('data', (chunk) => {
        bytes += chunk.length;
        if (bytes > body.image.length) setTimeout(() => socket.end(answer(200, '{}')), 200);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    track({ close: async () => void server.close() });
    const { port } = server.address() as net.AddressInfo;
    const send = (leavingMaxMs: number) =>
      transportTo(`http://127.0.0.1:${port}`).send({ ...SUBMIT, body }, { headersTimeoutMs: 600, leavingMaxMs });
    expect(await send(30_000)).toMatchObject({ outcome: 'answered' });
    expect(await send(0)).toMatchObject({ outcome: 'lost', code: 'HEADERS_TIMEOUT' });
  });
});

describe('over TLS', () => {
  const certificate = { key: fixture('localhost-key'), cert: fixture('localhost-certificate') };

  it('F17: one POST over HTTP/1.1 although the server offers h2, with the hook before its first byte', async () => {
    const protocols: (string | false | null)[] = [];
    const server = await serve(({ socket }) => socket.end(answer(200, '{}')), {
      tls: { ...certificate, ALPNProtocols: ['h2', 'http/1.1'] },
      onConnection: (socket) => protocols.push((socket as TLSSocket).alpnProtocol),
    });
    const transport = transportTo(server.url, { ca: certificate.cert });
    expect(await transport.send(SUBMIT)).toMatchObject({ outcome: 'answered', answer: { status: 200 } });
    const stopped = await transport.send(SUBMIT, {
      beforeSend: () => {
        throw new Error('stale');
      },
    });
    expect(stopped).toMatchObject({ outcome: 'not_sent', phase: 'guard' });
    await pause(100);
    expect(server.postCount()).toBe(1);
    expect(new Set(protocols)).toEqual(new Set(['http/1.1']));
  });

  it('an unknown authority and a wrong name are not sent', async () => {
    const server = await serve(() => undefined, { tls: certificate });
    const unknown = await transportTo(server.url).send(SUBMIT);
    expect(unknown).toMatchObject({ outcome: 'not_sent', phase: 'tls', code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    for (const request of [SUBMIT, POLL]) {
      const misnamed = await transportTo(server.url.replace('localhost', '127.0.0.1'), { ca: certificate.cert }).send(
        request,
      );
      expect(misnamed).toMatchObject({ outcome: 'not_sent', phase: 'tls', code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    }
    expect(server.wire()).toBe('');
  });
});

describe('a process that was paused', () => {
  it('still takes the answer that came meanwhile (F51)', async () => {
    const { url, close } = await answeringWorker(300, answer(200, '{"name":"h1"}'));
    track({ close });
    const sending = transportTo(url).send(SUBMIT, { headersTimeoutMs: 600, bodyTimeoutMs: 600, rateWindowMs: 600 });
    await pause(150);
    // Blocked after an immediate, the event loop runs its timers before it reads its sockets, as after a SIGCONT.
    await new Promise((resolve) => setImmediate(resolve));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
    const exchange = await sending;
    expect(exchange).toMatchObject({ outcome: 'answered', answer: { status: 200 } });
  });
});

describe('reads', () => {
  it('end after their total time, however the bytes drip', async () => {
    const server = await serve(({ socket }) => drip(socket));
    const transport = transportTo(server.url, { timeouts: { readTotalMs: 400 } });
    expect(await transport.send(POLL)).toMatchObject({ outcome: 'lost', phase: 'body', code: 'TOTAL_TIMEOUT' });
  });
});

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function pour(socket: net.Socket): void {
  socket.write(answer(200, '', { 'Content-Length': '999999999' }));
  const more = () => {
    while (!socket.destroyed && socket.write(Buffer.alloc(65_536, 32))) {}
  };
  socket.on('drain', more);
  more();
}

function drip(socket: net.Socket): void {
  socket.write(answer(200, '', { 'Content-Length': '99999' }));
  const dripping = setInterval(() => socket.write(' '), 50);
  socket.once('close', () => clearInterval(dripping));
}

/**
 * A port whose backlog is full: the worker listens and never accepts, so that a further connection is neither accepted
 * nor refused.
 */
async function fullBacklog(): Promise<{ url: string; close: () => Promise<void> }> {
  const script = `
    const { createServer } = require('node:net');
    const { parentPort } = require('node:worker_threads');
    const server = createServer();
    server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      parentPort.postMessage(server.address().port);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5_000);
    });`;
  const worker = new Worker(script, { eval: true });
  const port = await new Promise<number>((resolve) => worker.once('message', resolve));
  const fillers = Array.from({ length: 4 }, () => net.connect(port, '127.0.0.1').on('error', () => undefined));
  await pause(100);
  const close = async () => {
    for (const filler of fillers) filler.destroy();
    await worker.terminate();
  };
  return { url: `http://127.0.0.1:${port}`, close };
}

/** A server on a thread of its own, which answers while the test's thread is blocked. */
async function answeringWorker(afterMs: number, text: string): Promise<{ url: string; close: () => Promise<void> }> {
  const script = `
    const { createServer } = require('node:net');
    const { parentPort, workerData } = require('node:worker_threads');
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => setTimeout(() => socket.end(workerData.text), workerData.afterMs));
    });
    server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`;
  const worker = new Worker(script, { eval: true, workerData: { afterMs, text } });
  const port = await new Promise<number>((resolve) => worker.once('message', resolve));
  return { url: `http://127.0.0.1:${port}`, close: async () => void (await worker.terminate()) };
}
