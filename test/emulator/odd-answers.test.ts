// Odd but documented-looking answers: slow bodies, bytes around a file, outputs that come late, absurd numbers.
import { gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import type { FaultAction } from '../../emulator/emulator.js';
import { at, emulator, eventually, type Json, type TestEmulator } from './harness.js';
import { GOOD_SUBMITS } from './submits.js';

const IMAGES = '/v1/images/generations';
const IMAGE: Json = { model: 'svc-delta-4', prompt: 'x', response_format: 'url' };

interface Download {
  status: number;
  bytes: Buffer;
  encoding: unknown;
}

async function download(url: string): Promise<Download> {
  const response = await request(url);
  const bytes = Buffer.from(await response.body.arrayBuffer());
  return { status: response.statusCode, bytes, encoding: response.headers['content-encoding'] };
}

async function withImage(action: FaultAction, route = 'media'): Promise<{ emu: TestEmulator; url: string }> {
  const emu = await emulator({ faults: [{ match: { route }, action }] });
  return { emu, url: String(at((await emu.post(IMAGES, IMAGE)).json, 'data.0.url')) };
}

describe('bodies', () => {
  test('5-X2: media with bytes after their end', async () => {
    const { emu, url } = await withImage({ do: 'pad-body', bytesAfter: 1024 });
    expect((await download(url)).bytes.length).toBe((emu.truth().jobs[0]?.outputs[0]?.bytes ?? 0) + 1024);
  });

  test('5-X2: media as gzip, with the header that says so', async () => {
    const { emu, url } = await withImage({ do: 'encode-gzip' });
    const { bytes, encoding } = await download(url);
    expect(encoding).toBe('gzip');
    expect(gunzipSync(bytes).length).toBe(emu.truth().jobs[0]?.outputs[0]?.bytes);
  });

  test('5-X2: an answer that begins with a byte-order mark', async () => {
    const faults = [
      { match: { route: 'vendor-f.interaction' }, action: { do: 'pad-body', before: '\uFEFF' } as const },
    ];
    const emu = await emulator({ faults });
    const response = await request(`${emu.url}/v1/vendor-f/v1beta/interactions`, {
      method: 'POST',
      headers: { 'x-api-key': 'sk-svc-emulator', 'content-type': 'application/json' },
      body: '{}',
    });
    expect(
      Buffer.from(await response.body.arrayBuffer())
        .toString('utf8')
        .slice(0, 2),
    ).toBe('\uFEFF{');
  });

  test('1-D6: a body whose bytes arrive steadily over a time', async () => {
    const emu = await emulator({ faults: [{ match: { route: 'svc.image' }, action: { do: 'drip', overSeconds: 1 } }] });
    const startMs = performance.now();
    const reply = await emu.post(IMAGES, { ...IMAGE, response_format: 'b64_json' });
    expect(performance.now() - startMs).toBeGreaterThan(900);
    expect(at(reply.json, 'data.0.b64_json')).toBeTypeOf('string');
  });
});

describe('outputs', () => {
  test.each([403, 404] as const)('5-X2: %i for a time, then the file', async (status) => {
    const { url } = await withImage({ do: 'output-late', status, serviceSeconds: 400 }, 'svc.image');
    expect((await download(url)).status).toBe(status);
    await eventually(async () => (await download(url)).status === 200);
  });

  test('of an asynchronous job', async () => {
    const [vendorA] = GOOD_SUBMITS;
    if (vendorA === undefined) throw new Error('no submit');
    const emu = await emulator({
      faults: [{ match: { route: 'vendor-a.submit' }, action: { do: 'output-late', serviceSeconds: 1e6 } }],
    });
    const handle = String(at((await emu.post(vendorA.path, vendorA.body)).json, vendorA.handleAt));
    await eventually(() => emu.truth().jobs[0]?.state === 'succeeded');
    const done = await emu.get(vendorA.pollPath(handle));
    expect((await download(String(at(done.json, 'data.task_result.videos.0.url')))).status).toBe(404);
  });
});

describe('polls', () => {
  const ABSURD: Record<string, [at: string, value: number, shown: unknown]> = {
    'vendor-a': ['data.task_result.videos.0.duration', 1.8e12, '1800000000000'],
    'vendor-b': ['data.duration', 1.8e12, 1.8e12],
    'vendor-d': ['usage.completion_tokens', 3e12, 3e12],
    'vendor-e': ['task.usage.output_seconds', 1.8e12, 1.8e12],
  };

  test.each(GOOD_SUBMITS.filter(({ family }) => family in ABSURD))('5-X1: an absurd number: $family', async (good) => {
    const [place = '', value = 0, shown] = ABSURD[good.family] ?? [];
    const emu = await emulator({
      faults: [{ match: { route: '*.poll' }, action: { do: 'report-quantity', value } }],
    });
    const handle = String(at((await emu.post(good.path, good.body)).json, good.handleAt));
    await eventually(() => emu.truth().jobs[0]?.state === 'succeeded');
    expect(at((await emu.get(good.pollPath(handle))).json, place)).toBe(shown);
    expect(emu.truth().jobs[0]?.chargedNano).toBeLessThan(10_000_000_000);
  });

  test.each([400, 403, 405, 422, 404, 409, 410])('2-D5: %i twice, then 200', async (status) => {
    const [vendorA] = GOOD_SUBMITS;
    if (vendorA === undefined) throw new Error('no submit');
    const emu = await emulator({
      faults: [{ match: { route: 'vendor-a.poll' }, times: 2, action: { do: 'answer', status } }],
    });
    const handle = String(at((await emu.post(vendorA.path, vendorA.body)).json, vendorA.handleAt));
    const statuses: number[] = [];
    for (let count = 0; count < 3; count += 1) statuses.push((await emu.get(vendorA.pollPath(handle))).status);
    expect(statuses).toEqual([status, status, 200]);
  });
});

describe('the account', () => {
  test('F29: credits are bought at a chosen moment', async () => {
    const emu = await emulator({
      faults: [{ match: { route: 'svc.image' }, action: { do: 'top-up', credits: '20', serviceSeconds: 400 } }],
    });
    await emu.post(IMAGES, IMAGE);
    await eventually(() => emu.truth().account.sums.topUpNano === 20_000_000_000);
    const [call, bought] = [emu.truth().requests[0], emu.truth().account.money.find((one) => one.kind === 'top_up')];
    expect((bought?.atMs ?? 0) - (call?.arrivedMs ?? 0)).toBeGreaterThanOrEqual(200);
  });
});
