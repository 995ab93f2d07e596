import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSlidingWindow } from '../../emulator/model/accounts.js';
import { at, emulator, eventually, HEADERS, type TestEmulator } from './harness.js';

const VIDEO = '/v1/vendor-f/v1beta/models/vendor-f-3.1-lite-generate-preview:predictLongRunning';
const IMAGE = { model: 'svc-delta-4', prompt: 'a sign' };

function submit(emu: TestEmulator, prompt = 'x'): ReturnType<TestEmulator['post']> {
  return emu.post(VIDEO, { instances: [{ prompt }], parameters: { durationSeconds: 4 } });
}

describe('requests per minute (service document 1, Limits)', () => {
  test('the 61st request within 60 seconds is 429 on the free plan, whatever kind the requests are', async () => {
    const emu = await emulator({ plan: 'free', speed: 1 });
    const kinds = ['/v1/credits', '/v1/discounts', '/v1/vendor-b/v3/voices', '/v1/vendor-f/v1beta/operations/none'];
    for (let count = 0; count < 60; count += 1) {
      expect((await emu.get(kinds[count % kinds.length] ?? '')).status).not.toBe(429);
    }
    const refused = await emu.get('/v1/credits');
    expect(refused.status).toBe(429);
    expect(at(refused.json, 'error.code')).toBe('rpm_limit_exceeded');
    expect(refused.headers.get('retry-after')).toBeNull();
    const { maxima } = emu.truth().account;
    expect(maxima).toMatchObject({ requestsIn60s: 61, acceptedIn60s: 60 });
    expect(emu.truth().violationCounts.rpm_refused).toBe(1);
  });

  test('submits and refused bodies count too', async () => {
    const emu = await emulator({ plan: 'free', speed: 1 });
    for (let count = 0; count < 60; count += 1) expect((await emu.post('/v1/images/generations', {})).status).toBe(400);
    expect((await emu.post('/v1/images/generations', IMAGE)).status).toBe(429);
    expect(emu.truth().jobs).toHaveLength(0);
  });

  test('requests with a bad key, and downloads, do not count', async () => {
    const emu = await emulator({ plan: 'free', speed: 1 });
    for (let count = 0; count < 70; count += 1) await emu.get('/v1/credits', { 'x-api-key': 'sk-svc-nobody' });
    expect((await emu.get('/v1/credits')).status).toBe(200);
  });

  test('Retry-After is there when the emulator is told to send it', async () => {
    const emu = await emulator({ plan: 'free', speed: 1, retryAfter: true });
    emu.setLimits({ rpm: 1 });
    await emu.get('/v1/credits');
    const refused = await emu.get('/v1/credits');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  });

  test('the window counts exactly the instants of the last 60 seconds', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 200 }), (gaps) => {
        const window = createSlidingWindow();
        const instants: number[] = [];
        let now = 0;
        let max = 0;
        for (const gap of gaps) {
          now += gap;
          instants.push(now);
          window.add(now);
          const expected = instants.filter((instant) => instant > now - 60_000).length;
          max = Math.max(max, expected);
          expect(window.count(now)).toBe(expected);
        }
        expect(window.max).toBe(max);
      }),
    );
  });
});

describe('simultaneous jobs (service document 1, Limits, "What counts")', () => {
  test('the sixth job on the free plan is 429 and creates nothing; a slot is free again at the end of a job', async () => {
    const emu = await emulator({ plan: 'free' });
    emu.setFaults([{ match: { route: 'vendor-f.submit', nth: [1, 2, 3, 4] }, action: { do: 'never-ends' } }]);
    for (let count = 0; count < 4; count += 1) expect((await submit(emu)).status).toBe(200);
    emu.setFaults([
      { match: { route: 'vendor-f.submit', nth: 1 }, action: { do: 'render-seconds', serviceSeconds: 3000 } },
    ]);
    expect((await submit(emu)).status).toBe(200);
    const refused = await submit(emu);
    expect(refused.status).toBe(429);
    expect(at(refused.json, 'error.code')).toBe('concurrent_limit_exceeded');
    expect(emu.truth().jobs).toHaveLength(5);
    await eventually(() => emu.truth().account.running === 4);
    expect((await submit(emu)).status).toBe(200);
    expect(emu.truth().account.maxima.jobsAtOnce).toBe(5);
  });

  test('a rejected submit takes no slot', async () => {
    const emu = await emulator({ plan: 'free' });
    for (let count = 0; count < 20; count += 1) expect((await emu.post(VIDEO, {})).status).toBe(400);
    expect(emu.truth().account.maxima.jobsAtOnce).toBe(0);
  });

  test('a synchronous generation holds a slot during the request, the interaction route holds none', async () => {
    const emu = await emulator({
      plan: 'free',
      renderSeconds: { 'svc/image': [3000, 3000], 'vendor-f/interaction': [3000, 3000] },
    });
    const images = Array.from({ length: 6 }, () => emu.post('/v1/images/generations', IMAGE));
    const interactions = Array.from({ length: 6 }, () => emu.post('/v1/vendor-f/v1beta/interactions', { input: 'x' }));
    const statuses = (await Promise.all(images)).map((reply) => reply.status).sort();
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    for (const reply of await Promise.all(interactions)) expect(reply.status).toBe(200);
    expect(emu.truth().account.maxima.jobsAtOnce).toBe(5);
    expect(emu.truth().account.running).toBe(0);
  });

  test('a call whose client has gone is rendered, charged and holds its slot to the end', async () => {
    const emu = await emulator({ renderSeconds: { 'svc/image': [3000, 3000] } });
    const abort = new AbortController();
    const gone = fetch(`${emu.url}/v1/images/generations`, {
      method: 'POST',
      headers: HEADERS,
      body: JSON.stringify(IMAGE),
      signal: abort.signal,
    });
    await eventually(() => emu.truth().account.running === 1);
    abort.abort();
    await expect(gone).rejects.toThrow();
    expect(emu.truth().account.running).toBe(1);
    await eventually(() => emu.truth().account.running === 0);
    expect(emu.truth().jobs[0]).toMatchObject({ state: 'succeeded', chargedNano: 50_000_000 });
  });

  test('jobs of someone else take slots; a smaller plan lets running jobs end and takes no new ones', async () => {
    const emu = await emulator({
      plan: 'pro',
      faults: [{ match: { route: 'vendor-f.submit' }, action: { do: 'never-ends' } }],
    });
    emu.setForeignJobs(9);
    expect((await submit(emu)).status).toBe(200);
    expect((await submit(emu)).status).toBe(429);
    emu.setForeignJobs(0);
    for (let count = 0; count < 6; count += 1) expect((await submit(emu)).status).toBe(200);
    emu.setPlan('free');
    expect((await submit(emu)).status).toBe(429);
    expect(emu.truth().account.running).toBe(7);
  });
});
