// What stands between client and service: its own error bodies, handles inside errors, cached and cut answers.
import { describe, expect, test } from 'vitest';
import type { FaultAction } from '../../emulator/emulator.js';
import { at, emulator, eventually, type Json, rawPost, type TestEmulator } from './harness.js';
import { GOOD_SUBMITS } from './submits.js';

const IMAGES = '/v1/images/generations';
const IMAGE: Json = { model: 'svc-delta-4', prompt: 'x', response_format: 'url' };

function withFault(route: string, action: FaultAction, nth = 1): Promise<TestEmulator> {
  return emulator({ faults: [{ match: { route, nth }, action }] });
}

describe('2-D2: a handle in a 5xx answer ("If the submit returned a handle, poll it", document 2)', () => {
  test.each(GOOD_SUBMITS)('$family', async ({ route, path, body, handleAt, pollPath }) => {
    for (const status of [500, 502, 503, 504]) {
      const emu = await withFault(route, { do: 'error-with-handle', status });
      const reply = await emu.post(path, body);
      expect(reply.status).toBe(status);
      expect(reply.json.detail).toBeTypeOf('string');
      const handle = at(reply.json, handleAt);
      expect(handle).toBe(emu.truth().jobs[0]?.handle);
      expect((await emu.get(pollPath(String(handle)))).status).toBe(200);
    }
  });

  test('the body can be cut after the handle, too', async () => {
    const emu = await emulator({
      faults: [
        { match: { route: 'vendor-a.submit' }, action: { do: 'error-with-handle', status: 502 } },
        { match: { route: 'vendor-a.submit' }, action: { do: 'cut-body', at: 'after-handle' } },
      ],
    });
    const { text } = await rawPost(emu, '/v1/vendor-a/videos/text2video', { prompt: 'x' });
    expect(text).toMatch(/^HTTP\/1\.1 502 /);
    expect(text.endsWith(`"task_id":"${emu.truth().jobs[0]?.handle}"`)).toBe(true);
  });
});

describe('1-D1: the bodies of gateways, which promise no refund (document 1: 5xx return a `detail` string)', () => {
  const bodies = {
    'error-code': '{"error":{"code":504,"message":"upstream request timeout"}}',
    'code-message': '{"code":504,"message":"upstream request timeout"}',
    'error-message': '{"error":{"message":"no healthy upstream"}}',
    html: '<html>',
    text: 'upstream request timeout',
    empty: '',
  } as const;

  test.each(Object.entries(bodies))('%s', async (body, text) => {
    const emu = await withFault('svc.image', { do: 'gateway', status: 504, body: body as keyof typeof bodies });
    const reply = await emu.post(IMAGES, IMAGE);
    expect(reply.status).toBe(504);
    expect(reply.text.startsWith(text)).toBe(true);
    expect(reply.json.detail).toBeUndefined();
    expect(emu.truth().jobs).toHaveLength(0);
  });

  test.each([400, 403, 408, 429, 500, 502, 503])('status %i', async (status) => {
    const emu = await withFault('svc.image', { do: 'gateway', status, body: 'text' });
    expect((await emu.post(IMAGES, IMAGE)).status).toBe(status);
  });

  test('a gateway that gives up while the service goes on: the call is finished and charged', async () => {
    const emu = await emulator({
      renderSeconds: { 'svc/image': [400, 400] },
      faults: [
        {
          match: { route: 'svc.image' },
          action: { do: 'gateway', status: 504, body: 'error-code', created: true, serviceSeconds: 60 },
        },
      ],
    });
    expect((await emu.post(IMAGES, IMAGE)).status).toBe(504);
    expect(emu.truth().jobs[0]).toMatchObject({ state: 'running', chargedNano: 0 });
    await eventually(() => emu.truth().jobs[0]?.state === 'succeeded');
    expect(emu.truth().jobs[0]?.chargedNano).toBe(50_000_000);
  });

  test('created and not created, on every asynchronous family', async () => {
    for (const { route, path, body } of GOOD_SUBMITS) {
      const emu = await emulator();
      for (const created of [true, false]) {
        emu.setFaults([{ match: { route }, action: { do: 'gateway', status: 502, body: 'html', created } }]);
        expect((await emu.post(path, body)).status, route).toBe(502);
      }
      expect(emu.truth().jobs, route).toHaveLength(1);
    }
  });

  test('a refusal of the service is let through as it is', async () => {
    const action = { do: 'gateway', status: 504, body: 'empty', created: true, serviceSeconds: 5 } as const;
    const emu = await withFault('svc.image', action);
    expect((await emu.post(IMAGES, { ...IMAGE, model: 'nope' })).status).toBe(400);
  });
});

describe('a cached answer: the handle or URL of an earlier attempt', () => {
  test.each(GOOD_SUBMITS)('$family', async ({ route, path, body, handleAt }) => {
    for (const created of [true, false]) {
      const emu = await withFault(route, { do: 'cached-answer', created }, 2);
      const first = await emu.post(path, body);
      const second = await emu.post(path, body);
      expect([second.status, at(second.json, handleAt)]).toEqual([200, at(first.json, handleAt)]);
      expect(emu.truth().jobs).toHaveLength(created ? 2 : 1);
    }
  });

  test('a synchronous one; without an earlier answer the real one is given', async () => {
    const emu = await emulator({ faults: [{ match: { route: 'svc.image' }, action: { do: 'cached-answer' } }] });
    const first = await emu.post(IMAGES, IMAGE);
    const second = await emu.post(IMAGES, { ...IMAGE, prompt: 'another' });
    expect(at(second.json, 'data.0.url')).toBe(at(first.json, 'data.0.url'));
    expect(emu.truth().jobs).toHaveLength(1);
  });
});

describe('synchronous answers that do not come whole', () => {
  test.each(['url', 'b64_json'])('cut after a whole %s', async (response_format) => {
    const emu = await withFault('svc.image', { do: 'cut-body', at: 'after-handle' });
    const { text } = await rawPost(emu, IMAGES, { ...IMAGE, response_format });
    expect(text).toMatch(new RegExp(`"${response_format}":"[^"]+"$`));
    expect(emu.truth().jobs[0]?.chargedNano).toBe(50_000_000);
  });

  test('1-D4: 504 `engine_timeout` comes at the service’s own end, 120 s, and nothing stays charged', async () => {
    const emu = await emulator({
      speed: 1000,
      chargeAt: { 'svc/clip': 'submit' },
      faults: [{ match: { route: 'svc.clip' }, action: { do: 'render-seconds', serviceSeconds: 500 } }],
    });
    const reply = await emu.post('/v1/video/generations', { model: 'svc-epsilon-2.5-video', prompt: 'x' });
    expect(reply.status).toBe(504);
    expect(reply.json).toMatchObject({ detail: expect.any(String), error: { code: 'engine_timeout' } });
    const job = emu.truth().jobs[0];
    expect((job?.terminalMs ?? 0) - (job?.createdMs ?? 0)).toBeGreaterThanOrEqual(120);
    await eventually(() => emu.truth().account.balance.now === '100');
  });
});
