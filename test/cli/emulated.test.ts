// Commands that need the service but no engine, against the emulator.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../emulator/emulator.js';
import { KINDS } from '../../src/kinds/facts.js';
import { cli, workFolder } from './harness.js';

const KEY = 'sk-svc-emulator';
let emulator: Emulator;
let cwd: string;

beforeAll(async () => {
  emulator = await startEmulator({ balanceCredits: '12.5' });
});
afterAll(() => emulator.close());
beforeEach(() => {
  cwd = workFolder();
  writeFileSync(
    join(cwd, 'shots.csv'),
    'id,kind,group,model,prompt,width,height\n' +
      'a,svc/image,day,svc-alpha.2-klein-4b,a boat,1000,1000\n' +
      'b,svc/image,night,svc-alpha.2-klein-4b,a boat,1000,2000\n',
  );
});

const run = (args: string[], more: NodeJS.ProcessEnv = {}) =>
  cli(args, { cwd, env: { CALLSHEET_BASE_URL: emulator.url, CALLSHEET_API_KEY: KEY, ...more } });

describe('the account', () => {
  test('credits', async () => {
    expect(await run(['credits'])).toEqual({
      exitCode: 0,
      stdout: 'balance   12.5 credits\nplan      pro\ncaps      10 jobs at once, 200 requests per minute\n',
      stderr: '',
    });
    expect(JSON.parse((await run(['credits', '--json'])).stdout)).toEqual({
      schema: 1,
      account: `rehearsal-${emulator.port}`,
      credits: '12.5',
      plan: 'pro',
      rpm: 200,
      concurrent: 10,
    });
  });

  test('discounts and voices', async () => {
    emulator.setDiscounts([
      { entrypoint: 'svc', multiplier: 0.8, effective_from: '2020-01-01T00:00:00Z', effective_to: null },
    ]);
    expect((await run(['discounts'])).stdout).toMatch(
      /^entrypoint +off +from +until\nsvc +20 % +2020-01-01T00:00:00\.000Z +open\n$/,
    );
    emulator.setDiscounts([]);
    expect((await run(['discounts'])).stderr).toContain('no active discount');
    const { voices } = JSON.parse((await run(['voices', '--json'])).stdout);
    expect(voices.length).toBeGreaterThan(0);
    expect(voices[0]).toHaveProperty('voiceId');
  });

  test('a key that is refused: exit 4, and not shown', async () => {
    const { exitCode, stderr } = await run(['credits'], { CALLSHEET_API_KEY: 'sk-svc-unknown-1' });
    expect([exitCode, stderr]).toEqual([
      4,
      expect.stringMatching(/does not accept the API key \(HTTP 401 invalid_api_key/),
    ]);
    expect(stderr).not.toContain('unknown-1');
  });
});

describe('the plan', () => {
  const prices = JSON.stringify([{ kind: 'svc/image', components: [{ unit: 'megapixel', credits: '0.5' }] }]);

  test('rows without a price give one line to paste, which is no price before its figures are filled in', async () => {
    const { stdout } = await run(['plan', 'shots.csv']);
    const [, pasted = ''] = /^prices {4}fill in and paste into callsheet\.config\.json: (.*)$/m.exec(stdout) ?? [];
    const { prices: rules } = JSON.parse(pasted) as { prices: object[] };
    expect(rules).toEqual([{ kind: 'svc/image', components: [{ unit: 'megapixel', credits: '?' }] }]);
    const refused = await run(['plan', 'shots.csv', '--prices', JSON.stringify(rules)]);
    expect([refused.exitCode, refused.stderr]).toEqual([4, expect.stringContaining('must be a decimal string')]);
    const filled = await run(['plan', 'shots.csv', '--prices', JSON.stringify(rules).replace('?', '0.5')]);
    expect(filled.stdout).toMatch(/^cost {6}1\.5 credits$/m);
  });

  test('`prices --example` has a rule for every kind', async () => {
    const { exitCode, stdout } = await run(['prices', '--example']);
    const { prices: rules } = JSON.parse(stdout) as { prices: { kind: string }[] };
    expect([exitCode, rules.map(({ kind }) => kind)]).toEqual([0, [...KINDS]]);
    const asJson = await run(['prices', '--example', '--json']);
    expect(
      asJson.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([{ schema: 1, example: { prices: rules } }]);
  });

  test('costs per kind and group, caps and balance', async () => {
    const { exitCode, stdout } = await run(['plan', 'shots.csv', '--prices', prices]);
    expect(exitCode).toBe(0);
    expect(stdout.replace(/rehearsal-\d+/, 'rehearsal')).toBe(
      [
        "plan of 'shots' (shots.csv), account rehearsal",
        'rows      2: 2 to run',
        '            svc/image: 2, at most 1.5 credits',
        '  group     day: 1, 1 to run, at most 0.5 credits',
        '  group     night: 1, 1 to run, at most 1 credits',
        'cost      1.5 credits',
        'balance   12.5 credits',
        'caps      10 jobs at once, 200 requests per minute (plan pro)',
        'time      how long svc/image takes is not known yet',
        '',
      ].join('\n'),
    );
  });

  test('a discount is taken off; user limits above the plan are told', async () => {
    emulator.setDiscounts([
      { entrypoint: 'svc', multiplier: 0.5, effective_from: '2020-01-01T00:00:00Z', effective_to: null },
    ]);
    const { stdout, stderr } = await run([
      'plan',
      'shots.csv',
      '--prices',
      prices,
      '--json',
      '--concurrency',
      '20',
      '--rpm',
      '30',
      '-q',
    ]);
    emulator.setDiscounts([]);
    expect(JSON.parse(stdout)).toMatchObject({
      schema: 1,
      rows: { total: 2, toSubmit: 2 },
      cost: { low: '0.75', worst: '0.75', unknownRows: 0 },
      discounts: [{ entrypoint: 'svc', multiplier: '0.5', until: null }],
      caps: { concurrent: 10, rpm: 30 },
    });
    expect(stderr).toBe("warning: B51 concurrency 20 exceeds the plan's 10; using 10\n");
  });

  test.each([
    ['with prices', ['--prices', prices], ': at most 1.2 instead of 1.5 credits'],
    ['without any', [], ''],
  ])('says what is discounted until when, its end not included, %s', async (_name, flags, saves) => {
    const until = new Date(Date.now() + 86_400_000).toISOString();
    emulator.setDiscounts([
      { entrypoint: 'svc', multiplier: 0.8, effective_from: '2020-01-01T00:00:00Z', effective_to: until },
      { entrypoint: 'vendor-f', multiplier: 0.1, effective_from: '2020-01-01T00:00:00Z', effective_to: null },
    ]);
    const { stdout } = await run(['plan', 'shots.csv', ...flags]);
    emulator.setDiscounts([]);
    expect(stdout).toContain(`\ndiscount  svc: 20 % off until ${until} (not included)${saves}\n`);
    expect(stdout).not.toContain('vendor-f');
  });

  test('nothing is written and nothing paid is sent', async () => {
    const before = emulator.truth().requests.length;
    await run(['plan', 'shots.csv']);
    expect(existsSync(join(cwd, 'data', 'home'))).toBe(false);
    const sent = emulator.truth().requests.slice(before);
    expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /v1/credits', 'GET /v1/discounts']);
  });

  test.each([
    [['--max-credits', '1', '--prices', prices], /error: B52 planned 1\.5 credits exceed --max-credits 1/],
    [['--max-credits', '1'], /error: B52 2 rows have no known price, so --max-credits 1 cannot be kept/],
  ])('budgets that the plan breaks: exit 2 %#', async (flags, message) => {
    for (const command of ['plan', 'run']) {
      const { exitCode, stderr } = await run([command, 'shots.csv', ...flags]);
      expect([command, exitCode]).toEqual([command, 2]);
      expect(stderr).toMatch(message);
    }
  });

  test('without --yes a run above the threshold, or of unknown price, is refused', async () => {
    const dear = await run(['run', 'shots.csv', '--prices', prices]);
    expect([dear.exitCode, dear.stderr]).toEqual([
      2,
      expect.stringContaining('2 rows would be submitted (1.5 credits): say --yes'),
    ]);
    const unknown = await run(['run', 'shots.csv', '--ask-above', '5']);
    expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining('2 rows have no known price')]);
    expect(emulator.truth().jobs).toEqual([]);
  });
});

test('config show masks the key and tells origins', async () => {
  const { stdout } = await run(['config', 'show', '--origin', '--json', '--rpm', '50']);
  const shown = JSON.parse(stdout);
  expect(shown.apiKey).toEqual({ value: '[redacted]', origin: 'environment CALLSHEET_API_KEY' });
  expect(shown.settings['limits.rpm']).toEqual({ value: 50, origin: { name: 'flag', where: '--rpm' } });
  expect(shown.settings['budget.askAbove']).toEqual({ value: '1', origin: { name: 'default' } });
  expect(stdout).not.toContain(KEY);
});

test('list and engine status without anything', async () => {
  expect(JSON.parse((await run(['list', '--json'])).stdout)).toMatchObject({ schema: 1, batches: [] });
  expect(JSON.parse((await run(['engine', 'status', '--json'])).stdout)).toMatchObject({ schema: 1, running: false });
  expect((await run(['engine', 'stop'])).stdout).toBe('no engine runs\n');
});

test('doctor checks each thing', async () => {
  const { stdout, exitCode } = await run(['doctor', '--json']);
  const { checks } = JSON.parse(stdout) as { checks: { name: string; result: string; finding: string }[] };
  expect(checks.map(({ name }) => name)).toEqual([
    'node',
    'temporal',
    'engine',
    'ports',
    'data',
    'home',
    'records',
    'out',
    'key',
    'service',
    'clock',
    'ffmpeg',
  ]);
  expect(exitCode).toBe(0);
  expect(checks.find(({ name }) => name === 'service')?.finding).toContain('12.5 credits, plan pro');
  const broken = await run(['doctor'], { CALLSHEET_API_KEY: 'nonsense' });
  expect([broken.exitCode, broken.stdout]).toEqual([
    4,
    expect.stringContaining('fail  key          B49 API key has the wrong form'),
  ]);
});

describe('kinds and init', () => {
  test('every kind has a sample that is a valid manifest', async () => {
    const { kinds } = JSON.parse((await run(['kinds', '--json'])).stdout) as { kinds: { kind: string }[] };
    expect(kinds).toHaveLength(15);
    for (const { kind } of kinds) {
      const sample = await run(['init', kind]);
      expect([kind, sample.exitCode]).toEqual([kind, 0]);
      expect(sample.stdout).toMatch(/^id,kind,/);
    }
  });

  test('one kind with its columns and rules', async () => {
    const { stdout } = await run(['kinds', 'svc/image']);
    expect(stdout).toContain('model (required): ');
    expect(stdout).toContain('Rules:\n  - ');
  });
});

test('the emulator command listens until Ctrl-C', async () => {
  let interrupt: () => void = () => undefined;
  const reached: number[] = [];
  const running = cli(['emulator', '--json', '--balance', '3', '--plan', 'free', '--key', 'sk-svc-mine'], {
    cwd,
    onInterruptible: (callback) => {
      interrupt = callback;
    },
    onOutput: (text) => {
      if (!text.startsWith('{')) return;
      const { url } = JSON.parse(text) as { url: string };
      void fetch(`${url}/v1/credits`, { headers: { authorization: 'Bearer sk-svc-mine' } }).then(async (response) => {
        reached.push(response.status, ((await response.json()) as { credits_remaining: number }).credits_remaining);
        interrupt();
      });
    },
  });
  expect((await running).exitCode).toBe(0);
  expect(reached).toEqual([200, 3]);
  // Finding 4, friction 6: a rehearsal is copy and paste.
  expect((await running).stderr).toMatch(
    /export CALLSHEET_BASE_URL=http:.*:\d+\n +export CALLSHEET_API_KEY=sk-svc-mine\n +export CALLSHEET_TIME_SCALE=1\n/,
  );
  const odd = await cli(['emulator', '--assumptions', 'wild'], { cwd });
  expect(odd).toMatchObject({
    exitCode: 2,
    stderr: "error: --assumptions must be 'drawn' or a whole number, got 'wild'\n",
  });
  const wrong = await cli(['emulator', '--plan', 'gold'], { cwd });
  expect([wrong.exitCode, wrong.stderr]).toEqual([2, "error: unknown plan 'gold'; known: free, pro, enterprise\n"]);
});

test('the sources of a run stay private', async () => {
  await run(['run', 'shots.csv']);
  const facts = readFileSync(join(cwd, 'data', 'home', `rehearsal-${emulator.port}`, 'account.json'), 'utf8');
  expect(facts).toContain(emulator.url);
  expect(facts).not.toContain(KEY);
});
