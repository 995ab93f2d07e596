import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type MediaReading, readMediaFacts } from '../../src/store/media-facts.js';
import { describeBytes, type MediaType, sniffMedia } from '../../src/store/media-type.js';
import { heic } from '../manifest/media-samples.js';
import { temporaryFolder } from './support/temporary.js';

const fixture = (name: string) => readFileSync(join(import.meta.dirname, 'fixtures', name));
const typeOf = (bytes: Uint8Array): MediaType => sniffMedia(bytes) ?? expect.fail('no media');

/** Reads the bytes as a store would show them: whole in the head, or on disk behind a short head. */
async function read(bytes: Buffer, type: MediaType, headBytes = bytes.length): Promise<MediaReading> {
  const localPath = join(temporaryFolder(), 'part');
  writeFileSync(localPath, bytes);
  return await readMediaFacts(type, {
    bytes: bytes.length,
    sha256: '',
    head: bytes.subarray(0, headBytes),
    ...(headBytes < bytes.length ? { localPath } : {}),
  });
}

const FILES = [
  ['a.png', 'image/png', 'png', { width: 48, height: 32 }],
  ['a.jpg', 'image/jpeg', 'jpg', { width: 48, height: 32 }],
  ['a.webp', 'image/webp', 'webp', { width: 48, height: 32 }],
  ['a.gif', 'image/gif', 'gif', { width: 48, height: 32 }],
  ['fast.mp4', 'video/mp4', 'mp4', { width: 48, height: 32, durationSeconds: 1 }],
  ['slow.mp4', 'video/mp4', 'mp4', { width: 48, height: 32, durationSeconds: 1 }],
  ['a.mov', 'video/quicktime', 'mov', { width: 48, height: 32, durationSeconds: 1 }],
  ['a.webm', 'video/webm', 'webm', { width: 48, height: 32, durationSeconds: expect.closeTo(1, 1) }],
  ['a.wav', 'audio/wav', 'wav', { durationSeconds: expect.closeTo(0.2, 1) }],
  ['a.mp3', 'audio/mpeg', 'mp3', { durationSeconds: expect.closeTo(0.3, 0) }],
  ['a.m4a', 'audio/mp4', 'm4a', { durationSeconds: expect.closeTo(0.3, 1) }],
] as const;

describe('what a file is, by its bytes', () => {
  test.each(FILES)('%s is %s and shows its size', async (name, contentType, extension, facts) => {
    const bytes = fixture(name);
    expect(typeOf(bytes)).toMatchObject({ contentType, extension });
    expect(await read(bytes, typeOf(bytes))).toEqual({ facts });
  });

  test.each(['avif', 'avis', 'heic', 'heim', 'mif1'])('a picture of the brand %s has its size', async (brand) => {
    const bytes = heic(48, 32);
    bytes.write(brand, 8, 'latin1');
    expect(await read(bytes, typeOf(bytes))).toEqual({ facts: { width: 48, height: 32 } });
  });

  test('a JPEG has its size whatever number of fill bytes stands before a marker', async () => {
    const whole = fixture('a.jpg');
    for (const fill of [1, 2, 700]) {
      const bytes = Buffer.concat([whole.subarray(0, 2), Buffer.alloc(fill, 0xff), whole.subarray(2)]);
      expect(await read(bytes, typeOf(bytes))).toEqual({ facts: { width: 48, height: 32 } });
    }
  });

  test.each([
    ['\0\0\0\x1cftypavif\0', 'avif'],
    ['\0\0\0\x1cftypheic\0', 'heic'],
    ['BM\x9a\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x05\0\0\0\x05\0\0\0', 'bmp'],
    ['II*\0\x08\0\0\0', 'tiff'],
    ['\xff\x0a\xfa\x7f', 'jxl'],
    ['\x1aE\xdf\xa3\x01\0matroska', 'mkv'],
  ])('%j is a file of the kind %s: the documents name no format', (text, extension) => {
    expect(typeOf(Buffer.from(text, 'latin1'))).toMatchObject({ extension });
  });

  test.each(FILES)('%s is read from the disk where its head is short', async (name, _, __, facts) => {
    const bytes = fixture(name);
    const reading = await read(bytes, typeOf(bytes), Math.min(256, bytes.length - 1));
    expect(reading).toEqual({ facts: typeOf(bytes).family === 'image' ? expect.anything() : facts });
  });

  test.each([
    ['<!DOCTYPE html><html><body>expired</body></html>', 'an HTML page'],
    ['\n  <html lang="en">', 'an HTML page'],
    ['<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>', 'an XML document'],
    ['Not found', 'plain text'],
    ['\x1f\x8b\x08\x00', 'gzip data'],
    ['RIFF\x10\x00\x00\x00AVI ', 'bytes of an unknown format'],
    ['\xff\xfe<\x00h\x00', 'bytes of an unknown format'],
    ['', 'plain text'],
  ])('%j is no media but %s', (text, description) => {
    const bytes = Buffer.from(text, 'latin1');
    expect(sniffMedia(bytes)).toBeUndefined();
    expect(describeBytes(bytes)).toBe(description);
  });

  test.each(['{"a":1}', ' \n[1]', '\xef\xbb\xbf{"a":1}'])('%j is JSON', (text) => {
    expect(typeOf(Buffer.from(text, 'latin1'))).toMatchObject({ extension: 'json', family: 'json' });
  });
});

describe('F42: files that were cut', () => {
  test.each(['a.png', 'a.jpg', 'a.webp', 'a.wav', 'fast.mp4', 'slow.mp4', 'a.mov'])(
    '%s is refused wherever it is cut',
    async (name) => {
      const whole = fixture(name);
      const type = typeOf(whole);
      const accepted: number[] = [];
      for (let bytes = 12; bytes < whole.length; bytes++) {
        const reading = await readMediaFacts(type, { bytes, sha256: '', head: whole.subarray(0, bytes) });
        if ('facts' in reading) accepted.push(bytes);
      }
      expect(accepted).toEqual([]);
    },
  );

  test.each(['a.png', 'a.jpg', 'fast.mp4', 'slow.mp4', 'a.mov'])(
    '%s is refused also where the cut lies beyond the head',
    async (name) => {
      const whole = fixture(name);
      expect(await read(whole.subarray(0, -20), typeOf(whole), 64)).toEqual({ problem: 'truncated' });
    },
  );

  test('the end mark of a preview inside a JPEG does not make a cut picture whole', async () => {
    const whole = fixture('a.jpg');
    const preview = Buffer.concat([Buffer.from([0xff, 0xe1, 0, 6]), Buffer.from([0xff, 0xd8, 0xff, 0xd9])]);
    const withPreview = Buffer.concat([whole.subarray(0, 2), preview, whole.subarray(2)]);
    expect(await read(withPreview, typeOf(whole))).toHaveProperty('facts');
    expect(await read(withPreview.subarray(0, -40), typeOf(whole))).toEqual({ problem: 'truncated' });
  });
});

describe('5-X2e: whole files with bytes after their end', () => {
  const TAILS = {
    zeros: Buffer.alloc(1_024),
    noise: Buffer.from(Array.from({ length: 1_024 }, (_, i) => (i * 151 + 7) % 256)),
    text: Buffer.from('trailing words of a proxy, whatever it wanted to say'),
    few: Buffer.from('abc'),
  };

  test.each(['a.png', 'a.jpg', 'a.webp', 'a.wav', 'fast.mp4', 'slow.mp4', 'a.mov'])('%s is whole', async (name) => {
    const whole = fixture(name);
    for (const tail of Object.values(TAILS)) {
      const bytes = Buffer.concat([whole, tail]);
      expect(await read(bytes, typeOf(whole))).toMatchObject({ facts: {}, trailingBytes: tail.length });
    }
  });

  test('a further part of a film that is cut makes the film cut', async () => {
    const whole = fixture('fast.mp4');
    const part = Buffer.from('\0\0\x10\0moof and so on');
    expect(await read(Buffer.concat([whole, part]), typeOf(whole))).toEqual({ problem: 'truncated' });
  });
});

describe('F42: files that only begin well', () => {
  test('a magic number alone is no picture and no clip', async () => {
    const png = Buffer.concat([fixture('a.png').subarray(0, 8), Buffer.alloc(4), Buffer.from('IEND'), Buffer.alloc(4)]);
    expect(await read(png, typeOf(png))).toEqual({ problem: 'unreadable' });
    const webm = fixture('a.webm').subarray(0, 60);
    expect(await read(webm, typeOf(webm))).toHaveProperty('problem');
  });

  test('an MP4 without a track has nothing to play', async () => {
    const ftyp = fixture('fast.mp4').subarray(0, 32);
    const movie = fixture('fast.mp4');
    const mvhd = movie.subarray(movie.indexOf('mvhd') - 4, movie.indexOf('mvhd') + 104);
    const moov = Buffer.concat([Buffer.alloc(4), Buffer.from('moov'), mvhd]);
    moov.writeUInt32BE(moov.length, 0);
    const bytes = Buffer.concat([ftyp, moov, Buffer.from('\0\0\0\x08mdat')]);
    expect(await read(bytes, typeOf(bytes))).toEqual({ problem: 'no_track' });
  });

  test('a film that leads its reader astray is believed as far as it can be: it is there, and of no known length', async () => {
    const bytes = fixture('a.webm');
    bytes[bytes.lastIndexOf(Buffer.from([0x15, 0x49, 0xa9, 0x66])) + 4] = 0;
    expect(await read(bytes, typeOf(bytes))).toEqual({ facts: {}, isGivenUp: true });
  });

  test('JSON that does not end is refused', async () => {
    const bytes = Buffer.from('{"outputs": [1, 2');
    expect(await read(bytes, typeOf(bytes))).toEqual({ problem: 'unreadable' });
  });

  test('a file that the store cannot open is believed as far as its head shows', async () => {
    const whole = fixture('fast.mp4');
    const pending = { bytes: whole.length, sha256: '', head: whole.subarray(0, 600) };
    expect(await readMediaFacts(typeOf(whole), pending)).toEqual({ facts: {} });
  });
});
