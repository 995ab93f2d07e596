import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPosters } from '../../src/report/posters.js';
import { createPlaces } from '../../src/store/open-store.js';
import { readAsItLies, type Store } from '../../src/store/port.js';
import { createBuckets } from '../../src/store/s3.js';
import { createS3Store } from '../../src/store/s3-store.js';
import { type S3Server, startS3Server } from '../support/s3-server.js';
import { hasVersitygw } from '../support/versitygw.js';
import { storeConformance } from './support/store-conformance.js';
import { collect, streamOf } from './support/temporary.js';

let server: S3Server;

/** A store below a prefix of its own. */
function storeAt(prefix: string, options: { oneRequestBytesMax?: number } = {}): Store {
  const openBucket = createBuckets(server.access);
  return createS3Store(`s3://${server.bucket}/${prefix}`, { openBucket, storageClass: null, ...options });
}

describe.skipIf(!hasVersitygw())('a store in a bucket', () => {
  beforeAll(async () => {
    server = await startS3Server();
  });
  afterAll(() => server?.stop());

  let made = 0;
  storeConformance('s3', async () => storeAt(`conformance/${made++}`));

  describe('objects', () => {
    it('say type, length and sha256 of what they hold', async () => {
      const store = storeAt('facts');
      await store.put('a.json', Buffer.from('{}'));
      await store.putStream('b.png', streamOf(Buffer.from('\x89PNG\r\n\x1a\n....', 'latin1')), {
        attemptName: 'a',
        ifExists: 'fail',
      });
      const bucket = createBuckets(server.access)(server.bucket);
      const sha256 = createHash('sha256').update('{}').digest('hex');
      expect((await bucket.head('facts/a.json'))?.metadata).toEqual({ sha256, bytes: '2' });
      const { url } = await bucket.presign('facts/b.png', 60, 'image/png');
      const answer = await fetch(url);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('image/png');
    });

    it('that were changed where they lie are told by their bytes, whatever they still say of themselves', async () => {
      const store = storeAt('changed');
      const bucket = createBuckets(server.access)(server.bucket);
      const film = { attemptName: 'a', ifExists: 'fail', nextKey: (n: number) => `film.v${n}.mp4` } as const;
      const { sha256, bytes } = await store.putStream('film.mp4', streamOf(Buffer.from('rendered')), film);
      const retouched = Buffer.from('rendered and retouched');
      const now = createHash('sha256').update(retouched).digest('hex');
      const retouchedFacts = { bytes: retouched.length, sha256: now };
      const said = (await bucket.head('changed/film.mp4'))?.metadata ?? {};
      expect(said).toEqual({ sha256, bytes: String(bytes) });
      await bucket.put('changed/film.mp4', retouched, Buffer.from(now, 'hex').toString('base64'), {
        contentType: 'video/mp4',
        metadata: said,
        storageClass: null,
        ifAbsent: false,
      });
      expect(await store.stat('film.mp4')).toMatchObject(retouchedFacts);
      const again = await store.putStream('film.mp4', streamOf(Buffer.from('rendered')), film);
      expect(again).toMatchObject({ key: 'film.v2.mp4', sha256 });
      const lies = await readAsItLies(store, 'film.mp4', retouchedFacts);
      expect(Buffer.concat(lies === undefined ? [] : await collect(lies))).toEqual(retouched);
      const file = { file: 'film.mp4', contentType: 'image/png', bytes, sha256 };
      const asked = [{ key: 'film.mp4', file }];
      // The page of a batch has a tile for it, instead of keeping the batch from its end.
      expect(await createPosters().postersOf(store, asked, performance.now() + 1_000)).toEqual([undefined]);
      // A document that is not what was stored is still no document.
      await expect(store.get('film.mp4')).rejects.toMatchObject({ code: 'DAMAGED' });
    });

    it.each([
      ['in parts', 8_000_000],
      ['in one request', 100_000_000],
    ])('sent %s land whole, with sha256, and leave neither parts nor files of this machine', async (how, most) => {
      const place = `large-${how.replaceAll(' ', '-')}`;
      const store = storeAt(place, { oneRequestBytesMax: most });
      const pieces = Array.from({ length: 21 }, () => randomBytes(1_000_003));
      const sha256 = createHash('sha256').update(Buffer.concat(pieces)).digest('hex');
      let localPath: string | undefined;
      const written = await store.putStream('m/clip.bin', streamOf(...pieces), {
        attemptName: 'r-1',
        ifExists: 'fail',
        beforeCommit: (file) => {
          localPath = file.localPath;
          expect(existsSync(localPath ?? '')).toBe(true);
        },
      });
      expect(written).toMatchObject({ key: 'm/clip.bin', bytes: 21_000_063, sha256, wasThere: false });
      expect(await store.stat('m/clip.bin')).toMatchObject({ bytes: 21_000_063, sha256 });
      expect(existsSync(localPath ?? '')).toBe(false);
      const bucket = createBuckets(server.access)(server.bucket);
      expect((await bucket.head(`${place}/m/clip.bin`))?.metadata).toEqual({ sha256, bytes: '21000063' });
      expect(await bucket.uploadsBelow(`${place}/m/clip.bin`)).toEqual([]);
      const again = await store.putStream('m/clip.bin', streamOf(...pieces), { attemptName: 'r-1', ifExists: 'fail' });
      expect(again.wasThere).toBe(true);
      const other = store.putStream('m/clip.bin', streamOf(...pieces, 'x'), { attemptName: 'r-2', ifExists: 'fail' });
      await expect(other).rejects.toMatchObject({ name: 'StoreError', code: 'EEXIST' });
    });

    it('lists more than a page of a thousand, in order', async () => {
      const store = storeAt('many');
      const keys = Array.from({ length: 1_203 }, (_, i) => `k/${String(i).padStart(5, '0')}`);
      for (let i = 0; i < keys.length; i += 100) {
        await Promise.all(keys.slice(i, i + 100).map((key) => store.put(key, Buffer.from('x'))));
      }
      const found: string[] = [];
      for await (const key of store.list('k')) found.push(key);
      expect(found).toEqual(keys);
      expect(await store.names('k')).toHaveLength(1_203);
    }, 60_000);

    it('drops the parts that a killed process left', async () => {
      const bucket = createBuckets(server.access)(server.bucket);
      const facts = { contentType: 'video/mp4', metadata: {}, ifAbsent: true, storageClass: null };
      await bucket.beginUpload('stale/clip.mp4', facts);
      expect(await bucket.uploadsBelow('stale/clip.mp4')).toHaveLength(1);
      await storeAt('stale', { oneRequestBytesMax: 8_000_000 }).putStream(
        'clip.mp4',
        streamOf(randomBytes(9_000_000)),
        {
          attemptName: 'r-1',
          ifExists: 'fail',
        },
      );
      expect(await bucket.uploadsBelow('stale/clip.mp4')).toEqual([]);
      expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`callsheet-upload-${process.pid}-`))).toEqual([]);
    });

    it('clean finds uploads that broke off and copies of inputs, and takes nothing else (retention)', async () => {
      const { findBucketLeftovers } = createPlaces(server.access);
      const bucket = createBuckets(server.access)(server.bucket);
      const store = storeAt('finished');
      await store.put('b/media/a.mp4', Buffer.from('clip'));
      await store.put('b/inputs/0a.wav', Buffer.from('voice'));
      await store.put('other/inputs/0b.wav', Buffer.from('of another batch'));
      const facts = { contentType: 'video/mp4', metadata: {}, ifAbsent: true, storageClass: null };
      await bucket.beginUpload('finished/b/media/c.mp4', facts);
      const place = `s3://${server.bucket}/finished/b`;
      const later = Date.now() + 60_000;
      const found = await collect(findBucketLeftovers(place, { beforeMs: later, inputs: true }));
      expect(found.map(({ path, bytes }) => [path, bytes])).toEqual([
        [`${place}/media/c.mp4 (upload that broke off)`, 0],
        [`${place}/inputs/0a.wav`, 5],
      ]);
      expect(await collect(findBucketLeftovers(place, { beforeMs: 1, inputs: false }))).toEqual([]);
      for (const { remove } of found) await remove();
      expect(await collect(findBucketLeftovers(place, { beforeMs: later, inputs: true }))).toEqual([]);
      expect(await collect(store.list(''))).toEqual(['b/media/a.mp4', 'other/inputs/0b.wav']);
    });
  });

  describe('a place that cannot be used is told in one sentence (B54)', () => {
    const opened = (location: string, change: object = {}) => {
      const openBucket = createBuckets({ ...server.access, ...change });
      return createS3Store(location, { openBucket, storageClass: null });
    };

    it('when the bucket does not exist', async () => {
      const store = opened('s3://not-there/p');
      await expect(store.probe()).rejects.toMatchObject({
        name: 'StoreError',
        code: 'NoSuchBucket',
        message: 'cannot write s3://not-there/p: the bucket does not exist (NoSuchBucket)',
      });
    });

    it.each([
      ['the access key is unknown', { AWS_ACCESS_KEY_ID: 'nobody', AWS_SECRET_ACCESS_KEY: 'x' }, 'InvalidAccessKeyId'],
      [
        'the secret key is wrong',
        { AWS_ACCESS_KEY_ID: 'callsheet-test', AWS_SECRET_ACCESS_KEY: 'wrong' },
        'SignatureDoesNotMatch',
      ],
    ])('when %s', async (_, environment, code) => {
      const store = opened(`s3://${server.bucket}/p`, { environment });
      const refusal = await store.probe().catch((error: unknown) => error);
      expect(refusal).toMatchObject({ name: 'StoreError', code });
      expect(String(refusal)).not.toContain('callsheet-test-secret');
    });

    it('when the region is another', async () => {
      const settings = { ...server.settings, region: 'eu-west-1' };
      const store = opened(`s3://${server.bucket}/p`, { settings });
      await expect(store.probe()).rejects.toMatchObject({ code: 'AuthorizationHeaderMalformed' });
    });

    it.each(['s3://', 's3://UPPER/x', 's3://bucket/a//b', 's3://bucket/../x'])('%s is no address', (text) => {
      expect(() => opened(text)).toThrow(/no address of the form s3:\/\/bucket\/prefix/);
    });
  });
});
