import { describe, expect, test } from 'vitest';
import { at, emulator } from './harness.js';

const IMAGE = { model: 'svc-delta-4', prompt: 'a sign', steps: 48 };

describe('GET /v1/credits (service document 1, "Credit account")', () => {
  test.each([
    ['free', 60, 5],
    ['pro', 200, 10],
    ['enterprise', 600, 20],
  ] as const)('the %s plan has %i requests per minute and %i simultaneous jobs', async (plan, rpm, concurrent) => {
    const emu = await emulator({ plan, speed: 1, balanceCredits: '12.3456' });
    const reply = await emu.get('/v1/credits');
    expect(reply.json).toEqual({
      credits_remaining: 12.3456,
      plan_level: plan,
      rpm_limit: rpm,
      concurrent_limit: concurrent,
    });
  });

  test('speed multiplies the requests per minute and never the simultaneous jobs', async () => {
    const emu = await emulator({ plan: 'pro', speed: 60 });
    expect((await emu.get('/v1/credits')).json).toMatchObject({ rpm_limit: 12_000, concurrent_limit: 10 });
  });

  test('a balance that lags shows what it was, until the lag has passed', async () => {
    const emu = await emulator({ balanceLagSeconds: 3600 });
    await emu.post('/v1/images/generations', IMAGE);
    expect(at((await emu.get('/v1/credits')).json, 'credits_remaining')).toBe(100);
    expect(emu.truth().account.balance.now).toBe('99.95');
    emu.setBalanceLag(0);
    expect(at((await emu.get('/v1/credits')).json, 'credits_remaining')).toBe(99.95);
  });

  test('a plan changes while the service runs', async () => {
    const emu = await emulator({ speed: 1 });
    emu.setPlan('free');
    expect((await emu.get('/v1/credits')).json).toMatchObject({
      plan_level: 'free',
      rpm_limit: 60,
      concurrent_limit: 5,
    });
    expect(emu.truth().account.capChanges.map((caps) => caps.concurrent)).toEqual([10, 5]);
  });
});

describe('GET /v1/discounts (service document 1, "Discount" and "States and transitions")', () => {
  test('only active discounts are shown, sorted by entrypoint; the end is exclusive', async () => {
    const nowMs = Date.now();
    const iso = (offsetMs: number): string => new Date(nowMs + offsetMs).toISOString();
    const emu = await emulator({
      discounts: [
        { entrypoint: 'vendor-f', multiplier: 0.8, effective_from: iso(-10_000), effective_to: null },
        { entrypoint: 'svc', multiplier: 0.5, effective_from: iso(-10_000), effective_to: iso(3_600_000) },
        { entrypoint: 'vendor-a', multiplier: 0.9, effective_from: iso(3_600_000), effective_to: null },
        { entrypoint: 'vendor-b', multiplier: 0.9, effective_from: iso(-20_000), effective_to: iso(-1) },
      ],
    });
    const { json } = await emu.get('/v1/discounts');
    expect(json).toMatchObject({
      discounts: [
        { entrypoint: 'svc', multiplier: 0.5 },
        { entrypoint: 'vendor-f', multiplier: 0.8, effective_to: null },
      ],
    });
    expect(at(json, 'discounts.0.effective_from')).toMatch(/\+00:00$/);
  });

  test('no active discount is 200 with an empty array', async () => {
    const emu = await emulator();
    expect((await emu.get('/v1/discounts')).json).toEqual({ discounts: [] });
  });

  test('a discount multiplies the charge of its entrypoint alone', async () => {
    const emu = await emulator();
    await emu.post('/v1/images/generations', IMAGE);
    emu.setDiscounts([
      { entrypoint: 'svc', multiplier: 0.85, effective_from: '2020-01-01T00:00:00+00:00', effective_to: null },
    ]);
    await emu.post('/v1/images/generations', IMAGE);
    expect(emu.truth().jobs.map((job) => job.chargedNano)).toEqual([50_000_000, 42_500_000]);
  });

  test('two discounts of one entrypoint may follow each other and not overlap', async () => {
    const emu = await emulator();
    const first = { entrypoint: 'svc', multiplier: 0.5, effective_from: '2020-01-01T00:00:00Z' } as const;
    const end = '2021-01-01T00:00:00Z';
    emu.setDiscounts([
      { ...first, effective_to: end },
      { ...first, effective_from: end, effective_to: null },
    ]);
    expect(() =>
      emu.setDiscounts([
        { ...first, effective_to: null },
        { ...first, effective_to: end },
      ]),
    ).toThrow(/overlap/);
  });

  test('1-E3: "entrypoints at list price have no row" (service document 1, "Discount")', async () => {
    const emu = await emulator();
    const row = { entrypoint: 'svc', effective_from: '2020-01-01T00:00:00Z', effective_to: null } as const;
    expect(() => emu.setDiscounts([{ ...row, multiplier: 1 }])).toThrow(/list price has no row/);
  });
});

describe('GET voices (service document 2, "Avatar video job")', () => {
  test('lists voices with id, language and gender', async () => {
    const emu = await emulator();
    const voices = at((await emu.get('/v1/vendor-b/v3/voices')).json, 'data.voices') as Record<string, unknown>[];
    expect(voices.length).toBeGreaterThan(0);
    for (const voice of voices) {
      expect(Object.keys(voice).sort()).toEqual(['gender', 'language', 'voice_id']);
    }
  });
});

describe('accounts by key', () => {
  test('each account has its own balance, slots and request count', async () => {
    const emu = await emulator({
      keys: [
        { key: 'sk-svc-emulator', state: 'active' },
        { key: 'sk-svc-second', state: 'active', account: 'second' },
      ],
    });
    await emu.post('/v1/images/generations', IMAGE);
    const second = await emu.get('/v1/credits', { 'x-api-key': 'sk-svc-second' });
    expect(second.json.credits_remaining).toBe(100);
    expect(Object.keys(emu.truth().accounts)).toEqual(['default', 'second']);
  });
});
