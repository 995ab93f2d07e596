import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOutputs } from '../../src/store/outputs.js';
import type { Store } from '../../src/store/port.js';
import { createBuckets } from '../../src/store/s3.js';
import { createS3Store } from '../../src/store/s3-store.js';
import { type S3Proxy, s3Error, startS3Proxy } from '../support/s3-proxy.js';
import { type S3Server, startS3Server } from '../support/s3-server.js';
import { hasVersitygw } from '../support/versitygw.js';
import { streamOf } from './support/temporary.js';

const PNG = readFileSync(fileURLToPath(new URL('fixtures/a.png', import.meta.url)));
const ONE_PART = { attemptName: 'r-1', ifExists: 'fail' } as const;
const isPut = (line: string) => line.startsWith('PUT ');
const isComplete = (line: string) => /^POST .*[?&]uploadId=/.test(line);

describe.skipIf(!hasVersitygw())('a bucket whose server or network fails (F46)', { timeout: 60_000 }, () => {
  let server: S3Server;
  let proxy: S3Proxy;
  let store: Store;
  /** The same place, where every file of more than 8 MB goes in parts. */
  let inParts: Store;
  let made = 0;

  beforeAll(async () => {
    server = await startS3Server();
  });
  beforeEach(async () => {
    proxy = await startS3Proxy(server);
    const prefix = `faults/${made++}`;
    const options = { openBucket: createBuckets(proxy.access), storageClass: null };
    store = createS3Store(`s3://${server.bucket}/${prefix}`, options);
    inParts = createS3Store(`s3://${server.bucket}/${prefix}`, { ...options, oneRequestBytesMax: 8_000_000 });
  });
  afterEach(() => proxy?.stop());
  afterAll(() => server?.stop());

  const large = () => streamOf(Buffer.alloc(9_000_000, 5), randomBytes(3));
  const openUploads = () => createBuckets(server.access)(server.bucket).uploadsBelow(`faults/${made - 1}/o/clip.mp4`);

  it('asks again after 503 SlowDown and 500', async () => {
    proxy.faults.push({ when: isPut, times: 2, instead: s3Error(503, 'SlowDown') });
    await store.put('a', Buffer.from('x'));
    proxy.faults.push({ when: isPut, times: 1, instead: s3Error(500, 'InternalError') });
    expect(await store.putIfAbsent('b', Buffer.from('x'))).toBe(true);
    expect(proxy.requests.filter(isPut)).toHaveLength(5);
  });

  it('says in one sentence that the credentials have expired', async () => {
    proxy.faults.push({ when: isPut, instead: s3Error(400, 'ExpiredToken') });
    await expect(store.put('a', Buffer.from('x'))).rejects.toMatchObject({
      name: 'StoreError',
      code: 'ExpiredToken',
      message: expect.stringContaining('the S3 credentials have expired: renew them and run the same command again'),
    });
  });

  it('knows its own claim again when the answer to it was lost', async () => {
    proxy.faults.push({ when: isPut, times: 1, afterwards: () => 'reset' });
    expect(await store.putIfAbsent('claim', Buffer.from('nonce 1'))).toBe(true);
    expect(proxy.requests.filter(isPut)).toHaveLength(2);
  });

  it('takes no claim of another for its own when its first try was lost', async () => {
    await store.put('claim', Buffer.from('nonce 0'));
    proxy.faults.push({ when: isPut, times: 1, instead: 'reset' });
    expect(await store.putIfAbsent('claim', Buffer.from('nonce 1'))).toBe(false);
  });

  it('asks again when two writers met and the server took neither (409)', async () => {
    proxy.faults.push({ when: isPut, times: 2, instead: s3Error(409, 'ConditionalRequestConflict') });
    expect(await store.putIfAbsent('claim', Buffer.from('nonce 1'))).toBe(true);
  });

  it('knows its own claim again when the try after the lost answer met the first one (409)', async () => {
    proxy.faults.push({ when: isPut, times: 1, afterwards: () => 'reset' });
    proxy.faults.push({ when: isPut, times: 1, instead: s3Error(409, 'ConditionalRequestConflict') });
    expect(await store.putIfAbsent('claim', Buffer.from('nonce 1'))).toBe(true);
    expect(proxy.requests.filter(isPut)).toHaveLength(3);
  });

  it('takes an equal document of another for its own no more when the server took neither (409)', async () => {
    await store.put('claim', Buffer.from('equal'));
    proxy.faults.push({ when: isPut, times: 1, instead: s3Error(409, 'ConditionalRequestConflict') });
    expect(await store.putIfAbsent('claim', Buffer.from('equal'))).toBe(false);
  });

  it('is an error when nothing answers', async () => {
    await proxy.stop();
    await expect(store.putIfAbsent('a', Buffer.from('x'))).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('is not done when Complete answers 200 with an error inside, and asks again', async () => {
    proxy.faults.push({ when: isComplete, times: 1, instead: { ...s3Error(200, 'InternalError'), status: 200 } });
    const written = await inParts.putStream('o/clip.mp4', large(), ONE_PART);
    expect(await store.size('o/clip.mp4')).toBe(written.bytes);
    expect(proxy.requests.filter(isComplete)).toHaveLength(2);
  });

  it('fails, leaving neither file nor parts, when Complete never comes to an end', async () => {
    proxy.faults.push({ when: isComplete, instead: { ...s3Error(200, 'InternalError'), status: 200 } });
    await expect(inParts.putStream('o/clip.mp4', large(), ONE_PART)).rejects.toMatchObject({
      name: 'StoreError',
      code: 'InternalError',
    });
    expect(await store.size('o/clip.mp4')).toBeUndefined();
    expect(await openUploads()).toEqual([]);
  });

  it('has the file when only the answer to Complete was lost', async () => {
    proxy.faults.push({ when: isComplete, times: 1, afterwards: () => 'reset' });
    const written = await inParts.putStream('o/clip.mp4', large(), ONE_PART);
    expect(await store.stat('o/clip.mp4')).toMatchObject({ bytes: written.bytes, sha256: written.sha256 });
  });

  it('never replaces a file that came while its own was uploaded (412)', async () => {
    const sha256 = createHash('sha256').update('theirs').digest('base64');
    const late = async () => {
      const bucket = createBuckets(server.access)(server.bucket);
      const facts = { contentType: 'video/mp4', metadata: {}, ifAbsent: false, storageClass: null };
      await bucket.put(`faults/${made - 1}/o/clip.mp4`, Buffer.from('theirs'), sha256, facts);
    };
    const attempt = inParts.putStream('o/clip.mp4', large(), { ...ONE_PART, beforeCommit: late });
    await expect(attempt).rejects.toMatchObject({ code: 'EEXIST' });
    expect(Buffer.from((await store.get('o/clip.mp4')) ?? []).toString()).toBe('theirs');
    expect(await openUploads()).toEqual([]);
  });

  it('keeps a file beside a name that the server refuses though it has no object of it', async () => {
    const isFirst = (line: string) => line.startsWith('PUT ') && line.includes('/r.png');
    proxy.faults.push({ when: isFirst, instead: s3Error(412, 'PreconditionFailed') });
    const save = () =>
      createOutputs(store, 'b').save(streamOf(PNG), {
        ...{ stem: 'r', position: 0, attemptName: 'r-1', expected: 'image', onExists: 'fail' },
      });
    expect(await save()).toMatchObject({
      file: { file: 'media/r.v2.png' },
      warnings: [expect.stringContaining('refuses the name media/r.png, which no file has')],
    });
    expect(proxy.requests.filter(isFirst)).toHaveLength(2);
    proxy.faults.length = 0;
    await store.put('b/media/r.png', Buffer.from('of another'));
    await expect(save()).rejects.toMatchObject({ code: 'EEXIST' });
  });

  it('takes a name that the server refused for a moment', async () => {
    proxy.faults.push({ when: isPut, times: 1, instead: s3Error(412, 'PreconditionFailed') });
    const { file } = await createOutputs(store, 'b').save(streamOf(PNG), {
      ...{ stem: 'r', position: 0, attemptName: 'r-1', expected: 'image', onExists: 'fail' },
    });
    expect(file.file).toBe('media/r.png');
  });

  it('sends a received file in one request, and from its start at every try', async () => {
    proxy.faults.push({ when: isPut, times: 1, instead: s3Error(503, 'SlowDown') });
    proxy.faults.push({ when: isPut, times: 1, instead: 'reset' });
    const written = await store.putStream('o/clip.mp4', large(), ONE_PART);
    expect(proxy.requests.filter(isPut)).toHaveLength(3);
    expect(proxy.requests.filter((line) => line.startsWith('POST '))).toEqual([]);
    const hash = createHash('sha256');
    for await (const chunk of (await store.read('o/clip.mp4')) ?? []) hash.update(chunk);
    expect(hash.digest('hex')).toBe(written.sha256);
  });

  it('takes no received file for stored when other bytes arrived at the server', async () => {
    proxy.faults.push({ when: isPut, change: (body) => body.fill(6, 4_000_000, 4_000_001) });
    await expect(store.putStream('o/clip.mp4', large(), ONE_PART)).rejects.toMatchObject({ name: 'StoreError' });
    expect(await store.size('o/clip.mp4')).toBeUndefined();
  });

  it.each([
    ['small', () => streamOf(randomBytes(9))],
    ['received', large],
  ])(
    'never replaces a file that came with the request of a %s one (412), and knows its own when that answer was lost',
    async (_, file) => {
      const theirs = Buffer.from('theirs');
      const sha256 = createHash('sha256').update(theirs).digest('base64');
      const facts = { contentType: 'video/mp4', metadata: {}, ifAbsent: false, storageClass: null };
      const bucket = createBuckets(server.access)(server.bucket);
      const key = `faults/${made - 1}/o/clip.mp4`;
      proxy.faults.push({
        when: isPut,
        times: 1,
        before: () => bucket.put(key, theirs, sha256, facts).then(() => undefined),
      });
      await expect(store.putStream('o/clip.mp4', file(), ONE_PART)).rejects.toMatchObject({ code: 'EEXIST' });
      expect(Buffer.from((await store.get('o/clip.mp4')) ?? []).toString()).toBe('theirs');
      proxy.faults.push({ when: isPut, times: 1, afterwards: () => 'reset' });
      const written = await store.putStream('o/other.mp4', file(), ONE_PART);
      expect(await store.stat('o/other.mp4')).toMatchObject({ bytes: written.bytes, sha256: written.sha256 });
    },
  );

  it('believes no bytes that are not those that were stored', async () => {
    await store.put('a.json', Buffer.from('{"paid":true}'));
    proxy.faults.push({
      when: (line) => line.startsWith('GET '),
      afterwards: ({ status }) => ({ status, body: '{"paid":fals}' }),
    });
    await expect(store.get('a.json')).rejects.toMatchObject({ name: 'StoreError', code: 'DAMAGED' });
  });

  it('is refused as a home when the server ignores If-None-Match', async () => {
    proxy.faults.push({
      when: (line, headers) => isPut(line) && headers['if-none-match'] === '*',
      afterwards: (real) => (real.status === 412 ? { status: 200, body: '' } : real),
    });
    await expect(store.probe()).rejects.toMatchObject({
      code: 'NO_CONDITIONAL_WRITES',
      message: expect.stringContaining('its server ignores If-None-Match'),
    });
  });
});
