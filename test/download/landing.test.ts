import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { createDownloader } from '../../src/service/download.js';
import { createFolderStore } from '../../src/store/folder.js';
import { createOutputs } from '../../src/store/outputs.js';
import { temporaryFolder } from '../store/support/temporary.js';
import { type Answer, FILE, resetAfter, serve, sha256, whole } from './broken-server.js';

const PIECE = Buffer.alloc(1 << 20, 7);
const PIECES = 160;

function startDownload(url: string, root: string) {
  const script = fileURLToPath(new URL('./children/download-to-folder.ts', import.meta.url));
  return spawn(process.execPath, ['--import', 'tsx', script, url, root, 'm/a.bin'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Far more than the memory it may take, without a length and without a tag, so that nothing is left to trust. */
const endlessly: Answer = async (_, response) => {
  response.writeHead(200);
  for (let i = 0; i < PIECES; i++) if (!response.write(PIECE)) await once(response, 'drain');
  response.end();
};

/** Begins, and never goes on. */
const stuck: Answer = (_, response) => {
  response.writeHead(200, { 'content-length': FILE.length });
  response.write(FILE.subarray(0, 70_000));
};

describe('a download into the folder store', () => {
  test('F47, I8: killed in the middle it shows nothing; the next run lands the whole file and clears up', async () => {
    const root = temporaryFolder();
    const server = await serve(stuck, whole());
    const killed = startDownload(server.url, root);
    await expect
      .poll(() => existsSync(join(root, 'm')) && readdirSync(join(root, 'm')).length, { timeout: 60_000 })
      .toBe(1);
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    expect(readdirSync(join(root, 'm'))).toEqual([expect.stringMatching(/^\.part-row-1-/)]);

    const file = JSON.parse(await text(startDownload(server.url, root).stdout));
    expect(file).toMatchObject({ key: 'm/a.bin', bytes: FILE.length, sha256: sha256(FILE) });
    expect(readdirSync(join(root, 'm'))).toEqual(['a.bin']);
  }, 120_000);

  test('takes far less memory than the file is long', async () => {
    const server = await serve(endlessly);
    const { bytes, grownBytes, ...file } = JSON.parse(await text(startDownload(server.url, temporaryFolder()).stdout));
    const hash = createHash('sha256');
    for (let i = 0; i < PIECES; i++) hash.update(PIECE);
    expect([bytes, file.sha256]).toEqual([PIECES * PIECE.length, hash.digest('hex')]);
    expect(grownBytes).toBeLessThan(100_000_000);
  }, 120_000);

  test('I7: a clip whose connection breaks twice is whole at its final name', async () => {
    const clip = readFileSync(join(import.meta.dirname, '../store/fixtures/slow.mp4'));
    const server = await serve(resetAfter(600, {}, clip), resetAfter(2_000, {}, clip), whole({}, clip));
    const root = temporaryFolder();
    const downloader = createDownloader({ allowLoopback: true, userAgent: 'callsheet/test' });
    const { stream } = await downloader.fetchOutput(server.url);
    const outputs = createOutputs(createFolderStore(root, { access: 'shared' }), 'spring');
    const saved = await outputs.save(stream, {
      stem: 'a',
      position: 0,
      attemptName: 'a-1',
      expected: 'video',
      onExists: 'fail',
    });
    await downloader.close();
    expect(saved.file).toMatchObject({ file: 'media/a.mp4', bytes: clip.length, sha256: sha256(clip), width: 48 });
    expect(readFileSync(join(root, 'spring/media/a.mp4'))).toEqual(clip);
  });

  test('F42: a body that ends early without a word is found by its container', async () => {
    const clip = readFileSync(join(import.meta.dirname, '../store/fixtures/fast.mp4'));
    const closes: Answer = (_, response) => {
      response.socket?.end(
        Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n'), clip.subarray(0, -200)]),
      );
    };
    const server = await serve(closes);
    const root = temporaryFolder();
    const downloader = createDownloader({ allowLoopback: true, userAgent: 'callsheet/test' });
    const { stream } = await downloader.fetchOutput(server.url);
    const saving = createOutputs(createFolderStore(root), 'spring').save(stream, {
      stem: 'a',
      position: 0,
      attemptName: 'a-1',
      expected: 'video',
      onExists: 'fail',
    });
    await expect(saving).rejects.toMatchObject({ reason: 'truncated' });
    await downloader.close();
    expect(readdirSync(join(root, 'spring/media'))).toEqual([]);
  });
});
