import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createFolderStore } from '../../src/store/folder.js';
import { createOutputs, OutputRefused, type SaveOptions } from '../../src/store/outputs.js';
import type { Store } from '../../src/store/port.js';
import { streamOf, temporaryFolder } from './support/temporary.js';

const fixture = (name: string) => readFileSync(join(import.meta.dirname, 'fixtures', name));
const png = fixture('a.png');
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const options: SaveOptions = { stem: 'a', position: 0, attemptName: 'a-1', expected: 'image', onExists: 'fail' };

/** A picture with other bytes: the same with a comment chunk's worth of trailing data. */
const otherPng = (n: number) => Buffer.concat([png, Buffer.from([n])]);

function newOutputs() {
  const root = temporaryFolder();
  const media = () => readdirSync(join(root, 'spring', 'media')).sort();
  return { root, media, outputs: createOutputs(createFolderStore(root, { access: 'shared' }), 'spring') };
}

describe('where an output lands', () => {
  test('I7: under its stem, with the extension of its bytes and its facts', async () => {
    const { outputs, root } = newOutputs();
    const bytes = fixture('fast.mp4');
    const saved = await outputs.save(streamOf(bytes.subarray(0, 5), bytes.subarray(5)), {
      ...options,
      stem: 'part-1/clip',
      expected: 'video',
    });
    expect(saved).toEqual({
      file: {
        file: 'media/part-1/clip.mp4',
        contentType: 'video/mp4',
        bytes: bytes.length,
        sha256: sha256(bytes),
        width: 48,
        height: 32,
        durationSeconds: 1,
      },
      warnings: [],
    });
    expect(readFileSync(join(root, 'spring', saved.file.file))).toEqual(bytes);
  });

  test('further outputs of a job are numbered, and step aside for a row that is named so', async () => {
    const { outputs, media } = newOutputs();
    await outputs.save(streamOf(png), { ...options, stem: 'a-2' });
    await outputs.save(streamOf(otherPng(1)), options);
    const second = await outputs.save(streamOf(otherPng(2)), { ...options, position: 1 });
    const third = await outputs.save(streamOf(otherPng(3)), { ...options, position: 2 });
    expect([second.file.file, third.file.file]).toEqual(['media/a-2.v2.png', 'media/a-3.png']);
    expect(media()).toEqual(['a-2.png', 'a-2.v2.png', 'a-3.png', 'a.png']);
  });

  test.each(['../x', 'a/../../x', '/x', 'a//b', '.x'])('a stem %j never becomes a path', async (stem) => {
    const { outputs, root } = newOutputs();
    await expect(outputs.save(streamOf(png), { ...options, stem })).rejects.toMatchObject({ code: 'BAD_KEY' });
    expect(readdirSync(root)).toEqual([]);
  });
});

describe('F45, B47: names that are taken', () => {
  test('what an earlier try made is found by its bytes, under its own name alone', async () => {
    const { outputs, media } = newOutputs();
    const { file } = await outputs.save(streamOf(png), { ...options, stem: 'first' });
    await outputs.save(streamOf(png), { ...options, position: 1 });
    expect(await outputs.made({ stem: 'a', position: 0 }, file)).toBeUndefined();
    expect(await outputs.made({ stem: 'a', position: 1 }, file)).toEqual({ ...file, file: 'media/a-2.png' });
    await outputs.save(streamOf(otherPng(1)), options);
    expect(await outputs.made({ stem: 'a', position: 0 }, file)).toBeUndefined();
    expect(media()).toEqual(['a-2.png', 'a.png', 'first.png']);
  });

  test('the same bytes again are ours, under every policy', async () => {
    const { outputs, media } = newOutputs();
    const first = await outputs.save(streamOf(png), options);
    for (const onExists of ['fail', 'version'] as const) {
      expect(await outputs.save(streamOf(png), { ...options, onExists })).toEqual(first);
    }
    const skipped = await outputs.save(streamOf(png), { ...options, onExists: 'skip' });
    expect(skipped.file).toEqual(first.file);
    expect(media()).toEqual(['a.png']);
  });

  test('fail: refused, and the file stays', async () => {
    const { outputs, root, media } = newOutputs();
    await outputs.save(streamOf(png), options);
    await expect(outputs.save(streamOf(otherPng(1)), options)).rejects.toMatchObject({
      name: 'StoreError',
      code: 'EEXIST',
      message: 'refusing to overwrite spring/media/a.png; use --on-exists skip or version',
    });
    expect(readFileSync(join(root, 'spring/media/a.png'))).toEqual(png);
    expect(media()).toEqual(['a.png']);
  });

  test('version: beside it, and a second try after a crash finds its own file again', async () => {
    const { outputs, media } = newOutputs();
    await outputs.save(streamOf(png), options);
    const version = { ...options, onExists: 'version' } as const;
    const saved = await outputs.save(streamOf(otherPng(1)), version);
    expect(saved.file.file).toBe('media/a.v2.png');
    expect(await outputs.save(streamOf(otherPng(1)), version)).toEqual(saved);
    expect(media()).toEqual(['a.png', 'a.v2.png']);
  });

  test('4-U2: skip never drops what was rendered: it is kept beside the file that is there, said in a warning', async () => {
    const { outputs, root, media } = newOutputs();
    await outputs.save(streamOf(png), options);
    const kept = await outputs.save(streamOf(otherPng(1)), { ...options, onExists: 'skip' });
    expect(kept.file).toMatchObject({ file: 'media/a.v2.png', sha256: sha256(otherPng(1)) });
    expect(kept.warnings).toContain('media/a.png was there when the output came: kept beside it as media/a.v2.png');
    expect(readFileSync(join(root, 'spring/media/a.png'))).toEqual(png);
    expect(media()).toEqual(['a.png', 'a.v2.png']);
  });
});

describe('F42: bytes that are not the output', () => {
  const refusals: [string, Buffer, SaveOptions['expected'], string, string][] = [
    ['zero bytes', Buffer.alloc(0), 'image', 'empty', 'the output has no bytes'],
    ['a page', Buffer.from('<html>gone</html>'), 'video', 'not_media', 'expected video, got an HTML page'],
    ['a picture for a clip', png, 'video', 'wrong_family', 'expected video, got image/png'],
    ['a cut clip', fixture('fast.mp4').subarray(0, -9), 'video', 'truncated', 'the mp4 file ends in the middle'],
    ['JSON for a picture', Buffer.from('{"error":1}'), 'image', 'wrong_family', 'expected image, got application/json'],
    ['text for anything', Buffer.from('Gone.'), 'any', 'not_media', 'expected media, got plain text'],
  ];

  test.each(refusals)('%s', async (_, bytes, expected, reason, message) => {
    const { outputs, root } = newOutputs();
    const saving = outputs.save(streamOf(bytes), { ...options, expected });
    await expect(saving).rejects.toBeInstanceOf(OutputRefused);
    await expect(saving).rejects.toMatchObject({ reason, message: expect.stringContaining(message) });
    expect(filesBelow(root)).toEqual([]);
  });

  test('a film that leads its reader astray was paid: it is kept, and a warning says to look', async () => {
    const { outputs, media } = newOutputs();
    const bytes = fixture('a.webm');
    // The length of the element Info: no number begins with a zero byte.
    bytes[bytes.lastIndexOf(Buffer.from([0x15, 0x49, 0xa9, 0x66])) + 4] = 0;
    const { file, warnings } = await outputs.save(streamOf(bytes), { ...options, expected: 'video' });
    expect(file).toEqual({
      file: 'media/a.webm',
      contentType: 'video/webm',
      bytes: bytes.length,
      sha256: sha256(bytes),
    });
    expect(warnings).toEqual(['kept as it came: nothing could be read of the webm file, look whether it plays']);
    expect(media()).toEqual(['a.webm']);
  });

  test('anything that is media is taken where anything is expected', async () => {
    const { outputs } = newOutputs();
    const saved = await outputs.save(streamOf('{"outputs":[]}'), { ...options, expected: 'any' });
    expect(saved.file).toMatchObject({ file: 'media/a.json', contentType: 'application/json' });
  });

  test('a refused source is closed, and what it throws comes out as it is', async () => {
    const { outputs } = newOutputs();
    let closed = false;
    async function* page() {
      try {
        for (;;) yield Buffer.from('<html>'.repeat(200));
      } finally {
        closed = true;
      }
    }
    await expect(outputs.save(page(), options)).rejects.toMatchObject({ reason: 'not_media' });
    expect(closed).toBe(true);
    const failure = new Error('connection lost');
    async function* broken() {
      yield png.subarray(0, 100);
      throw failure;
    }
    await expect(outputs.save(broken(), options)).rejects.toBe(failure);
  });
});

function filesBelow(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);
}

test('F46a: files are there where each has the bytes that were stored, and what a bucket says of it now counts', async () => {
  const { root } = newOutputs();
  const folder = createFolderStore(root, { access: 'shared' });
  const store: Store = {
    ...folder,
    stat: async (key) => {
      const held = await folder.stat(key);
      return held && { ...held, etag: 'of the copy' };
    },
  };
  const outputs = createOutputs(store, 'spring');
  const { file } = await outputs.save(streamOf(png), options);
  const { file: second } = await outputs.save(streamOf(otherPng(1)), { ...options, position: 1 });
  const stored = { ...file, etag: 'of the first', version: '1' };
  expect(await outputs.there([stored])).toEqual([{ ...file, etag: 'of the copy' }]);
  expect(await outputs.there([stored, { ...second, sha256: file.sha256 }])).toBeUndefined();
  expect(await outputs.there([stored, { ...second, file: 'media/none.png' }])).toBeUndefined();
});
