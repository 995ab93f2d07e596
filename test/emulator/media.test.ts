import { createHash } from 'node:crypto';
import { imageSize } from 'image-size';
import { request as undiciRequest } from 'undici';
import { describe, expect, test } from 'vitest';
import type { FaultAction } from '../../emulator/emulator.js';
import { clipFacts } from '../../emulator/media/media-facts.js';
import { CLIP_SIZES, makeMp4, nearestSize, tagMp4 } from '../../emulator/media/media-mp4.js';
import { at, emulator, eventually, png, type TestEmulator } from './harness.js';

/** An emulator with one finished clip; returns its URL. */
async function finishedClip(emu: TestEmulator): Promise<string> {
  const body = {
    model: 'svc-epsilon-2.5-video',
    prompt: 'x',
    width: 1280,
    height: 720,
    duration: 8,
    response_format: 'url',
  };
  return String(at((await emu.post('/v1/video/generations', body)).json, 'data.0.url'));
}

async function withFault(action: FaultAction): Promise<{ emu: TestEmulator; url: string }> {
  const emu = await emulator();
  const url = await finishedClip(emu);
  emu.setFaults([{ match: { route: 'media', nth: 1 }, action }]);
  return { emu, url };
}

describe('made media', () => {
  test.each([
    [1, 1],
    [3, 7],
    [1025, 333],
    [8192, 2],
  ])('a PNG of %ix%i', async (width, height) => {
    expect(imageSize(await png(width, height))).toMatchObject({ type: 'png', width, height });
  });

  test.each([1, 24, 25, 191])('a clip of %i frames is exact to the frame, with and without sound', async (frames) => {
    for (const audio of [false, true]) {
      const file = await makeMp4({ width: 480, height: 480, frames, audio });
      expect((await clipFacts(file))?.seconds).toBeCloseTo(frames / 24, 4);
    }
  });

  test('every shipped size makes a clip; a tag changes the bytes and not the clip', async () => {
    expect(CLIP_SIZES.length).toBeGreaterThan(30);
    for (const size of CLIP_SIZES) {
      const file = tagMp4(await makeMp4({ ...size, frames: 24, audio: false }), 'job-1');
      expect(await clipFacts(file)).toEqual({ format: 'mp4', seconds: 1, ...size });
    }
    expect(nearestSize(720, 1.7)).toEqual({ width: 1280, height: 720 });
  });

  test('equal parameters give equal bytes, whenever they are made', async () => {
    const first = await makeMp4({ width: 480, height: 480, frames: 30, audio: true });
    for (let other = 0; other < 210; other += 1)
      await makeMp4({ width: 480, height: 480, frames: 31 + other, audio: false });
    const again = await makeMp4({ width: 480, height: 480, frames: 30, audio: true });
    expect(again === first).toBe(false);
    expect(again.equals(first)).toBe(true);
  });
});

describe('downloads', () => {
  test('need no key; HEAD, ETag, ranges and If-Range', async () => {
    const emu = await emulator();
    const url = await finishedClip(emu);
    const whole = Buffer.from(await (await fetch(url)).arrayBuffer());
    expect(createHash('sha256').update(whole).digest('hex')).toBe(emu.truth().jobs[0]?.outputs[0]?.sha256);
    const head = await fetch(url, { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe(String(whole.length));
    const etag = head.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"/);
    const get = async (headers: Record<string, string>): Promise<[number, Buffer, string | null]> => {
      const response = await fetch(url, { headers });
      return [response.status, Buffer.from(await response.arrayBuffer()), response.headers.get('content-range')];
    };
    expect(await get({ range: 'bytes=10-19' })).toEqual([206, whole.subarray(10, 20), `bytes 10-19/${whole.length}`]);
    expect((await get({ range: 'bytes=-5' }))[1]).toEqual(whole.subarray(-5));
    expect((await get({ range: `bytes=${whole.length - 3}-` }))[1]).toEqual(whole.subarray(-3));
    expect((await get({ range: `bytes=${whole.length}-` }))[0]).toBe(416);
    expect((await get({ range: 'bytes=10-', 'if-range': etag }))[0]).toBe(206);
    expect((await get({ range: 'bytes=10-', 'if-range': '"other"' }))[1]).toEqual(whole);
    expect(emu.truth().jobs[0]?.outputs[0]?.downloads).toBe(1 + 1);
  });

  test('a URL that was changed, an unknown file', async () => {
    const emu = await emulator();
    const url = await finishedClip(emu);
    expect((await fetch(url.replace('expires=1', 'expires=2'))).status).toBe(403);
    expect((await fetch(`${emu.url}/media/none.mp4`)).status).toBe(404);
  });

  test('generated images are kept 7 days, then deleted (service document 1)', async () => {
    const emu = await emulator({ speed: 1_000_000 });
    const body = { model: 'svc-delta-4', prompt: 'x', response_format: 'url' };
    const url = String(at((await emu.post('/v1/images/generations', body)).json, 'data.0.url'));
    await eventually(async () => (await fetch(url)).status === 403);
  });
});

describe('faults of downloads', () => {
  test.each([
    ['F41: reset in the middle', { do: 'cut-body', at: 'half', end: 'reset' }],
    ['F42: shorter than its Content-Length', { do: 'cut-body', at: 100 }],
    ['F42: chunked, without its end', { do: 'cut-body', at: 'half', framing: 'chunked' }],
  ] as const)('%s', async (_what, action) => {
    const { url } = await withFault(action);
    await expect(fetch(url).then((response) => response.arrayBuffer())).rejects.toThrow();
    expect((await fetch(url)).status).toBe(200);
  });

  test('F41: Range ignored, changed ETag, wrong Content-Range', async () => {
    const ignored = await withFault({ do: 'ignore-range' });
    expect((await fetch(ignored.url, { headers: { range: 'bytes=5-' } })).status).toBe(200);
    const changed = await withFault({ do: 'change-etag' });
    const first = (await fetch(changed.url)).headers.get('etag');
    expect((await fetch(changed.url)).headers.get('etag')).not.toBe(first);
    const wrong = await withFault({ do: 'wrong-content-range' });
    const response = await fetch(wrong.url, { headers: { range: 'bytes=5-9' } });
    expect(response.headers.get('content-range')).toMatch(/^bytes 6-10\//);
  });

  test('F42: zero bytes, HTML in place of the clip', async () => {
    const empty = await withFault({ do: 'answer', status: 200, body: '', contentType: 'video/mp4' });
    expect((await (await fetch(empty.url)).arrayBuffer()).byteLength).toBe(0);
    const html = await withFault({ do: 'answer', status: 200, body: '<html></html>' });
    expect((await fetch(html.url)).headers.get('content-type')).toContain('text/html');
  });

  test('F43: an endless body, a gzip bomb, a drip', async () => {
    const endless = await withFault({ do: 'endless-body' });
    let bytes = 0;
    const response = await undiciRequest(endless.url);
    for await (const part of response.body) {
      bytes += (part as Buffer).length;
      if (bytes > 3_000_000) break;
    }
    expect(bytes).toBeGreaterThan(3_000_000);
    const bomb = await withFault({ do: 'gzip-bomb', megabytes: 8 });
    const packed = await undiciRequest(bomb.url);
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect((await packed.body.arrayBuffer()).byteLength).toBeLessThan(20_000);
    const drip = await withFault({ do: 'drip', bytesPerSecond: 10 });
    const slow = await undiciRequest(drip.url);
    let dripped = 0;
    for await (const part of slow.body) {
      dripped += (part as Buffer).length;
      break;
    }
    expect(dripped).toBeLessThan(100);
  });

  test('F44: a redirect to another place', async () => {
    const { url } = await withFault({ do: 'redirect', status: 302, location: 'http://169.254.169.254/latest' });
    const response = await fetch(url, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([302, 'http://169.254.169.254/latest']);
  });
});
