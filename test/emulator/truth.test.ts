import { describe, expect, test } from 'vitest';
import { type EmulatorOptions, parsePriceRules, startEmulator } from '../../emulator/emulator.js';
import { at, emulator, eventually, type Json, pollUntil } from './harness.js';

const SUBMIT = '/v1/vendor-f/v1beta/models/vendor-f-3.1-lite-generate-preview:predictLongRunning';
const BODY: Json = { instances: [{ prompt: 'x' }], parameters: { durationSeconds: 4 } };
const IMAGE: Json = { model: 'svc-delta-4', prompt: 'x' };

describe('the ground truth', () => {
  test('lists requests, jobs with their bodies and outputs, money and maxima', async () => {
    const lines: string[] = [];
    const emu = await emulator({ verbose: (line) => lines.push(line) });
    const long = 'z'.repeat(5000);
    await emu.post(
      '/v1/images/generations',
      { ...IMAGE, prompt: long },
      {
        'x-api-key': 'sk-svc-emulator',
        'user-agent': 'a/1',
        'content-type': 'application/json',
        'x-client-reference': 'row-7',
      },
    );
    const truth = emu.truth();
    expect(truth.requests[0]).toMatchObject({ method: 'POST', route: 'svc.image', status: 200, jobId: 'call-000001' });
    expect(truth.jobs[0]).toMatchObject({
      type: 'call',
      kind: 'svc/image',
      state: 'succeeded',
      clientReference: 'row-7',
    });
    expect(at(truth.jobs[0], 'body.prompt')).toMatch(/^sha256:[0-9a-f]{64}:5000$/);
    expect(truth.account.balance).toMatchObject({ start: '100', now: '99.95' });
    expect(truth.account.maxima.jobsAtOnce).toBe(1);
    await eventually(() => lines.length === 1);
    expect(lines[0]).toContain('POST /v1/images/generations 200');
  });

  test('keeps how a job was polled; an early poll and one after the end are violations', async () => {
    const emu = await emulator({ speed: 5 });
    emu.setFaults([{ match: { route: '*.submit' }, action: { do: 'render-seconds', serviceSeconds: 4 } }]);
    const path = `/v1/vendor-f/v1beta/operations/${String((await emu.post(SUBMIT, BODY)).json.name)}`;
    await emu.get(path);
    await pollUntil(
      () => emu.get(path),
      (json) => json.done === true,
    );
    expect(emu.truth().jobs[0]?.pollsAfterTerminal).toBe(0);
    await emu.get(path);
    expect(emu.truth().jobs[0]?.pollsAfterTerminal).toBe(1);
    expect(emu.truth().violationCounts).toMatchObject({ poll_early: 1, poll_after_terminal: 1 });
  });

  test('the endpoints are closed unless control is on', async () => {
    const closed = await emulator();
    expect((await closed.get('/_truth')).status).toBe(404);
    expect((await closed.post('/_control/top-up', { credits: '5' })).status).toBe(404);
  });

  test('GET /_truth gives everything, or a section, since an instant, in pages', async () => {
    const emu = await emulator({ control: true });
    for (let count = 0; count < 5; count += 1) await emu.post('/v1/images/generations', IMAGE);
    expect((await emu.get('/_truth')).json.jobs).toHaveLength(5);
    const page = (await emu.get('/_truth?section=jobs&limit=2&offset=4')).json;
    expect(page).toMatchObject({ total: 5, items: [{ id: 'call-000005' }] });
    const { createdMs } = emu.truth().jobs[3] ?? { createdMs: 0 };
    expect((await emu.get(`/_truth?section=requests&since=${createdMs}`)).json.total).toBe(1);
    expect((await emu.get('/_truth?section=summary')).json).toMatchObject({ jobs: 5, states: { succeeded: 5 } });
    expect((await emu.get('/_truth?section=other')).status).toBe(400);
  });

  test('each control endpoint does what it says; a wrong body is 400 with a sentence', async () => {
    const emu = await emulator({ control: true });
    const control = async (name: string, body: unknown): Promise<number> =>
      (await emu.post(`/_control/${name}`, body)).status;
    expect(await control('top-up', { credits: '20' })).toBe(200);
    expect(await control('foreign-spend', { credits: '1' })).toBe(200);
    expect(emu.truth().account.balance.now).toBe('119');
    expect(await control('plan', { plan: 'free' })).toBe(200);
    expect(emu.truth().account.plan).toBe('free');
    expect(await control('limits', { concurrent: 2 })).toBe(200);
    expect(emu.truth().account.caps.concurrent).toBe(2);
    expect(await control('foreign-jobs', { count: 2 })).toBe(200);
    expect((await emu.post(SUBMIT, BODY)).status).toBe(429);
    expect(await control('foreign-jobs', { count: 0 })).toBe(200);
    expect(await control('restricted-models', { models: ['svc-delta-4'] })).toBe(200);
    expect((await emu.post('/v1/images/generations', IMAGE)).status).toBe(403);
    expect(await control('balance-lag', { serviceSeconds: 10 })).toBe(200);
    const from = '2020-01-01T00:00:00Z';
    const discounts = [{ entrypoint: 'svc', multiplier: 0.5, effective_from: from, effective_to: null }];
    expect(await control('discounts', { discounts })).toBe(200);
    expect((await emu.get('/v1/discounts')).json.discounts).toHaveLength(1);
    expect(await control('faults', [{ match: { route: 'credits' }, action: { do: 'answer', status: 500 } }])).toBe(200);
    expect((await emu.get('/v1/credits')).status).toBe(500);
    expect(await control('faults', { faults: [] })).toBe(200);
    const rotated = await emu.post('/_control/rotate-key', { key: 'sk-svc-emulator' });
    expect((await emu.get('/v1/credits', { 'x-api-key': String(rotated.json.key) })).status).toBe(200);
    expect(await control('keys', { keys: [{ key: 'sk-svc-new', state: 'active' }] })).toBe(200);
    expect((await emu.get('/v1/credits')).status).toBe(401);
    for (const [name, body] of [
      ['faults', [{ match: {}, action: { do: 'explode' } }]],
      ['plan', { plan: 'gold' }],
      ['top-up', { credits: 5 }],
      ['other', {}],
    ] as const) {
      expect(await control(name, body), name).toBe(400);
    }
  });
});

describe('money', () => {
  test('start less end is what was charged, to the digit, over mixed work', async () => {
    const emu = await emulator({ failRate: 0.3, seed: 5, plan: 'enterprise' });
    const image = { model: 'svc-alpha.2-klein-4b', prompt: 'x', width: 1000, height: 999 };
    for (let count = 0; count < 8; count += 1) {
      await emu.post(SUBMIT, BODY);
      await emu.post('/v1/images/generations', { ...image, tier: 'radical_value', seed: count });
      await emu.post('/v1/vendor-a/videos/text2video', { prompt: 'x', duration: '7' });
    }
    await eventually(() => emu.truth().account.running === 0);
    const { account, jobs } = emu.truth();
    const paid = jobs.reduce((sum, job) => sum + job.chargedNano - job.refundedNano, 0);
    expect(account.balance.startNano - account.balance.nowNano).toBe(paid);
    expect(account.sums.chargedNano - account.sums.refundedNano).toBe(paid);
    for (const job of jobs) {
      if (job.state === 'failed') expect(job.chargedNano - job.refundedNano).toBe(0);
      else expect(job.chargedNano).toBe(job.expectedNano);
    }
    expect(new Set(jobs.map((job) => job.state))).toEqual(new Set(['failed', 'succeeded']));
    // 0.999 megapixels at 0.0006 credits.
    expect(jobs.find((job) => job.kind === 'svc/image' && job.state === 'succeeded')?.chargedNano).toBe(599_400);
  });

  test('delta is billed by step count, other models per megapixel and tier (service document 1, "Billing basis")', async () => {
    const emu = await emulator();
    for (const change of [{ steps: 12 }, { steps: 20 }, { steps: 48 }, {}]) {
      await emu.post('/v1/images/generations', { ...IMAGE, ...change });
    }
    expect(emu.truth().jobs.map((job) => job.chargedNano / 1e6)).toEqual([20, 30, 50, 50]);
  });

  test('the same seed gives the same renders, whatever the order of the rows', async () => {
    const run = async (order: string[]): Promise<Map<unknown, string>> => {
      const emu = await emulator({ seed: 9, failRate: 0.5 });
      for (const prompt of order) await emu.post(SUBMIT, { instances: [{ prompt }] });
      await eventually(() => emu.truth().account.running === 0);
      return new Map(emu.truth().jobs.map((job) => [at(job.body, 'instances.0.prompt'), job.state]));
    };
    const prompts = ['a', 'b', 'c', 'd', 'e', 'f'];
    expect(await run([...prompts].reverse())).toEqual(new Map([...(await run(prompts))].reverse()));
  });

  test('expected charges of running work are set aside, so what was accepted can be paid', async () => {
    const emu = await emulator({ balanceCredits: '1' });
    emu.setFaults([{ match: { route: '*.submit' }, action: { do: 'never-ends' } }]);
    const submit = (): ReturnType<typeof emu.post> => emu.post('/v1/vendor-a/videos/text2video', { prompt: 'x' });
    expect([(await submit()).status, (await submit()).status, (await submit()).status]).toEqual([200, 200, 402]);
  });

  test('prices of the options come before the default ones', async () => {
    const emu = await emulator({
      prices: [{ kind: 'svc/image', model: 'svc-delta-4', steps: 48, components: [{ unit: 'image', credits: '1.5' }] }],
    });
    await emu.post('/v1/images/generations', IMAGE);
    expect(emu.truth().account.balance.now).toBe('98.5');
  });
});

describe('options', () => {
  const wrong: [EmulatorOptions, RegExp][] = [
    [{ speed: 0 }, /speed/],
    [{ plan: 'gold' as never }, /unknown plan/],
    [{ balanceCredits: '1,5' }, /not an amount/],
    [{ failRate: 2 }, /failRate/],
    [{ chargeAt: { 'vendor-x': 'submit' } as never }, /unknown family/],
    [{ prices: [{ kind: 'svc/image', components: [{ unit: 'image', credits: 'free' }] }] }, /price rule 0/],
    [{ keys: [{ key: 'sk-svc-a', state: 'lost' as never }] }, /key 1: 'state' must be one of active/],
  ];
  test.each(wrong)('%j is refused with a sentence', async (options, says) => {
    await expect(startEmulator(options)).rejects.toThrow(says);
  });

  test('a port that is taken is said so', async () => {
    const emu = await emulator();
    await expect(startEmulator({ port: emu.port })).rejects.toThrow(`port ${emu.port} of 127.0.0.1 is in use`);
  });

  test('unknown units are refused', () => {
    expect(() => parsePriceRules([{ kind: 'svc/image', components: [{ unit: 'pixel', credits: '1' }] }])).toThrow(
      /unit/,
    );
  });
});
