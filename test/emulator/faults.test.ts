import { describe, expect, test } from 'vitest';
import type { FaultAction, FaultRule } from '../../emulator/emulator.js';
import { at, emulator, eventually, HEADERS, type Json, pollUntil, rawPost, type TestEmulator } from './harness.js';

const SUBMIT = '/v1/vendor-f/v1beta/models/vendor-f-3.1-lite-generate-preview:predictLongRunning';
const OPERATIONS = '/v1/vendor-f/v1beta/operations';
const BODY: Json = { instances: [{ prompt: 'x' }], parameters: { durationSeconds: 4 } };

/** An emulator whose first vendor-f submit meets the actions. */
function withFault(action: FaultAction | FaultAction[], options = {}): Promise<TestEmulator> {
  return emulator({ ...options, faults: [{ match: { route: 'vendor-f.submit', nth: 1 }, action }] });
}

describe('a submit whose answer is lost', () => {
  test.each([
    ['F3: closed with the request unread, no job', { do: 'close-unread' }, 'fin', 0],
    ['reset with the request unread, no job', { do: 'reset-unread' }, 'reset', 0],
    ['F4: job created, then RST before the headers', { do: 'reset-before-answer' }, 'reset', 1],
    ['RST before the headers, no job', { do: 'reset-before-answer', created: false }, 'reset', 0],
  ] as const)('%s', async (_what, action, end, jobs) => {
    const emu = await withFault(action);
    expect(await rawPost(emu, SUBMIT, BODY)).toEqual({ text: '', end });
    expect(emu.truth().jobs).toHaveLength(jobs);
    const record = emu.truth().requests.find((one) => one.method === 'POST');
    expect(record).toMatchObject({ faults: [action.do], ending: end === 'fin' ? 'closed' : 'reset' });
  });

  test.each([
    [true, 1],
    [false, 0],
  ])('F5: headers are held for ever (created: %s)', async (created, jobs) => {
    const emu = await withFault({ do: 'stall', created });
    const abort = new AbortController();
    const init = { method: 'POST', headers: HEADERS, body: JSON.stringify(BODY), signal: abort.signal };
    const lost = fetch(emu.url + SUBMIT, init);
    await eventually(() => emu.truth().faults[0]?.applied === 1);
    await eventually(() => emu.truth().jobs.length === jobs);
    abort.abort();
    await expect(lost).rejects.toThrow();
    await eventually(() => emu.truth().requests.some((one) => one.ending === 'client_gone'));
  });

  test('F6: a slow answer comes with its handle', async () => {
    const emu = await withFault({ do: 'stall', seconds: 0.2 });
    expect((await emu.post(SUBMIT, BODY)).json.name).toBe(emu.truth().jobs[0]?.handle);
  });

  test.each(['reset', 'server_error', 'unavailable'] as const)(
    'F7: created later, the answer is lost (%s)',
    async (answer) => {
      const emu = await withFault({ do: 'create-late', serviceSeconds: 2000, answer });
      if (answer === 'reset') await expect(emu.post(SUBMIT, BODY)).rejects.toThrow();
      else expect((await emu.post(SUBMIT, BODY)).status).toBe(answer === 'server_error' ? 500 : 503);
      expect(emu.truth().jobs).toHaveLength(0);
      await eventually(() => emu.truth().jobs.length === 1);
      const [job] = emu.truth().jobs;
      const request = emu.truth().requests[0];
      expect(job?.late).toBe(true);
      expect((job?.createdMs ?? 0) - (request?.arrivedMs ?? 0)).toBeGreaterThanOrEqual(1000);
      await eventually(() => emu.truth().jobs[0]?.state === 'succeeded');
    },
  );

  test.each([500, 502, 503, 504, 408, 409, 421, 425])(
    'F9, F10, F17, F18: %i with and without a job',
    async (status) => {
      const emu = await emulator({
        faults: [
          { match: { route: 'vendor-f.submit', nth: 1 }, action: { do: 'answer', status, created: true } },
          { match: { route: 'vendor-f.submit', nth: 2 }, action: { do: 'answer', status } },
        ],
      });
      expect((await emu.post(SUBMIT, BODY)).status).toBe(status);
      expect(emu.truth().jobs).toHaveLength(1);
      expect((await emu.post(SUBMIT, BODY)).status).toBe(status);
      expect(emu.truth().jobs).toHaveLength(1);
    },
  );

  test('F13: the body is cut inside or after the handle', async () => {
    const emu = await emulator({
      faults: [
        { match: { route: 'vendor-f.submit', nth: 1 }, action: { do: 'cut-body', at: 'inside-handle' } },
        {
          match: { route: 'vendor-f.submit', nth: 2 },
          action: { do: 'cut-body', at: 'after-handle', framing: 'chunked' },
        },
        {
          match: { route: 'vendor-f.submit', nth: 3 },
          action: { do: 'cut-body', at: 5, framing: 'close', end: 'reset' },
        },
      ],
    });
    const inside = await rawPost(emu, SUBMIT, BODY);
    const after = await rawPost(emu, SUBMIT, BODY);
    const reset = await rawPost(emu, SUBMIT, BODY);
    const [first, second] = emu.truth().jobs;
    expect(inside.text).toContain('200 OK');
    expect(inside.text).not.toContain(first?.handle ?? '?');
    expect(inside.text).toContain((first?.handle ?? '?').slice(0, 100));
    expect(after.text).toContain(`"${second?.handle}"`);
    expect(after.text).not.toContain('}');
    expect(reset.end).toBe('reset');
    expect(reset.text).not.toContain('content-length');
    expect(reset.text.endsWith('{"nam')).toBe(true);
    expect(emu.truth().jobs).toHaveLength(3);
  });

  test('F14: HTML, {} and nothing in place of the answer, with a job', async () => {
    const bodies = ['<html>busy</html>', {}, '', []] as const;
    const emu = await emulator({
      faults: bodies.map(
        (body, index): FaultRule => ({
          match: { route: 'vendor-f.submit', nth: index + 1 },
          action: { do: 'answer', status: 200, body: body as never, created: true },
        }),
      ),
    });
    const texts: string[] = [];
    for (const _ of bodies) texts.push((await emu.post(SUBMIT, BODY)).text);
    expect(texts).toEqual(['<html>busy</html>', '{}', '', '[]']);
    expect(emu.truth().jobs).toHaveLength(4);
  });

  test('F15: 202 with the real handle', async () => {
    const emu = await withFault({ do: 'answer', status: 202, created: true });
    const reply = await emu.post(SUBMIT, BODY);
    expect(reply.status).toBe(202);
    expect(reply.json.name).toBe(emu.truth().jobs[0]?.handle);
  });

  test('F16: a redirect to another host', async () => {
    const emu = await withFault({ do: 'redirect', status: 307, location: 'http://127.0.0.1:9/x' });
    const reply = await emu.post(SUBMIT, BODY);
    expect([reply.status, reply.headers.get('location')]).toEqual([307, 'http://127.0.0.1:9/x']);
    expect(emu.truth().jobs).toHaveLength(0);
  });

  test('F19: two jobs, one handle', async () => {
    const emu = await withFault({ do: 'double-job' });
    const reply = await emu.post(SUBMIT, BODY);
    const [first, second] = emu.truth().jobs;
    expect(first?.handle).toBe(reply.json.name);
    expect(second).toMatchObject({ doubles: first?.id });
    expect(emu.truth().account.balance.now).toBe('99.76');
  });

  test('a fault that promises a job lets a refusal through as it is', async () => {
    const emu = await withFault({ do: 'answer', status: 500, created: true });
    expect((await emu.post(SUBMIT, {})).status).toBe(400);
  });
});

describe('refusals by name', () => {
  test.each([
    ['missing_api_key', 401],
    ['key_expired', 401],
    ['insufficient_credits', 402],
    ['model_not_available', 403],
    ['rpm_limit_exceeded', 429],
    ['concurrent_limit_exceeded', 429],
    ['engine_error', 400],
    ['engine_timeout', 504],
    ['output_too_large', 502],
    ['server_error', 500],
    ['vendor-f_unreachable', 503],
    ['pass_through_not_enabled', 503],
  ] as const)('%s is %i and creates nothing (service documents 1 and 2, Errors)', async (code, status) => {
    const emu = await withFault({ do: 'refuse', code, retryAfter: -5 });
    const reply = await emu.post(SUBMIT, BODY);
    expect(reply.status).toBe(status);
    expect(reply.headers.get('retry-after')).toBe('-5');
    expect(emu.truth().jobs).toHaveLength(0);
    if (code === 'pass_through_not_enabled') expect(reply.json.detail).toContain('not enabled');
    else if (code === 'model_not_available') expect(at(reply.json, 'detail.model')).toContain('lite');
    else if (code === 'server_error') expect(reply.json.detail).toBeTypeOf('string');
    else expect(at(reply.json, 'error.code')).toBe(code);
    // 1-E1: "Server errors (5xx) return a `detail` string", the error object rides alongside (service document 1).
    if (status >= 500) expect(reply.json.detail).toBeTypeOf('string');
  });

  test('the 402 body has details and the deprecated mirrors (service document 1, Versioning)', async () => {
    const emu = await emulator({ balanceCredits: '0.05' });
    const reply = await emu.post(SUBMIT, BODY);
    expect(reply.status).toBe(402);
    expect(reply.json.error).toMatchObject({
      code: 'insufficient_credits',
      details: { credits_required: 0.12, credits_balance: 0.05 },
      creditsRequired: 0.12,
      creditsBalance: 0.05,
    });
    expect(at(reply.json, 'error.request_id')).toBeTypeOf('string');
  });
});

describe('the course of a job', () => {
  test('F38: a job that never ends', async () => {
    const emu = await withFault({ do: 'never-ends' });
    const name = String((await emu.post(SUBMIT, BODY)).json.name);
    await eventually(() => emu.truth().jobs[0]?.state === 'running');
    expect((await emu.get(`${OPERATIONS}/${name}`)).json.done).toBe(false);
  });

  test('F8, F32: what a fault holds back happens when it is told to, once', async () => {
    const emu = await withFault(
      [
        { do: 'create-late', serviceSeconds: 1e6 },
        { do: 'late-charge', serviceSeconds: 1e6 },
      ],
      { chargeAt: { 'vendor-f': 'completion' } },
    );
    await rawPost(emu, SUBMIT, BODY);
    expect(emu.truth().jobs).toEqual([]);
    emu.hurry();
    emu.hurry();
    expect(emu.truth().jobs).toHaveLength(1);
    await eventually(() => emu.truth().jobs[0]?.state === 'succeeded');
    expect(emu.truth().account.balance.now).toBe('100');
    emu.hurry();
    expect(emu.truth().account.balance.now).toBe('99.88');
  });

  test('F32: a charge that comes late', async () => {
    const emu = await withFault(
      { do: 'late-charge', serviceSeconds: 3000 },
      { chargeAt: { 'vendor-f': 'completion' } },
    );
    await emu.post(SUBMIT, BODY);
    await eventually(() => emu.truth().jobs[0]?.state === 'succeeded');
    expect(emu.truth().account.balance.now).toBe('100');
    await eventually(() => emu.truth().account.balance.now === '99.88');
    const charge = emu.truth().account.money.find((event) => event.kind === 'charge');
    expect((charge?.atMs ?? 0) - (emu.truth().jobs[0]?.terminalMs ?? 0)).toBeCloseTo(1500, 3);
  });

  test('a charge that is refunded, and one that follows', async () => {
    const emu = await withFault([
      { do: 'refund-charge', serviceSeconds: 10 },
      { do: 'follow-up-charge', credits: '0.5', serviceSeconds: 100 },
    ]);
    await emu.post(SUBMIT, BODY);
    await eventually(() => emu.truth().account.money.length === 4);
    expect(emu.truth().account.money.map((event) => [event.kind, event.amountNano])).toEqual([
      ['start', 100_000_000_000],
      ['reserve', -120_000_000],
      ['refund', 120_000_000],
      ['follow_up', -500_000_000],
    ]);
  });

  test('F40: an output URL that has expired when the job is done', async () => {
    const emu = await withFault({ do: 'expire-output' });
    const name = String((await emu.post(SUBMIT, BODY)).json.name);
    const done = await pollUntil(
      () => emu.get(`${OPERATIONS}/${name}`),
      (json) => json.done === true,
    );
    expect((await fetch(String(at(done, 'response.generateVideoResponse.generatedSamples.0.video.uri')))).status).toBe(
      403,
    );
  });
});

describe('polls', () => {
  const avatar: Json = {
    type: 'avatar',
    avatar_id: 'a',
    engine: { type: 'avatar_v' },
    script: 'Hi.',
    voice_id: 'v-amber-en',
  };

  test('F35, F36: 404, 409, 410, 500 and HTML for a good handle, then the truth', async () => {
    const emu = await emulator();
    emu.setFaults([
      ...[404, 409, 410, 500].map(
        (status, index): FaultRule => ({
          match: { route: 'vendor-f.poll', nth: index + 1 },
          action: { do: 'answer', status },
        }),
      ),
      { match: { route: '*.poll', nth: 5 }, action: { do: 'answer', status: 200, body: '<html></html>' } },
    ]);
    const name = String((await emu.post(SUBMIT, BODY)).json.name);
    const statuses: number[] = [];
    for (let count = 0; count < 6; count += 1) statuses.push((await emu.get(`${OPERATIONS}/${name}`)).status);
    expect(statuses).toEqual([404, 409, 410, 500, 200, 200]);
    expect(emu.truth().jobs[0]?.polls).toBe(6);
  });

  test('F37: an unknown word, a state that goes backwards, an end without URL', async () => {
    const emu = await emulator();
    const id = String(at((await emu.post('/v1/vendor-b/v3/videos', avatar)).json, 'data.video_id'));
    await eventually(() => emu.truth().jobs[0]?.state === 'succeeded');
    emu.setFaults([
      { match: { route: 'vendor-b.poll', nth: 1 }, action: { do: 'report-word', word: 'polishing' } },
      { match: { route: 'vendor-b.poll', nth: 2 }, action: { do: 'report-first-state' } },
      { match: { route: 'vendor-b.poll', nth: 3 }, action: { do: 'without-url' } },
    ]);
    const poll = async (): Promise<unknown> => (await emu.get(`/v1/vendor-b/v3/videos/${id}`)).json.data;
    expect(await poll()).toMatchObject({ status: 'polishing' });
    expect(['waiting', 'pending']).toContain(at(await poll(), 'status'));
    const third = await poll();
    expect(third).toMatchObject({ status: 'completed' });
    expect(third).not.toHaveProperty('video_url');
    expect(await poll()).toHaveProperty('video_url');
  });

  test('a rule for one job, by id or by handle, leaves others alone', async () => {
    const emu = await emulator();
    const names = [String((await emu.post(SUBMIT, BODY)).json.name), String((await emu.post(SUBMIT, BODY)).json.name)];
    emu.setFaults([
      { match: { route: '*.poll', jobId: emu.truth().jobs[1]?.id ?? '' }, action: { do: 'answer', status: 410 } },
    ]);
    expect((await emu.get(`${OPERATIONS}/${names[0]}`)).status).toBe(200);
    expect((await emu.get(`${OPERATIONS}/${names[1]}`)).status).toBe(410);
    emu.setFaults([{ match: { jobId: names[0] ?? '' }, action: { do: 'answer', status: 409 } }]);
    expect((await emu.get(`${OPERATIONS}/${names[0]}`)).status).toBe(409);
  });
});

describe('account reads', () => {
  test('F27, F28: an old balance, null, a string, noise, an error', async () => {
    const emu = await emulator();
    await emu.post('/v1/images/generations', { model: 'svc-delta-4', prompt: 'x' });
    emu.setFaults([
      { match: { route: 'credits', nth: 2 }, action: { do: 'show-old-balance', serviceSeconds: 600_000 } },
      { match: { route: 'credits', nth: 3 }, action: { do: 'show-balance', value: null } },
      { match: { route: 'credits', nth: 4 }, action: { do: 'show-balance', value: '99.95' } },
      { match: { route: 'credits', nth: 5 }, action: { do: 'add-balance-noise', amount: 1e-12 } },
      { match: { route: 'credits', nth: 6 }, action: { do: 'refuse', code: 'server_error' } },
    ]);
    const shown: unknown[] = [];
    for (let count = 0; count < 5; count += 1) shown.push((await emu.get('/v1/credits')).json.credits_remaining);
    expect(shown.slice(0, 4)).toEqual([99.95, 100, null, '99.95']);
    expect(shown[4]).not.toBe(99.95);
    expect(shown[4]).toBeCloseTo(99.95, 9);
    expect((await emu.get('/v1/credits')).status).toBe(500);
  });

  test('F29, F30: a top-up and someone else’s spending', async () => {
    const emu = await emulator();
    emu.topUp('20');
    emu.foreignSpend('0.123456789');
    expect((await emu.get('/v1/credits')).json.credits_remaining).toBe(119.876543211);
    expect(emu.truth().account.sums).toMatchObject({ topUpNano: 20_000_000_000, foreignSpendNano: 123_456_789 });
  });

  test('F31: a cached discount answer', async () => {
    const emu = await emulator();
    const effective_from = new Date(Date.now() - 1000).toISOString();
    emu.setDiscounts([{ entrypoint: 'svc', multiplier: 0.5, effective_from, effective_to: null }]);
    emu.setFaults([
      { match: { route: 'discounts', nth: 1 }, action: { do: 'show-old-discounts', serviceSeconds: 20_000 } },
    ]);
    expect((await emu.get('/v1/discounts')).json).toEqual({ discounts: [] });
    expect((await emu.get('/v1/discounts')).json.discounts).toHaveLength(1);
  });
});

describe('the connection', () => {
  test('F1: refused while the emulator is paused; time and jobs go on', async () => {
    const emu = await emulator();
    const name = String((await emu.post(SUBMIT, BODY)).json.name);
    await emu.pause();
    await expect(emu.get('/v1/credits')).rejects.toThrow();
    await eventually(() => emu.truth().jobs[0]?.state === 'succeeded');
    await emu.resume();
    expect((await emu.get(`${OPERATIONS}/${name}`)).json.done).toBe(true);
  });

  test('a connection that is reset or closed as soon as it is accepted', async () => {
    const emu = await emulator({
      faults: [
        { match: { route: 'connection', nth: 1 }, action: { do: 'reset-unread' } },
        { match: { route: 'connection', nth: 2 }, action: { do: 'close-unread' } },
      ],
    });
    expect((await rawPost(emu, SUBMIT, BODY)).end).toBe('reset');
    expect(await rawPost(emu, SUBMIT, BODY)).toEqual({ text: '', end: 'fin' });
    expect(emu.truth().requests).toHaveLength(0);
    expect((await emu.get('/v1/credits')).status).toBe(200);
  });
});
