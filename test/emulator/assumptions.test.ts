// What the documents do not show: calm by default, drawn from a seed, given one by one (design 3, "Assumptions are
// drawn, never shared").
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { FAMILIES, type Family } from '../../emulator/model/assumptions.js';
import { ASSUMPTION_NAMES, drawAssumptions, resolveAssumptions } from '../../emulator/model/drawn-assumptions.js';
import { createRandom } from '../../emulator/model/random.js';
import { settingAt } from '../../src/config/settings.js';
import { at, emulator, eventually, type Json, png, type TestEmulator } from './harness.js';
import { GOOD_SUBMITS } from './submits.js';

const IMAGES = '/v1/images/generations';
const IMAGE: Json = { model: 'svc-delta-4', prompt: 'x', response_format: 'url' };
const VIDEOS = '/v1/vendor-a/videos/text2video';
const SEEDS = Array.from({ length: 400 }, (_, index) => resolveAssumptions({ seed: index }));

describe('drawn from a seed', () => {
  test('the same seed draws the same, other seeds draw others', () => {
    expect(resolveAssumptions({ seed: 7 })).toEqual(resolveAssumptions({ seed: 7 }));
    expect(new Set(SEEDS.map((drawn) => JSON.stringify(drawn))).size).toBe(400);
  });

  test('what the documents say is never drawn otherwise', () => {
    for (const { chargeAt, clipFramesOff } of SEEDS) {
      // "reserved at submit", "billed by `duration`", "known at completion" (service document 2).
      expect([chargeAt['vendor-f'], chargeAt['vendor-b'], chargeAt['vendor-d']]).toEqual([
        'submit',
        'completion',
        'completion',
      ]);
      // "by a fraction of a second" (service document 1), at 24 frames per second.
      expect(clipFramesOff).toBeLessThan(24);
    }
  });

  test('every moment of charging occurs for the families whose moment is not shown', () => {
    for (const family of ['svc/image', 'svc/clip', 'vendor-a', 'vendor-c', 'vendor-f/interaction'] as const) {
      expect(new Set(SEEDS.map(({ chargeAt }) => chargeAt[family])).size, family).toBe(3);
    }
  });

  test.each([
    ['an image', 900, ({ renderSeconds }) => renderSeconds['svc/image'][1]],
    ['a film', 3600, ({ renderSeconds }) => renderSeconds['vendor-a'][1]],
    ['vendor-f', 1800, ({ renderSeconds }) => renderSeconds['vendor-f'][1]],
    ['seconds of rendering per second of speech', 20, ({ avatarSecondsPerSecond }) => avatarSecondsPerSecond[1]],
    ['a refund', 1800, ({ refundSeconds }) => refundSeconds[1]],
    ['the balance', 120, ({ balanceLagSeconds }) => balanceLagSeconds],
    ['a late creation', 180, ({ lateCreationSeconds }) => lateCreationSeconds[1]],
  ] as [string, number, (drawn: (typeof SEEDS)[number]) => number][])(
    '%s reaches %d and no more',
    (_what, edge, of) => {
      expect(Math.max(...SEEDS.map(of))).toBe(edge);
    },
  );

  test('a client that bears less, or more, is met at its own edges', () => {
    const renderSeconds = Object.fromEntries(FAMILIES.map((family) => [family, 5_000])) as Record<Family, number>;
    const edges = { balanceLagSeconds: 30, lateCreationSeconds: 600, refundSeconds: 120, renderSeconds };
    const drawn = Array.from({ length: 100 }, (_, seed) => drawAssumptions(seed, edges));
    const most = (of: (one: (typeof drawn)[number]) => number): number => Math.max(...drawn.map(of));
    expect(most(({ balanceLagSeconds }) => balanceLagSeconds)).toBe(30);
    expect(most(({ lateCreationSeconds }) => lateCreationSeconds[1])).toBe(600);
    expect(most(({ refundSeconds }) => refundSeconds[1])).toBe(120);
    expect(most((one) => one.renderSeconds['vendor-a'][1])).toBe(5_000);
    expect(most(({ avatarSeconds }) => avatarSeconds[1])).toBe(5_000);
  });

  test('a time within a range is as often either end as between', () => {
    const random = createRandom(1, 'range');
    const times = Array.from({ length: 300 }, () => random.within([10, 20]));
    for (const end of [10, 20]) expect(times.filter((time) => time === end).length).toBeGreaterThan(70);
    expect(times.every((time) => time >= 10 && time <= 20)).toBe(true);
  });

  test('a value that is given stands, whatever the seed', () => {
    const { seed, ...given } = { seed: 3, balanceDecimals: 4, chargeAt: { 'vendor-a': 'submit' } } as const;
    expect(resolveAssumptions({ seed, ...given })).toMatchObject(given);
    expect(() => resolveAssumptions({ balanceLag: 3 } as never)).toThrow(
      /unknown assumption 'balanceLag'; known: seed, /,
    );
    expect(() => resolveAssumptions({ chargeAt: { svc: 'submit' } } as never)).toThrow(/unknown family 'svc'/);
  });

  test('every seed serves every family to its end, and its money adds up', async () => {
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const emu = await emulator({ speed: 100_000, assumptions: { seed }, plan: 'enterprise', failRate: 0.3, seed });
      await Promise.all(GOOD_SUBMITS.map(({ path, body }) => emu.post(path, body)));
      await emu.post(IMAGES, IMAGE);
      await eventually(() => emu.truth().jobs.every((job) => job.terminalMs !== undefined && isPaid(job)));
      const { account, jobs } = emu.truth();
      expect(jobs).toHaveLength(GOOD_SUBMITS.length + 1);
      const spent = jobs.reduce((sum, job) => sum + job.chargedNano - job.refundedNano, 0);
      expect(account.balance.startNano - account.balance.nowNano).toBe(spent);
    }
  });
});

type Job = ReturnType<TestEmulator['truth']>['jobs'][number];

function isPaid({ state, chargedNano, refundedNano }: Job): boolean {
  return state === 'succeeded' ? chargedNano > 0 : chargedNano === refundedNano;
}

describe('money', () => {
  test('charged within the render: after the submit and before the end', async () => {
    const emu = await emulator({ chargeAt: { 'vendor-a': 'between' } });
    await emu.post(VIDEOS, { prompt: 'x' });
    await eventually(() => emu.truth().jobs[0]?.state === 'succeeded');
    const { createdMs = 0, chargedMs = 0, terminalMs = 0 } = emu.truth().jobs[0] ?? {};
    expect(createdMs < chargedMs && chargedMs < terminalMs).toBe(true);
    expect(emu.truth().account.money.filter(({ kind }) => kind === 'charge')).toHaveLength(1);
  });

  test('"a failure after deduction is refunded automatically" (document 1, Errors), late', async () => {
    const assumptions = { chargeAt: { 'svc/image': 'submit' }, refundSeconds: [600, 600] } as const;
    const emu = await emulator({ failRate: 1, assumptions });
    expect((await emu.post(IMAGES, IMAGE)).status).toBe(500);
    expect(emu.truth().account.balance.now).toBe('99.95');
    await eventually(() => emu.truth().account.balance.now === '100');
    const { terminalMs = 0, refundedMs = 0 } = emu.truth().jobs[0] ?? {};
    expect(refundedMs - terminalMs).toBeGreaterThanOrEqual(299);
  });

  test('a call that failed may have been charged before, and has its credits back', async () => {
    const emu = await emulator({ failRate: 1, assumptions: { failedCallsDeducted: 1 } });
    expect((await emu.post(IMAGES, IMAGE)).status).toBe(500);
    const [job] = emu.truth().jobs;
    expect([job?.chargedNano, job?.refundedNano]).toEqual([50_000_000, 50_000_000]);
    expect(job?.chargedMs).toBeLessThan(job?.terminalMs ?? 0);
    expect(emu.truth().account.balance.now).toBe('100');
  });

  test('tokens of vendor-d that are counted otherwise are billed and told as they are counted', async () => {
    const emu = await emulator({ assumptions: { tokenFactor: [2, 2] } });
    const path = '/v1/vendor-d/contents/generations/tasks';
    const content = [{ type: 'text', text: 'x' }];
    const { json } = await emu.post(path, { model: 'vendor-d-2-5-260628', content });
    await eventually(() => emu.truth().jobs[0]?.state === 'succeeded');
    const tokens = (2 * 1280 * 720 * 24 * 5) / 1024;
    expect(at((await emu.get(`${path}/${json.id}`)).json, 'usage.completion_tokens')).toBe(tokens);
    expect(emu.truth().jobs[0]?.chargedNano).toBe(tokens * 4_000);
  });

  test('copies of their own age answer: reads go backwards and agree in the end', async () => {
    const emu = await emulator({ speed: 100, assumptions: { balanceLagSeconds: 60, balanceReads: 'stale' } });
    for (let count = 0; count < 8; count += 1) await emu.post(IMAGES, IMAGE);
    const shown: number[] = [];
    const read = async (): Promise<number> => Number((await emu.get('/v1/credits')).json.credits_remaining);
    for (let count = 0; count < 40; count += 1) shown.push(await read());
    expect(shown.some((value, index) => value > (shown[index - 1] ?? value))).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect([await read(), await read()]).toEqual([99.6, 99.6]);
  });

  test('movements show in an order of their own', async () => {
    const emu = await emulator({ speed: 100, assumptions: { balanceLagSeconds: 60, balanceReads: 'scattered' } });
    for (let count = 1; count <= 20; count += 1) emu.foreignSpend(`0.${String(count).padStart(3, '0')}`);
    const seen = new Set<number>();
    await eventually(async () => {
      seen.add(Math.round((100 - Number((await emu.get('/v1/credits')).json.credits_remaining)) * 1000));
      return seen.has(210);
    });
    // In the order of the spending every sum would be 1, 3, 6, 10, …
    const inOrder = Array.from({ length: 21 }, (_, count) => (count * (count + 1)) / 2);
    expect([...seen].some((sum) => !inOrder.includes(sum))).toBe(true);
  });

  test.each([
    ['nearest', 99.95],
    ['down', 99.94],
    ['up', 99.95],
  ] as const)('a balance of two decimals, rounded %s', async (rounding, shown) => {
    const emu = await emulator({ assumptions: { balanceDecimals: 2, rounding } });
    emu.foreignSpend('0.0543');
    expect((await emu.get('/v1/credits')).json.credits_remaining).toBe(shown);
    expect(emu.truth().account.balance.now).toBe('99.9457');
  });

  test('a clip differs "by a fraction of a second" and is billed by what it is; its seed gives it again', async () => {
    const emu = await emulator({ assumptions: { clipFramesOff: 20 } });
    const clip = { model: 'svc-epsilon-2.5-video', prompt: 'x', duration: 4, response_format: 'url' };
    const frames: number[] = [];
    for (const seed of [1, 2, 3, 1]) {
      const reply = await emu.post('/v1/video/generations', { ...clip, seed });
      frames.push(Number(at(reply.json, 'data.0.frames')));
      expect(at(reply.json, 'data.0.duration')).toBe((frames.at(-1) ?? 0) / 24);
    }
    expect(new Set(frames).size).toBe(3);
    expect(frames[3]).toBe(frames[0]);
    for (const [index, job] of emu.truth().jobs.entries()) {
      const exact = ((frames[index] ?? 0) / 24) * 40_000_000;
      expect(Math.abs(job.chargedNano - exact)).toBeLessThan(100);
    }
  });

  test('1-A1: what a megapixel is', async () => {
    const emu = await emulator({ assumptions: { megapixelPixels: 1_048_576 } });
    await emu.post(IMAGES, { model: 'svc-alpha.2-klein-4b', prompt: 'x', width: 1024, height: 1024 });
    expect(emu.truth().jobs[0]?.chargedNano).toBe(1_000_000);
  });

  test.each([
    [1024 * 1024, 200],
    [1_000_000, 400],
  ])('1-D9: "at most 10 MB" of 10,400,000 bytes where a megabyte is %i bytes', async (megabyteBytes, status) => {
    const emu = await emulator({ assumptions: { megabyteBytes } });
    const source = Buffer.concat([await png(64, 64), Buffer.alloc(10_300_000)]).toString('base64');
    const body = { model: 'svc-beta-image-edit-2511', prompt: 'x', width: 64, height: 64 };
    const reply = await emu.post('/v1/images/edits', { ...body, url: `data:image/png;base64,${source}` });
    expect(reply.status).toBe(status);
    expect(emu.truth().jobs).toHaveLength(status === 200 ? 1 : 0);
  });

  test('reference clips that cannot be seen are billed by a length that no cell shows (document 2, Limits)', async () => {
    const emu = await emulator({ assumptions: { unseenReferenceSeconds: [2, 15] }, plan: 'enterprise' });
    for (const name of ['a', 'b', 'c']) {
      const clip = { type: 'video_url', role: 'reference_video', video_url: { url: `https://x.example/${name}.mp4` } };
      const content = [{ type: 'text', text: 'x' }, clip];
      expect(
        (await emu.post('/v1/vendor-e/v2/video_generation', { model: 'Vendor-E-H3', duration: 4, content })).status,
      ).toBe(200);
    }
    expect(new Set(emu.truth().jobs.map((job) => job.expectedNano)).size).toBe(3);
  });
});

describe('time', () => {
  test.each([
    [false, [429, 429, 200]],
    [true, [429, 429, 429]],
  ])('1-A1: a request that was answered 429 counts: %s', async (refusedRequestsCount, statuses) => {
    const emu = await emulator({ assumptions: { refusedRequestsCount } });
    emu.setLimits({ rpm: 2 });
    for (let count = 0; count < 2; count += 1) await emu.get('/v1/credits');
    const answered = [(await emu.get('/v1/credits')).status, (await emu.get('/v1/credits')).status];
    // The cap grows by one: with two refusals counted the window still holds more than it.
    emu.setLimits({ rpm: 3 });
    expect([...answered, (await emu.get('/v1/credits')).status]).toEqual(statuses);
  });

  test('"Avatar render time scales with clip length" (document 2, Limits)', async () => {
    const emu = await emulator({ assumptions: { avatarSecondsPerSecond: [10, 10], avatarSeconds: [5, 5] } });
    const avatar = { type: 'avatar', avatar_id: 'a', engine: { type: 'avatar_v' }, voice_id: 'v-amber-en' };
    await emu.post('/v1/vendor-b/v3/videos', { ...avatar, script: 'word '.repeat(300) });
    await eventually(() => emu.truth().jobs[0]?.terminalMs !== undefined);
    const { createdMs = 0, terminalMs = 0 } = emu.truth().jobs[0] ?? {};
    // 1,499 characters at 15 a second, ten seconds of rendering each, 2,000 times as fast.
    expect(terminalMs - createdMs).toBeGreaterThanOrEqual(495);
  });

  test('F7: a job that is created late, at a time that the fault does not name', async () => {
    const emu = await emulator({
      assumptions: { lateCreationSeconds: [400, 400] },
      faults: [{ match: { route: 'vendor-a.submit' }, action: { do: 'create-late', answer: 'bad_gateway' } }],
    });
    expect((await emu.post(VIDEOS, { prompt: 'x' })).status).toBe(502);
    expect(emu.truth().jobs).toHaveLength(0);
    await eventually(() => emu.truth().jobs.length === 1);
    const { createdMs = 0, request } = emu.truth().jobs[0] ?? {};
    expect(createdMs - (request?.arrivedMs ?? 0)).toBeGreaterThanOrEqual(200);
  });
});

describe('the ground truth', () => {
  test('tells of each assumption, and of each attempt: created, charged, refunded, how it was answered', async () => {
    const emu = await emulator({
      control: true,
      assumptions: { seed: 5 },
      failRate: 1,
      chargeAt: { 'vendor-a': 'submit' },
    });
    await emu.post(VIDEOS, { prompt: 'x' });
    await eventually(() => emu.truth().jobs[0]?.refundedMs !== undefined);
    const { jobs, assumptions } = (await emu.get('/_truth')).json as { jobs: Json[]; assumptions: Json };
    expect(Object.keys(assumptions).sort()).toEqual([...ASSUMPTION_NAMES].sort());
    expect(jobs[0]).toMatchObject({
      createdMs: expect.any(Number),
      chargedMs: expect.any(Number),
      refundedMs: expect.any(Number),
      request: { status: 200, ending: 'answered' },
    });
  });

  test('2-D4: judges the cadence of polls: "every 5 seconds … back off to 30 seconds" (document 2)', async () => {
    const emu = await emulator({ speed: 30, faults: [{ match: { route: '*.submit' }, action: { do: 'never-ends' } }] });
    const handle = String(at((await emu.post(VIDEOS, { prompt: 'x' })).json, 'data.task_id'));
    const pollAfter = async (ms: number): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, ms));
      await emu.get(`${VIDEOS}/${handle}`);
    };
    for (const ms of [180, 180, 0, 1400]) await pollAfter(ms);
    expect(emu.truth().violationCounts).toEqual({ poll_dense: 1 });
    expect(emu.truth().jobs[0]?.longPollGaps).toBe(1);
  });

  test('a long gap after a poll that was answered 5xx is none', async () => {
    const emu = await emulator({
      speed: 50,
      faults: [
        { match: { route: '*.submit' }, action: { do: 'never-ends' } },
        { match: { route: '*.poll', nth: 1 }, action: { do: 'answer', status: 503 } },
      ],
    });
    const handle = String(at((await emu.post(VIDEOS, { prompt: 'x' })).json, 'data.task_id'));
    for (const ms of [110, 1000]) {
      await new Promise((resolve) => setTimeout(resolve, ms));
      await emu.get(`${VIDEOS}/${handle}`);
    }
    expect(emu.truth().jobs[0]).toMatchObject({ polls: 2, longPollGaps: 0 });
  });
});

describe('docs/assumptions.md', () => {
  const page = readFileSync('docs/assumptions.md', 'utf8');

  test('has each assumption of the emulator', () => {
    expect(ASSUMPTION_NAMES.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  test('names places and settings that exist', () => {
    const places = [...page.matchAll(/`(src\/[^`]+)`/g)].map(([, path = '']) => path);
    expect(places.filter((path) => !existsSync(path))).toEqual([]);
    const named = [...page.matchAll(/`(waits\.\w+)[`:]/g)].map(([, name = '']) => name);
    expect(named.filter((name) => settingAt(name) === undefined)).toEqual([]);
  });
});
