import { mkdtempSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { configSchema } from '../../src/config/check-layer.js';
import { ConfigError } from '../../src/config/config-error.js';
import { accountSettings, withFlagsOfAccount } from '../../src/config/make-config.js';
import { environmentName } from '../../src/config/setting.js';
import { SETTINGS } from '../../src/config/settings.js';
import { type ConfigSources, type LoadedConfig, loadConfig } from '../../src/config.js';
import { DEFAULT_S3 } from '../../src/domain/s3.js';
import { nearestWord } from '../../src/manifest/suggest.js';

let cwd: string;

beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'callsheet-config-'));
  await mkdir(join(cwd, 'user'));
});

function load(sources: Partial<ConfigSources> = {}): Promise<LoadedConfig> {
  return loadConfig({
    flags: {},
    env: {},
    cwd,
    userFolder: join(cwd, 'user'),
    version: '1.2.3',
    defaultDataFolder: () => '/state/callsheet',
    nearestWord,
    ...sources,
  });
}

async function problemsOf(sources: Partial<ConfigSources>): Promise<string[]> {
  const error = await load(sources).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ConfigError);
  return (error as ConfigError).message.split('\n');
}

function writeConfig(text: string | Buffer, name = 'callsheet.config.json'): void {
  writeFileSync(join(cwd, name), text);
}

describe('defaults', () => {
  test('every setting has one', async () => {
    const { config, origins } = await load();
    expect(config).toEqual({
      baseUrl: null,
      userAgent: 'callsheet/1.2.3',
      out: join(cwd, 'out'),
      data: '/state/callsheet',
      home: '/state/callsheet/home',
      account: { name: 'default', exclusive: false },
      ambiguity: 'hold',
      alwaysMaxWaste: 0,
      sync: { maxWaste: 0 },
      waits: {
        lambdaSeconds: 120,
        thetaSeconds: 180,
        rhoSeconds: 1_800,
        syncMaxSeconds: 900,
        renderMaxSeconds: { 'vendor-f': 1800, default: 3600 },
      },
      limits: { concurrency: null, accountConcurrency: null, rpm: null, accountRpm: null },
      budget: { maxCredits: null, askAbove: 1_000_000_000, maxFailures: null, waitMinutes: 15 },
      prices: [],
      names: { template: null, onExists: 'fail', sidecar: false },
      svc: { aliasPaths: false },
      s3: DEFAULT_S3,
      callbacks: { url: null, listen: null },
      notify: [],
      notifySecret: null,
      temporal: { address: null, namespace: null, keys: null },
      timeScale: 1,
    });
    expect([...origins.values()].every(({ name }) => name === 'default')).toBe(true);
  });

  test('a JSON file of a flag may begin with a byte order mark', async () => {
    const prices = [{ kind: 'svc/image', components: [{ unit: 'image', credits: '0.1' }] }];
    writeConfig(`\ufeff${JSON.stringify(prices)}`, 'marked.json');
    expect((await load({ flags: { prices: 'marked.json' } })).config.prices).toEqual(prices);
  });

  test('a setting that is JSON may also come under its own name, as `prices --example` prints it', async () => {
    const prices = [{ kind: 'svc/image', components: [{ unit: 'image', credits: '0.1' }] }];
    const { config } = await load({ env: { [environmentName('prices')]: JSON.stringify({ prices }) } });
    expect(config.prices).toEqual(prices);
  });

  test('the result is frozen to its leaves', async () => {
    const { config } = await load();
    expect(Object.isFrozen(config) && Object.isFrozen(config.waits.renderMaxSeconds)).toBe(true);
  });

  test('a loopback base URL has an account of its own, unless one is named', async () => {
    const env = { CALLSHEET_BASE_URL: 'http://127.0.0.1:8787/' };
    expect((await load({ env })).config).toMatchObject({
      baseUrl: 'http://127.0.0.1:8787',
      account: { name: 'rehearsal-8787' },
    });
    expect((await load({ env, flags: { 'account.name': 'mine' } })).config.account.name).toBe('mine');
  });
});

describe('precedence', () => {
  test('flags > environment > file > user file > default, each with its origin', async () => {
    writeFileSync(
      join(cwd, 'user', 'config.json'),
      '{"limits":{"rpm":1,"concurrency":1},"userAgent":"u","timeScale":1}',
    );
    writeConfig('{\n  "limits": { "rpm": 2,\n    "concurrency": 2 },\n  "ambiguity": "hold"\n}');
    const { config, origins } = await load({
      env: { CALLSHEET_LIMITS_RPM: '3', CALLSHEET_AMBIGUITY: '' },
      flags: { 'limits.rpm': '4' },
    });
    expect(config.limits).toEqual({ rpm: 4, concurrency: 2, accountConcurrency: 2, accountRpm: 3 });
    expect(config.userAgent).toBe('u');
    expect(origins.get('limits.rpm')).toEqual({ name: 'flag', where: '--rpm' });
    expect(origins.get('limits.concurrency')).toEqual({ name: 'config file', where: 'callsheet.config.json:3:5' });
    expect(origins.get('userAgent')).toEqual({ name: 'user file', where: expect.stringContaining('config.json:1:') });
    expect(origins.get('out')).toEqual({ name: 'default' });
    const fromEnvironment = await load({ env: { CALLSHEET_LIMITS_RPM: '3' } });
    expect(fromEnvironment.config.limits.rpm).toBe(3);
    expect(fromEnvironment.origins.get('limits.rpm')).toEqual({ name: 'environment', where: 'CALLSHEET_LIMITS_RPM' });
  });

  test('--config goes in the place of the file in the folder', async () => {
    writeConfig('{"limits":{"rpm":2}}');
    await mkdir(join(cwd, 'deep'));
    writeConfig('{"out":"results"}', 'deep/other.json');
    const { config } = await load({ configFile: 'deep/other.json' });
    expect(config.limits.rpm).toBeNull();
    // A relative folder in a file starts at the file.
    expect(config.out).toBe(join(cwd, 'deep', 'results'));
  });

  test('the key file of Temporal is no word of the working folder', async () => {
    const env = { CALLSHEET_TEMPORAL_KEYS: 'keys' };
    expect((await load({ env })).config.temporal.keys).toBe(join(cwd, 'keys'));
    const text = JSON.stringify({ temporal: { keys: 'keys' } });
    writeConfig(text, 'user/config.json');
    expect((await load()).config.temporal.keys).toBe(join(cwd, 'user', 'keys'));
    writeConfig(text);
    expect(await problemsOf({})).toEqual([
      "callsheet.config.json:1:14: B56 temporal.keys is taken only from a flag, the environment or the user's own settings file: set CALLSHEET_TEMPORAL_KEYS",
    ]);
    expect((await load({ env })).config.temporal.keys).toBe(join(cwd, 'keys'));
  });

  test("Temporal's own variables stand behind ours", async () => {
    const env = { TEMPORAL_ADDRESS: 'a:1', TEMPORAL_NAMESPACE: 'n' };
    expect((await load({ env })).config.temporal).toEqual({ address: 'a:1', namespace: 'n', keys: null });
    const both = { ...env, CALLSHEET_TEMPORAL_ADDRESS: 'b:2' };
    expect((await load({ env: both })).config.temporal.address).toBe('b:2');
  });

  test('every setting can be given by its variable', async () => {
    const texts: Record<string, string> = {
      baseUrl: 'http://127.0.0.1:1',
      ambiguity: 'if-proved',
      'account.exclusive': 'true',
      's3.endpoint': 'https://s3.example',
      's3.forcePathStyle': 'true',
      'svc.aliasPaths': 'true',
      's3.serverSideEncryption': 'aws:kms',
      's3.storageClass': 'STANDARD_IA',
      'names.onExists': 'skip',
      'names.sidecar': 'true',
      alwaysMaxWaste: '0',
      'sync.maxWaste': '0',
      'callbacks.url': 'https://hooks.example.com/callsheet/',
      'callbacks.listen': '0.0.0.0:8790',
      notify: 'https://hooks.example.com/x\ncommand:wall',
      'waits.renderMaxSeconds': '{"vendor-a":60}',
      prices: '[{"kind":"svc/image","components":[{"unit":"image","credits":"0.1"}]}]',
    };
    const env = Object.fromEntries(SETTINGS.map(({ path }) => [environmentName(path), texts[path] ?? '7']));
    const { config, origins } = await load({ env });
    expect([...origins.values()].every(({ name }) => name === 'environment')).toBe(true);
    expect(config.waits.renderMaxSeconds).toEqual({ 'vendor-a': 60, 'vendor-f': 1800, default: 3600 });
    expect(config.prices).toEqual([{ kind: 'svc/image', components: [{ unit: 'image', credits: '0.1' }] }]);
    expect(config.account).toEqual({ name: '7', exclusive: true });
    expect(config.callbacks).toEqual({ url: 'https://hooks.example.com/callsheet', listen: '0.0.0.0:8790' });
    expect(config.notify.map(({ to }) => to)).toEqual(['https://hooks.example.com/x', 'command:wall']);
  });

  test('the table and the schema have the same settings', () => {
    const leaves: string[] = [];
    for (const [name, field] of Object.entries(configSchema.shape)) {
      const inner = field.unwrap();
      if ('shape' in inner) leaves.push(...Object.keys(inner.shape as object).map((one) => `${name}.${one}`));
      else leaves.push(name);
    }
    expect(SETTINGS.map(({ path }) => path).sort()).toEqual(leaves.sort());
    expect(new Set(SETTINGS.map(({ flag }) => flag)).size).toBe(SETTINGS.length);
  });
});

describe('what is refused', () => {
  test.each([
    'http://hooks.example.com',
    'https://user:secret@hooks.example.com',
    'https://hooks.example.com/?a=1',
    'https://10.0.0.5/x',
    'https://[fd00::1]/x',
    'https://intranet',
    'ftp://hooks.example.com',
  ])('callbacks.url %s: not a public https address', async (url) => {
    writeConfig(JSON.stringify({ callbacks: { url } }));
    const [problem, ...more] = await problemsOf({});
    expect(problem).toContain('B56 callbacks.url must be a public https:// address');
    expect([problem, ...more].join()).not.toContain('secret');
  });

  test('callbacks.url on this machine is for a service on this machine', async () => {
    writeConfig(JSON.stringify({ callbacks: { url: 'http://127.0.0.1:8790' }, baseUrl: 'https://service.example' }));
    expect((await problemsOf({}))[0]).toContain('must be reachable for the service');
  });

  test('unknown settings, with place and suggestion', async () => {
    writeConfig('{\n  "limits": {\n    "concurency": 3\n  },\n  "rpm": 5,\n  "zzzzzzzz": 1\n}');
    expect(await problemsOf({})).toEqual([
      "callsheet.config.json:3:5: B56 unknown setting 'limits.concurency'; did you mean 'concurrency'?",
      "callsheet.config.json:5:3: B56 unknown setting 'rpm'; did you mean 'limits.rpm'?",
      "callsheet.config.json:6:3: B56 unknown setting 'zzzzzzzz'; `callsheet config show` lists them",
    ]);
  });

  test('broken JSON, with the place', async () => {
    writeConfig('{\n  "limits": { "rpm": 5 }\n  "out": "x"\n}');
    expect(await problemsOf({})).toEqual(["callsheet.config.json:3:3: B56 expected ',' or the closing bracket"]);
  });

  test('a file that --config names and that is not there', async () => {
    expect(await problemsOf({ configFile: 'none.json' })).toEqual([
      'none.json: B56 cannot be read: no such file; correct --config or the file',
    ]);
  });

  test('a file that is not UTF-8', async () => {
    writeConfig(Buffer.from('\ufeff{}', 'utf16le'));
    expect(await problemsOf({})).toEqual(['callsheet.config.json: B56 is not valid UTF-8; save as UTF-8']);
  });

  test('wrong types in every source, each by its own name', async () => {
    writeConfig('{"limits":{"rpm":"fast"}}');
    const problems = await problemsOf({ env: { CALLSHEET_TIME_SCALE: '1e3' }, flags: { 'limits.concurrency': '2.5' } });
    expect(problems).toEqual([
      "B56 --concurrency must be a whole number from 1 to 10000, got '2.5'",
      "B56 CALLSHEET_TIME_SCALE must be a number from 1 to 100000, got '1e3'",
      "callsheet.config.json:1:12: B56 limits.rpm must be a whole number from 1 to 1000000, got 'fast'",
    ]);
  });

  test('--prices of a file that cannot be read says why', async () => {
    await mkdir(join(cwd, 'prices.d'));
    expect(await problemsOf({ flags: { prices: 'prices.d' } })).toEqual([
      "B56 --prices must be JSON or a JSON file, but 'prices.d' is a folder",
    ]);
    expect(await problemsOf({ flags: { prices: 'none.json' } })).toEqual([
      "B56 --prices must be JSON or a JSON file, got 'none.json'",
    ]);
  });

  test('a settings file that cannot be read: why, and which one', async () => {
    await mkdir(join(cwd, 'callsheet.config.json'));
    expect(await problemsOf({})).toEqual(['callsheet.config.json: B56 is a folder; a settings file must be a file']);
    writeConfig('', 'file');
    const given = await problemsOf({ configFile: join('file', 'x') });
    expect(given).toEqual(['file/x: B56 cannot be read: no such file; correct --config or the file']);
  });

  test('--notify without a target is named as it was typed', async () => {
    const wish = 'must not be empty: give a URL or `command:…`';
    expect(await problemsOf({ flags: { notify: ['https://example.com/x', ''] } })).toEqual([`B56 --notify ${wish}`]);
    writeConfig('{"notify": [""]}');
    expect(await problemsOf({})).toEqual([`callsheet.config.json:1:13: B56 notify.0 ${wish}`]);
  });

  test.each(['0', '-1', 'NaN', '1e3', '', ' 5', 'Infinity', '0.0000000001'])('--max-credits %j', async (text) => {
    const [problem] = await problemsOf({ flags: { 'budget.maxCredits': text } });
    expect(problem).toMatch(/^B52 --max-credits must be a positive number/);
    expect(/with 0\.000001 a batch runs only/.test(problem ?? ''), problem).toBe(text === '0' || text === '-1');
  });

  test('amounts are exact to the nanocredit', async () => {
    const { config } = await load({ flags: { 'budget.maxCredits': '40.000000001', 'budget.askAbove': '0' } });
    expect(config.budget).toMatchObject({ maxCredits: 40_000_000_001, askAbove: 0 });
  });

  test('if-proved on an account that others use', async () => {
    expect(await problemsOf({ flags: { ambiguity: 'if-proved' } })).toEqual([
      expect.stringMatching(/^B53 --ambiguity if-proved needs account\.exclusive: true/),
    ]);
    expect(await problemsOf({ env: { CALLSHEET_AMBIGUITY: 'if-proved' } })).toEqual([
      expect.stringMatching(/^B53 CALLSHEET_AMBIGUITY if-proved needs/),
    ]);
    const good = await load({ flags: { ambiguity: 'if-proved', 'account.exclusive': true } });
    expect(good.config.ambiguity).toBe('if-proved');
  });

  test('the policy `always` without a waste limit can do nothing, and says so', async () => {
    const idle = await load({ flags: { ambiguity: 'always' } });
    expect(idle.warnings).toEqual([expect.stringContaining('pays nothing again while alwaysMaxWaste is 0')]);
    const cheap = await load({ flags: { 'sync.maxWaste': '0.1' } });
    expect(cheap.warnings).toEqual([expect.stringContaining('sync.maxWaste pays nothing again')]);
    const set = await load({ flags: { ambiguity: 'always', alwaysMaxWaste: '1', 'sync.maxWaste': '0.1' } });
    expect(set.warnings).toEqual([]);
    expect(set.config).toMatchObject({ ambiguity: 'always', alwaysMaxWaste: 1e9, sync: { maxWaste: 1e8 } });
  });

  test('a time scale against a service that is not on this machine', async () => {
    const flags = { timeScale: '60' };
    expect((await problemsOf({ flags }))[0]).toMatch(/^B56 --time-scale is for rehearsals/);
    expect((await problemsOf({ flags: { ...flags, baseUrl: 'https://example.com' } }))[0]).toMatch(/^B56 --time-scale/);
    expect((await load({ flags: { ...flags, baseUrl: 'http://localhost:1' } })).config.timeScale).toBe(60);
  });

  test('a key in a file is not taken, and not shown', async () => {
    writeConfig('{"apiKey":"sk-svc-secret-1"}');
    const [problem] = await problemsOf({});
    expect(problem).toMatch(
      /^callsheet\.config\.json:1:2: B56 'apiKey' is no setting: the API key never stands in a file/,
    );
    const [shown] = await problemsOf({ flags: { ambiguity: 'sk-svc-secret-1' } });
    expect(shown).not.toContain('secret');
  });

  test('account names that are no safe name', async () => {
    for (const name of ['a/b', '..', 'a..b', '.a', 'a.', 'ä', 'x'.repeat(121)]) {
      expect((await problemsOf({ flags: { 'account.name': name } }))[0]).toMatch(/^B56 --account may use letters/);
    }
  });

  test('an API key is no name of an account, which is shown and stored everywhere', async () => {
    for (const name of ['sk-svc-secret-1', 'films.sk-svc-secret-1']) {
      expect(await problemsOf({ flags: { 'account.name': name } })).toEqual(['B56 --account may not be an API key']);
    }
    const { config } = await load({ flags: { 'account.name': 'task-svc-films' } });
    expect(config.account.name).toBe('task-svc-films');
  });

  test('price rules, with the place in the list', async () => {
    writeConfig('{"prices":[\n{"kind":"svc/image","components":[{"unit":"pixel","credits":0.1}]}]}');
    const problems = await problemsOf({});
    expect(problems).toHaveLength(2);
    expect(problems[0]).toMatch(
      /^callsheet\.config\.json:2:36: B56 prices\.0\.components\.0\.unit must be one of request, /,
    );
    expect(problems[1]).toMatch(/credits must be a decimal string, such as "0\.0006", got '0\.1'$/);
  });

  test('an amount with more decimals than there are parts of a credit says that it has too many', async () => {
    writeConfig('{"prices":[{"kind":"svc/image","components":[{"unit":"request","credits":"0.6103515625"}]}]}');
    const [problem] = await problemsOf({ flags: { 'budget.maxCredits': '0.0000000001' } });
    expect(problem).toMatch(/must be a positive number .*; with at most 9 decimals, got '0\.0000000001'$/);
    const [price] = await problemsOf({});
    expect(price).toMatch(
      /credits must be a decimal string, such as "0\.0006", with at most 9 decimals, got '0\.6103515625'$/,
    );
  });

  test('a price of at least more than it can be', async () => {
    writeConfig('{"prices":[{"components":[{"unit":"second","credits":"0.1","upTo":5,"atLeast":6}]}]}');
    expect(await problemsOf({})).toEqual([
      expect.stringMatching(/B56 prices\.0\.components\.0\.atLeast must not be more than `upTo`/),
    ]);
  });

  test('5-X10: a price rule without components, which would be a price of 0', async () => {
    writeConfig('{"prices":[{"kind":"svc/image","components":[]}]}');
    expect(await problemsOf({})).toEqual([
      expect.stringMatching(/B56 prices\.0\.components must have at least one component/),
    ]);
  });
});

test('each variable that is no setting is told, with the one that is meant', async () => {
  const meant: [name: string, hint: string][] = [
    ['CONCURRENCY', 'did you mean CALLSHEET_LIMITS_CONCURRENCY?'],
    ['CONCURENCY', 'did you mean CALLSHEET_LIMITS_CONCURRENCY?'],
    ['ACCOUNT', 'did you mean CALLSHEET_ACCOUNT_NAME?'],
    ['BUDGET', 'did you mean CALLSHEET_BUDGET_MAX_CREDITS?'],
    ['MAX_CREDITS', 'did you mean CALLSHEET_BUDGET_MAX_CREDITS?'],
    ['MAXCREDITS', 'did you mean CALLSHEET_BUDGET_MAX_CREDITS?'],
    ['LIMITS', 'did you mean CALLSHEET_LIMITS_CONCURRENCY?'],
    ['TEMPORAL', 'did you mean CALLSHEET_TEMPORAL_ADDRESS?'],
    ['URL', 'did you mean CALLSHEET_BASE_URL?'],
    ['APIKEY', 'did you mean CALLSHEET_API_KEY?'],
    ['KEY_FILE', '--api-key-file names the file'],
    ['FOO', '`callsheet config show` lists the settings'],
    ['SOMETHING', '`callsheet config show` lists the settings'],
  ];
  const strange = Object.fromEntries(meant.map(([name]) => [`CALLSHEET_${name}`, '1']));
  const own = { CALLSHEET_API_KEY: 'x', CALLSHEET_TEMPORAL_CLI: 'x', CALLSHEET_UID: '1', CALLSHEET_OUT: 'o' };
  const { warnings } = await load({ env: { ...strange, ...own } });
  expect(warnings).toEqual(meant.map(([name, hint]) => `CALLSHEET_${name} is no setting and has no effect; ${hint}`));
});

test('account settings are in milliseconds and unscaled', async () => {
  const { config } = await load({ flags: { baseUrl: 'http://127.0.0.1:99', timeScale: '60', 'limits.rpm': '50' } });
  expect(accountSettings(config)).toEqual({
    account: 'rehearsal-99',
    baseUrl: 'http://127.0.0.1:99',
    userAgent: 'callsheet/1.2.3',
    home: '/state/callsheet/home',
    exclusive: false,
    waits: {
      lambdaMs: 120_000,
      thetaMs: 180_000,
      rhoMs: 1_800_000,
      syncMaxMs: 900_000,
      renderMaxMs: { 'vendor-f': 1_800_000, default: 3_600_000 },
    },
    limits: { concurrency: null, rpm: null },
    prices: [],
    timeScale: 60,
    callbacks: { url: null, listen: null },
    syncMaxWasteNano: 0,
    s3: DEFAULT_S3,
    aliasPaths: false,
    notices: [],
  });
  // Whoever serves the account gives its flags to the account.
  expect(accountSettings(withFlagsOfAccount(config)).limits).toEqual({ concurrency: null, rpm: 50 });
  expect(() => accountSettings({ ...config, baseUrl: null })).toThrow(/^B50 the base URL is missing/);
});

test('a target of a flag is kept for the next engine, one of the environment or a file comes from there again', async () => {
  const to = 'https://hooks.example.com/x';
  const base = { baseUrl: 'http://127.0.0.1:99' };
  const noticesOf = async (sources: Partial<ConfigSources>) =>
    accountSettings((await load({ ...sources, flags: { ...base, ...sources.flags } })).config).notices;
  const own = { to, isOwn: true, secret: 'word', isKept: false };
  const env = { CALLSHEET_NOTIFY_SECRET: 'word' };
  expect(await noticesOf({ flags: { notify: [to] }, env })).toEqual([{ ...own, isKept: true }]);
  expect(await noticesOf({ env: { ...env, CALLSHEET_NOTIFY: to } })).toEqual([own]);
  writeConfig(JSON.stringify({ notify: [to] }));
  expect(await noticesOf({ env })).toEqual([{ ...own, isOwn: false }]);
});

test('the alias paths of the clip endpoints are a setting (service document 1, Versioning)', async () => {
  const base = { baseUrl: 'http://127.0.0.1:99' };
  const given = await load({ flags: base, env: { CALLSHEET_SVC_ALIAS_PATHS: 'true' } });
  expect(accountSettings(given.config).aliasPaths).toBe(true);
  writeConfig('{"svc":{"aliasPaths":true}}');
  expect(accountSettings((await load({ flags: base })).config).aliasPaths).toBe(true);
});

test.each(['s3://', 's3:/b/x', 'S3://b/x', 's3:', 'file:///x', 'http://x', 'https://b/x'])(
  '5-X6: half an address is no folder: %s',
  async (place) => {
    for (const flag of ['out', 'home']) {
      await expect(load({ flags: { [flag]: place } })).rejects.toThrow(
        /must be a folder or s3:\/\/bucket\/prefix, got/,
      );
    }
    await expect(load({ flags: { data: place } })).rejects.toThrow(/must be a folder on this machine/);
  },
);

test.each(['./a b', '/abs', 's3', 'C:/films', 'a:b', 's3://bucket', 's3://bucket/may/'])(
  'a place: %s',
  async (place) => {
    expect((await load({ flags: { out: place } })).config.out).toContain(place.replace(/^\.\/|\/$/g, ''));
  },
);
