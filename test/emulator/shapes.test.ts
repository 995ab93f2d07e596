import { describe, expect, test } from 'vitest';
import { clipFacts } from '../../emulator/media/media-facts.js';
import { at, emulator, eventually, type Json, png, pngUri, serveFiles, type TestEmulator } from './harness.js';

/** Submits, waits for the end, and returns the size of the clip that a poll's URL gives. */
async function sizeOf(
  emu: TestEmulator,
  submit: string,
  body: Json,
  poll: (handle: string) => string,
): Promise<unknown> {
  const reply = await emu.post(submit, body);
  expect(reply.status, reply.text).toBe(200);
  await eventually(() => emu.truth().account.running === 0);
  const job = emu.truth().jobs.at(-1);
  const url = /http:[^"]+\/media\/[^"]+/.exec((await emu.get(poll(job?.handle ?? ''))).text)?.[0] ?? '';
  const facts = await clipFacts(Buffer.from(await (await fetch(url)).arrayBuffer()));
  return [facts?.width, facts?.height];
}

describe('image-to-video follows the image (service document 2)', () => {
  test('vendor-d: the output shape follows the frame, and the tokens follow the output', async () => {
    const files = await serveFiles({ '/tall.png': await png(400, 800) });
    const emu = await emulator();
    const path = '/v1/vendor-d/contents/generations/tasks';
    const frame = { type: 'image_url', role: 'first_frame', image_url: { url: `${files}/tall.png` } };
    const body = { model: 'vendor-d-2-5-260628', content: [{ type: 'text', text: 'x' }, frame], resolution: '480p' };
    expect(await sizeOf(emu, path, body, (id) => `${path}/${id}`)).toEqual([480, 832]);
    const tokens = Math.round((480 * 832 * 24 * 5) / 1024);
    expect(emu.truth().jobs[0]?.chargedNano).toBe(tokens * 4000);
  });

  test('vendor-e: the output follows the source; the asked ratio counts on a text-only body', async () => {
    const emu = await emulator();
    const path = '/v1/vendor-e/v2/video_generation';
    const query = (id: string): string => `/v1/vendor-e/v2/query/video_generation/${id}`;
    const text = { type: 'text', text: 'x' };
    const common = { model: 'Vendor-E-H3', duration: 4 };
    const image = { type: 'image_url', role: 'first_frame', image_url: { url: await pngUri(500, 500) } };
    expect(await sizeOf(emu, path, { ...common, content: [text, image] }, query)).toEqual([768, 768]);
    const wide = { ...common, content: [text], ratio: '21:9', resolution: '2K' };
    expect(await sizeOf(emu, path, wide, query)).toEqual([3360, 1440]);
    expect(at(emu.truth().jobs[1], 'chargedNano')).toBe(480_000_000);
  });

  test('vendor-a: image-to-video follows an image given inline or by URL', async () => {
    const tall = await png(360, 640);
    const files = await serveFiles({ '/tall.png': tall });
    const emu = await emulator();
    const path = '/v1/vendor-a/videos/image2video';
    for (const image of [tall.toString('base64'), `${files}/tall.png`]) {
      expect(await sizeOf(emu, path, { image, mode: 'pro' }, (id) => `${path}/${id}`)).toEqual([1080, 1920]);
    }
  });
});
