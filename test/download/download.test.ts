import { createServer } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { createDownloader, type Download, DownloadError, type DownloaderOptions } from '../../src/service/download.js';
import { type Answer, FILE, range, resetAfter, serve, sha256, status, whole } from './broken-server.js';

const opened: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const downloader of opened.splice(0)) await downloader.close();
});

function downloader(over: Partial<DownloaderOptions> = {}) {
  const made = createDownloader({ allowLoopback: true, userAgent: 'callsheet/test', ...over });
  opened.push(made);
  return made;
}

async function read({ stream }: Download): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Fetches from a server with these answers; gives the bytes and what was asked. */
async function fetchFrom(answers: Answer[], over: Partial<DownloaderOptions> = {}) {
  const server = await serve(...answers);
  const bytes = await read(await downloader(over).fetchOutput(server.url));
  return { sha256: sha256(bytes), requests: server.requests };
}

/** Fetches what must fail; gives the error and what was asked. */
async function failFrom(answers: Answer[], over: Partial<DownloaderOptions> = {}) {
  const server = await serve(...answers);
  const error: unknown = await downloader(over)
    .fetchOutput(server.url)
    .then(read)
    .then(
      () => expect.fail('the download came through'),
      (reason: unknown) => reason,
    );
  expect(error).toBeInstanceOf(DownloadError);
  const { reason, status: code, message } = error as DownloadError;
  // An output URL is a key to the file: no message may carry its path or query.
  expect(message).not.toMatch(/signature|secret|clip\.mp4/);
  return { reason, code, message, requests: server.requests };
}

const STRONG = { etag: '"one"' };

describe('a good server', () => {
  test('gives the file and what it says of it', async () => {
    const server = await serve(whole(STRONG));
    const download = await downloader().fetchOutput(server.url);
    expect(download).toMatchObject({ contentType: 'video/mp4', contentLength: FILE.length, etag: '"one"' });
    expect(sha256(await read(download))).toBe(sha256(FILE));
  });

  test('gives the file of a URL without a host, which is the service itself; the address is vetted like any other', async () => {
    const server = await serve(whole());
    const { origin, pathname } = new URL(server.url);
    expect(sha256(await read(await downloader({ baseUrl: `${origin}/v1` }).fetchOutput(pathname)))).toBe(sha256(FILE));
    for (const [url, baseUrl] of [
      ['//169.254.169.254/a.mp4', 'https://service.example'],
      ['/a.mp4', 'https://10.0.0.1'],
      ['/a.mp4', undefined],
    ] as const) {
      const refused = downloader(baseUrl === undefined ? {} : { baseUrl }).fetchOutput(url);
      await expect(refused).rejects.toMatchObject({ reason: 'forbidden_address' });
    }
  });

  test('gets no key, no cookie and no encoding to choose from', async () => {
    const { requests } = await fetchFrom([whole()]);
    expect(requests).toHaveLength(1);
    expect(Object.keys(requests[0] ?? {}).sort()).toEqual([
      'accept',
      'accept-encoding',
      'connection',
      'host',
      'user-agent',
    ]);
    expect(requests[0]).toMatchObject({ 'accept-encoding': 'identity', 'user-agent': 'callsheet/test' });
  });

  test('may send in chunks without a length', async () => {
    const chunked: Answer = (_, response) => {
      response.writeHead(200);
      response.write(FILE.subarray(0, 9_000));
      response.end(FILE.subarray(9_000));
    };
    expect((await fetchFrom([chunked])).sha256).toBe(sha256(FILE));
  });
});

describe('a data: URI', () => {
  test('is the file, and nothing is fetched', async () => {
    const download = await downloader().fetchOutput(`data:video/mp4;base64,${FILE.toString('base64')}`);
    expect(download).toMatchObject({ contentType: 'video/mp4', contentLength: FILE.length });
    expect(sha256(await read(download))).toBe(sha256(FILE));
  });

  test.each(['data:video/mp4;base64,', 'data:,abc', 'data:text/html;base64,<b>'])('%s gives none', async (url) => {
    await expect(downloader().fetchOutput(url)).rejects.toMatchObject({ reason: 'forbidden_address' });
  });

  test('is bounded as others are', async () => {
    const url = `data:video/mp4;base64,${FILE.toString('base64')}`;
    await expect(downloader({ maxBytes: 9 }).fetchOutput(url)).rejects.toMatchObject({ reason: 'too_large' });
  });
});

describe('an answer of another status that is the whole file all the same', () => {
  const all = { 'content-range': `bytes 0-${FILE.length - 1}/${FILE.length}` };
  const wholly =
    (headers: Record<string, string> = {}, body: Uint8Array = FILE): Answer =>
    (_, response) =>
      void response.writeHead(206, { 'content-length': body.length, ...headers }).end(body);
  const broken: Answer = (_, response) => {
    response.writeHead(206, { ...all, 'content-length': FILE.length });
    response.write(FILE.subarray(0, 50_000), () => setTimeout(() => response.socket?.resetAndDestroy(), 20));
  };

  test('206 from the first byte to the last, although no part was asked for', async () => {
    const { sha256: got, requests } = await fetchFrom([wholly(all)]);
    expect(got).toBe(sha256(FILE));
    expect(requests).toHaveLength(1);
  });

  test('such a 206 that breaks off is fetched again from the start', async () => {
    const { sha256: got } = await fetchFrom([broken, wholly(all)]);
    expect(got).toBe(sha256(FILE));
  });

  test('a 206 that promises all and gives less is not whole', async () => {
    expect(await failFrom([wholly(all, FILE.subarray(1))])).toMatchObject({ reason: 'short' });
  });

  test.each([
    ['begins later', { 'content-range': `bytes 1-${FILE.length - 1}/${FILE.length}` }],
    ['ends earlier', { 'content-range': `bytes 0-${FILE.length - 2}/${FILE.length}` }],
    ['ends earlier, of how much it does not say', { 'content-range': `bytes 0-${FILE.length - 2}/*` }],
    ['does not say which part', {}],
  ])('a 206 that %s is none', async (_name, headers) => {
    expect(await failFrom([wholly(headers as Record<string, string>)])).toMatchObject({ reason: 'http', code: 206 });
  });

  test('100 Continue before the answer', async () => {
    const early: Answer = (request, response) => {
      response.writeContinue();
      whole()(request, response);
    };
    expect((await fetchFrom([early])).sha256).toBe(sha256(FILE));
  });
});

describe('F41: connections that break', () => {
  test('with a strong tag the rest is fetched by range', async () => {
    const { sha256: got, requests } = await fetchFrom([resetAfter(50_000, STRONG), range(STRONG)]);
    expect(got).toBe(sha256(FILE));
    expect(requests[1]).toMatchObject({ range: expect.stringMatching(/^bytes=[1-9]\d*-$/), 'if-range': '"one"' });
  });

  test('a range that breaks as well is gone on from there', async () => {
    const half: Answer = (request, response) => {
      const start = Number(/\d+/.exec(request.headers.range ?? '')?.[0]);
      response.writeHead(206, {
        'content-length': FILE.length - start,
        'content-range': `bytes ${start}-${FILE.length - 1}/${FILE.length}`,
      });
      response.write(FILE.subarray(start, start + 20_000), () =>
        setTimeout(() => response.socket?.resetAndDestroy(), 20),
      );
    };
    const { sha256: got, requests } = await fetchFrom([resetAfter(30_000, STRONG), half, half, range(STRONG)]);
    expect(got).toBe(sha256(FILE));
    expect(requests).toHaveLength(4);
  });

  test.each([
    ['no tag', {}],
    ['a weak tag', { etag: 'W/"one"' }],
  ])('with %s all is fetched again, without a range, and compared', async (_, headers) => {
    const { sha256: got, requests } = await fetchFrom([resetAfter(50_000, headers), whole(headers)]);
    expect(got).toBe(sha256(FILE));
    expect(requests[1]).not.toHaveProperty('range');
  });

  test('a range that is ignored (200) is skipped up to the place', async () => {
    const { sha256: got } = await fetchFrom([resetAfter(50_000, STRONG), whole(STRONG)]);
    expect(got).toBe(sha256(FILE));
  });

  test('a range that is not satisfiable (416) leads to a fetch from the start', async () => {
    const { sha256: got, requests } = await fetchFrom([resetAfter(50_000, STRONG), status(416), whole(STRONG)]);
    expect(got).toBe(sha256(FILE));
    expect(requests[2]).not.toHaveProperty('range');
  });

  test.each([
    ['starts elsewhere', range(STRONG, { start: 5 })],
    ['is of a file of another length', range(STRONG, { total: FILE.length + 1 })],
    ['does not say where it starts', range({ ...STRONG, 'content-range': 'bytes */7' })],
    ['has another tag', range({ etag: '"two"' })],
    ['is encoded', range({ 'content-encoding': 'gzip' })],
    ['comes in parts', range({ 'content-type': 'multipart/byteranges', 'content-range': '' })],
  ])('a range that %s is not used: all is fetched again', async (_, wrong) => {
    const { sha256: got, requests } = await fetchFrom([resetAfter(50_000, STRONG), wrong, whole(STRONG)]);
    expect(got).toBe(sha256(FILE));
    expect(requests).toHaveLength(3);
  });

  test('another file behind the URL is never joined to the first one', async () => {
    const other = Buffer.from(FILE).fill(0, 10, 20);
    const untagged = await failFrom([resetAfter(50_000), whole({}, other)]);
    const tagged = await failFrom([resetAfter(50_000, STRONG), whole({ etag: '"two"' }, other)]);
    const longer = await failFrom([resetAfter(50_000), whole({}, Buffer.concat([FILE, FILE]))]);
    const shorter = await failFrom([resetAfter(50_000), whole({}, FILE.subarray(0, 100))]);
    for (const { reason, message } of [untagged, tagged, longer, shorter]) {
      expect([reason, message]).toEqual(['short', '127.0.0.1 gives another file than before']);
    }
  });

  test('a second answer without a length that ends before the place is not taken for the end', async () => {
    const endsEarly: Answer = (_, response) => {
      response.writeHead(200);
      response.end(FILE.subarray(0, 40_000));
    };
    const breaks: Answer = (_, response) => {
      response.writeHead(200);
      response.write(FILE.subarray(0, 50_000), () => setTimeout(() => response.socket?.resetAndDestroy(), 20));
    };
    const { reason } = await failFrom([breaks, endsEarly]);
    expect(reason).toBe('short');
  });

  test('a connection that always breaks is given up after a bounded number of tries', async () => {
    const { reason, requests } = await failFrom([resetAfter(50_000)], { resumesMax: 3 });
    expect(reason).toBe('short');
    expect(requests).toHaveLength(4);
  });

  test('a server that is gone in the middle is tried again; one in trouble as well', async () => {
    const { sha256: got } = await fetchFrom([resetAfter(50_000, STRONG), status(503), range(STRONG)]);
    expect(got).toBe(sha256(FILE));
  });

  test('F40: a URL that expires in the middle says so', async () => {
    const { reason, code } = await failFrom([resetAfter(50_000, STRONG), status(403)]);
    expect([reason, code]).toEqual(['expired', 403]);
  });
});

describe('F42: bodies that are not whole', () => {
  test('fewer bytes than promised', async () => {
    const short: Answer = (_, response) => {
      response.writeHead(200, { 'content-length': FILE.length });
      response.write(FILE.subarray(0, 1_000), () => setTimeout(() => response.socket?.end(), 20));
    };
    expect(await failFrom([short])).toMatchObject({ reason: 'short' });
    expect((await fetchFrom([short, whole()])).sha256).toBe(sha256(FILE));
  });

  test('chunks that are cut', async () => {
    const cut: Answer = (_, response) => {
      response.writeHead(200, { 'transfer-encoding': 'chunked' });
      response.write(FILE.subarray(0, 1_000), () => setTimeout(() => response.socket?.end(), 20));
    };
    expect(await failFrom([cut])).toMatchObject({ reason: 'short' });
  });

  test('a second answer that promises nothing and ends early is held to what the first one promised', async () => {
    const early: Answer = (_, response) => {
      response.writeHead(200, { 'transfer-encoding': 'chunked' }).end(FILE.subarray(0, 60_000));
    };
    const { sha256: got, requests } = await fetchFrom([resetAfter(1_000), early, whole()]);
    expect(got).toBe(sha256(FILE));
    expect(requests).toHaveLength(3);
  });

  test('zero bytes, promised or not', async () => {
    expect(await failFrom([whole({}, Buffer.alloc(0))])).toMatchObject({ reason: 'short' });
    const empty: Answer = (_, response) => void response.writeHead(200, { 'transfer-encoding': 'chunked' }).end();
    const { reason, requests } = await failFrom([empty]);
    expect(reason).toBe('short');
    expect(requests).toHaveLength(1);
  });

  test('a connection that breaks before anybody reads ends nothing but the download', async () => {
    const server = await serve(resetAfter(1_000), whole());
    const download = await downloader().fetchOutput(server.url);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(sha256(await read(download))).toBe(sha256(FILE));
  });
});

describe('F43: bombs and drips', () => {
  test('5-X2f: a file that was packed on the way is unpacked, also after a break', async () => {
    const packed = gzipSync(FILE);
    const gzip = { 'content-encoding': 'gzip', etag: '"packed"' };
    const server = await serve(resetAfter(packed.length >> 1, gzip, packed), whole(gzip, packed));
    const download = await downloader().fetchOutput(server.url);
    expect(download.contentLength).toBeUndefined();
    expect(sha256(await read(download))).toBe(sha256(FILE));
    expect(server.requests[1]?.range).toBeUndefined();
  });

  test.each([
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('5-X2f: %s is unpacked', async (encoding, pack) => {
    const server = await serve(whole({ 'content-encoding': encoding }, pack(FILE)));
    expect(sha256(await read(await downloader().fetchOutput(server.url)))).toBe(sha256(FILE));
  });

  test('packed bytes that grow without measure are stopped long before the cap', async () => {
    const bomb = gzipSync(Buffer.alloc(64 << 20));
    expect(await failFrom([whole({ 'content-encoding': 'gzip' }, bomb)])).toMatchObject({ reason: 'too_large' });
  });

  test('an endless body is stopped at the cap; one that promises too much is not begun', async () => {
    const endless: Answer = (_, response) => {
      response.writeHead(200);
      const write = (): void => {
        if (!response.destroyed) response.write(Buffer.alloc(65_536), write);
      };
      write();
    };
    expect(await failFrom([endless], { maxBytes: 1 << 20 })).toMatchObject({ reason: 'too_large' });
    const { message } = await failFrom([whole()], { maxBytes: 1_000 });
    expect(message).toBe('127.0.0.1 gives more than 1000 bytes');
  });

  test('a drip is stopped', async () => {
    const drip: Answer = (_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'), 10);
      response.on('close', () => clearInterval(timer));
    };
    const { reason, requests } = await failFrom([drip], { minBytesPerSecond: 10_000, rateWindowMs: 150 });
    expect(reason).toBe('too_slow');
    expect(requests).toHaveLength(1);
  });

  test('a slow reader is not the server’s fault', async () => {
    const server = await serve(whole());
    const { stream } = await downloader({ minBytesPerSecond: 1e9, rateWindowMs: 10_000 }).fetchOutput(server.url);
    let bytes = 0;
    for await (const chunk of stream) {
      bytes += chunk.length;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(bytes).toBe(FILE.length);
  });

  test('silence is a broken connection', async () => {
    const silent: Answer = (_, response) => void response.writeHead(200, { 'content-length': 9 }).write('x');
    const { reason, requests } = await failFrom([silent], { idleTimeoutMs: 50, resumesMax: 1 });
    expect(reason).toBe('short');
    expect(requests).toHaveLength(2);
  });

  test('silence before the headers is unreachable', async () => {
    const { reason } = await failFrom([() => undefined], { headersTimeoutMs: 50 });
    expect(reason).toBe('unreachable');
  });
});

describe('F40: statuses', () => {
  test.each([
    [403, 'expired'],
    [404, 'expired'],
    [410, 'expired'],
    [400, 'http'],
    [401, 'http'],
    [429, 'http'],
    [500, 'http'],
    [204, 'http'],
    [206, 'http'],
    [304, 'http'],
  ])('%i is %s, after one request', async (code, expected) => {
    const { reason, code: seen, requests } = await failFrom([status(code)]);
    expect([reason, seen, requests.length]).toEqual([expected, code, 1]);
  });

  test('a port where nobody listens is unreachable', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    await expect(downloader().fetchOutput(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({
      reason: 'unreachable',
      message: '127.0.0.1 cannot be reached (ECONNREFUSED)',
    });
  });
});

test('an aborted download throws the reason it was given, in the headers and in the body', async () => {
  const reason = new Error('the worker stops');
  const silent = await serve(() => undefined);
  await expect(downloader().fetchOutput(silent.url, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  const stuck = await serve((_, response) => void response.writeHead(200, { 'content-length': 9 }).write('x'));
  const controller = new AbortController();
  const download = await downloader().fetchOutput(stuck.url, { signal: controller.signal });
  setTimeout(() => controller.abort(reason), 50);
  await expect(read(download)).rejects.toBe(reason);
  expect(stuck.requests).toHaveLength(1);
});
