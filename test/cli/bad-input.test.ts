import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { cli, workFolder } from './harness.js';

const KEY = 'sk-svc-not-a-real-key';
/** Nobody listens at port 9: whatever is sent there is noticed as exit 5. */
const env = { CALLSHEET_BASE_URL: 'http://127.0.0.1:9', CALLSHEET_API_KEY: KEY };
const ROW = 'svc/image,svc-alpha.2-klein-4b,a boat,1024,1024\n';
let cwd: string;

beforeEach(() => {
  cwd = workFolder();
  writeFileSync(join(cwd, 'shots.csv'), `id,kind,model,prompt,width,height\na,${ROW}`);
  writeFileSync(join(cwd, 'my shots.csv'), 'id');
});

const run = (args: string[], more: NodeJS.ProcessEnv = {}, stdin?: string) =>
  cli(args, { cwd, env: { ...env, ...more }, ...(stdin === undefined ? {} : { stdin }) });

describe('settings and credentials: exit 4', () => {
  test.each([
    ['no key', {}, { CALLSHEET_API_KEY: '' }, /^error: B49 API key missing: set CALLSHEET_API_KEY/],
    ['a key in quotes', {}, { CALLSHEET_API_KEY: `'${KEY}'` }, /^error: B49 API key has the wrong form/],
    ['no base URL', {}, { CALLSHEET_BASE_URL: '' }, /^error: B50 the base URL is missing: set CALLSHEET_BASE_URL/],
    ['http in public', {}, { CALLSHEET_BASE_URL: 'http://example.com' }, /^error: B50 baseUrl must be https:\/\/host/],
    ['if-proved alone', {}, { CALLSHEET_AMBIGUITY: 'if-proved' }, /^error: B53 CALLSHEET_AMBIGUITY if-proved needs/],
    ['no bucket', {}, { CALLSHEET_OUT: 's3://BUCKET/x' }, /CALLSHEET_OUT must be a folder or s3:\/\/bucket\/prefix/],
  ])('%s', async (_name, _flags, more, message) => {
    const { exitCode, stderr, stdout } = await run(['run', 'shots.csv'], more);
    expect([exitCode, stdout]).toEqual([4, '']);
    expect(stderr.replace('checking shots.csv\n', '')).toMatch(message);
    expect(stderr).not.toContain('not-a-real');
  });

  describe('settings that contradict each other, by what explains settings', () => {
    const said = 'callsheet.config.json:2:2: B53 ambiguity if-proved needs account.exclusive: true';
    beforeEach(() => writeFileSync(join(cwd, 'callsheet.config.json'), '{\n "ambiguity": "if-proved"\n}'));

    test('config show shows them with their origins, then the problem', async () => {
      const { exitCode, stdout, stderr } = await run(['config', 'show', '--origin']);
      expect(stdout).toMatch(/^ambiguity +CALLSHEET_AMBIGUITY +if-proved +config file callsheet\.config\.json:2:2$/m);
      expect([exitCode, stderr]).toEqual([4, expect.stringContaining(`error: ${said}`)]);
      const json = JSON.parse((await run(['config', 'show', '--json'])).stdout);
      expect(json).toMatchObject({
        settings: { ambiguity: 'if-proved' },
        problems: [expect.stringContaining(said)],
      });
    });

    test('doctor has it as a failed check, and does the others', async () => {
      const { exitCode, stdout } = await run(['doctor', '--json']);
      const { checks } = JSON.parse(stdout);
      expect([exitCode, checks[0]]).toEqual([
        4,
        { name: 'settings', result: 'fail', finding: expect.stringContaining(said) },
      ]);
      expect(checks.map(({ name }: { name: string }) => name)).toContain('service');
    });
  });

  test('every problem of a settings file at once', async () => {
    writeFileSync(join(cwd, 'callsheet.config.json'), '{\n "limits": {"rpm": 0},\n "outt": "x"\n}');
    const { exitCode, stderr } = await run(['status', 'shots']);
    expect([exitCode, stderr]).toEqual([
      4,
      "error: callsheet.config.json:2:13: B56 limits.rpm must be a whole number from 1 to 1000000, got '0'\n" +
        "error: callsheet.config.json:3:2: B56 unknown setting 'outt'; did you mean 'out'?\n",
    ]);
  });
});

describe('command line and manifest: exit 2, nothing submitted', () => {
  test.each([
    ['an absent manifest', ['run', 'none.csv'], "none.csv:1:1: B1 cannot read manifest 'none.csv': no such file\n"],
    ['standard input without a name', ['run', '-'], 'B12 a manifest on standard input needs --name\n'],
    ['a stem that is no name', ['run', 'my shots.csv'], 'use --name my-shots\n'],
    ['no manifest', ['plan', ''], "error: B1 cannot read manifest '': no such file\n"],
    ['a folder', ['plan', '.'], ': it is a folder\n'],
    [
      'a quote as delimiter',
      ['run', 'shots.csv', '--delimiter', '"'],
      "--delimiter must be one character other than the quote, got '\"'\n",
    ],
    ['an empty input root', ['plan', 'shots.csv', '--input-root', ''], '--input-root must not be empty\n'],
    [
      'a bad name',
      ['run', 'shots.csv', '--name', '../x'],
      "B12 --name '../x' may use letters, digits, . _ - (max 120)\n",
    ],
    [
      'an order for a row that is none of the manifest',
      ['run', 'shots.csv', '--yes', '--changed', 'rerun=a,nosuch'],
      "--changed: 'nosuch' is no row of the manifest; nothing was submitted\n",
    ],
    [
      'the same of a plan',
      ['plan', 'shots.csv', '--no-network', '--changed', 'rerun=x,y'],
      "--changed: 'x', 'y' are no rows of the manifest; nothing was submitted\n",
    ],
    [
      'an unknown kind',
      ['plan', 'shots.csv', '--kind', 'svc/imag'],
      "B57 unknown kind 'svc/imag'; did you mean 'svc/image'?\n",
    ],
    [
      'a budget of 0',
      ['run', 'shots.csv', '--max-credits', '0'],
      "B52 --max-credits must be a positive number of credits, such as 40 or 2.5; with 0.000001 a batch runs only where every row is done or reused, got '0'",
    ],
    ['a long delimiter', ['run', 'shots.csv', '--delimiter', ';;'], "--delimiter must be one character, got ';;'\n"],
    [
      'an unknown class',
      ['run', 'shots.csv', '--retry-failed=render_fail'],
      "did you mean 'render_failed'? Classes: moderation, invalid, refused, not_found, expired, provider, ambiguous, output, budget, input, cancelled; a reason_code such as render_failed is taken as well\n",
    ],
    ['an unknown batch', ['status', 'shots'], "account 'rehearsal-9' has no batch 'shots' in"],
    ['an unknown kind of sample', ['init', 'svc/imag'], "did you mean 'svc/image'?"],
  ])('%s', async (_name, args, message) => {
    const { exitCode, stderr, stdout } = await run(args);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });

  test('problems of the manifest, all in --errors', async () => {
    writeFileSync(
      join(cwd, 'shots.csv'),
      'id,kind,model,prompt,steps\na,svc/image,svc-delta-5,x,20\na,svc/image,svc-delta-4,y,1e3\n',
    );
    const { exitCode, stderr } = await run(['run', 'shots.csv', '--errors', 'problems.csv']);
    expect(exitCode).toBe(2);
    const lines = stderr.trimEnd().split('\n').slice(1);
    expect(lines.map((line) => /^shots\.csv:(\d+:\d+): (B\d+) /.exec(line)?.slice(1).join(' '))).toEqual([
      '2:3 B13',
      '3:1 B11',
      '3:5 B16',
      undefined,
    ]);
    expect(lines.at(-1)).toBe('error: the manifest has 3 problems: nothing was submitted');
    expect(readFileSync(join(cwd, 'problems.csv'), 'utf8').split('\n')).toHaveLength(5);
  });

  test('--errors follows the lines of the manifest, whatever is checked last', async () => {
    const rows = [
      'a,svc/edit,svc-beta-image-edit-2511,x,@nobody,64,64',
      'b,svc/image,no-such-model,x,,64,64',
      'c,svc/edit,svc-beta-image-edit-2511,x,@later,64,64',
      'd,svc/image,no-such-model,é,,64,1e3',
      'e,svc/edit,svc-beta-image-edit-2511,x,@missing,64,64',
    ];
    writeFileSync(join(cwd, 'shots.csv'), `id,kind,model,prompt,image,width,height\n${rows.join('\n')}\n`);
    expect((await run(['plan', 'shots.csv', '--errors', 'problems.csv', '--no-network'])).exitCode).toBe(2);
    const lines = readFileSync(join(cwd, 'problems.csv'), 'utf8').trimEnd().split('\n').slice(1);
    expect(lines.map((line) => line.split(',').slice(1, 3).join(':'))).toEqual([
      '2:5',
      '3:3',
      '4:5',
      '5:3',
      '5:7',
      '6:5',
    ]);
  });

  test('--json has the problems one by one', async () => {
    writeFileSync(join(cwd, 'shots.csv'), 'id,kind,model,prompt\na,svc/image,svc-delta-5,x\n');
    for (const command of ['plan', 'run']) {
      const { exitCode, stdout } = await run([command, 'shots.csv', '--json']);
      expect([exitCode, JSON.parse(stdout)]).toMatchObject([
        2,
        { type: 'error', exitCode: 2, problems: [{ file: 'shots.csv', line: 2, column: 3, code: 'B13', id: 'a' }] },
      ]);
      expect((JSON.parse(stdout) as { problems: { message: string }[] }).problems[0]?.message).toContain('svc-delta-5');
    }
  });

  test('more than 100 problems are counted', async () => {
    const rows = Array.from({ length: 150 }, (_, index) => `r${index},svc/image,no-such-model,x,64,64\n`);
    const text = `id,kind,model,prompt,width,height\n${rows.join('')}`;
    const { exitCode, stderr } = await run(['plan', '-', '--name', 'many'], {}, text);
    expect(exitCode).toBe(2);
    expect(stderr.match(/^<stdin>:\d+:3: B13 /gm)).toHaveLength(100);
    expect(stderr).toMatch(
      /error: the manifest has 150 problems, 50 of them not shown; `--errors FILE` writes them all: nothing was submitted\n$/,
    );
  });

  test('manifest and key cannot share standard input', async () => {
    const { exitCode, stderr } = await run(['run', '-', '--name', 'x', '--api-key-file', '-']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('cannot both come on standard input')]);
  });

  test('with a shared Temporal, folders only with --shared-folder', async () => {
    const { exitCode, stderr } = await run(['run', 'shots.csv', '--temporal-address', '127.0.0.1:9']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('say --shared-folder')]);
  });

  test('output names that are taken by others', async () => {
    mkdirSync(join(cwd, 'out', 'shots', 'media'), { recursive: true });
    writeFileSync(join(cwd, 'out', 'shots', 'media', 'A.png'), 'x');
    const { exitCode, stderr } = await run(['run', 'shots.csv']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(':2:1: B47 refusing to overwrite media/A.png')]);
    expect((await run(['run', 'shots.csv', '--on-exists', 'version'])).exitCode).toBe(5);
  });
});

test('3-R15: outputs that tell of another home: exit 4 before anything is asked, unless a person says so', async () => {
  mkdirSync(join(cwd, 'out', 'shots'), { recursive: true });
  const mark = JSON.stringify({ schema: 1, homeId: 'a'.repeat(32), seenMs: 5 });
  writeFileSync(join(cwd, 'out', 'shots', 'home-rehearsal-9.json'), mark);
  const { exitCode, stderr } = await run(['run', 'shots.csv', '--yes']);
  expect([exitCode, stderr]).toEqual([
    4,
    expect.stringMatching(/is not the home that 'shots' in .* was run from: bring the home back .* --trust-home/),
  ]);
  expect((await run(['run', 'shots.csv', '--yes', '--trust-home'])).exitCode).toBe(5);
});

test('a service that is not there: exit 5 within 15 s', async () => {
  const { exitCode, stderr } = await run(['run', 'shots.csv', '--yes']);
  expect([exitCode, stderr]).toEqual([
    5,
    expect.stringMatching(/error: http:\/\/127\.0\.0\.1:9 cannot be reached \(connect: .*nothing was submitted\n$/),
  ]);
});

test('a plan needs neither key nor service', async () => {
  const { exitCode, stdout } = await cli(['plan', 'shots.csv'], { cwd });
  expect(exitCode).toBe(0);
  expect(stdout).toContain('rows      1: 1 to run');
  expect(stdout).toContain('balance   not read (no API key, base URL or network)');
});

describe('5-X5: --errors never writes over an input', () => {
  test('the manifest, under its own name or by a link; an earlier list of errors is replaced', async () => {
    const bad = 'id,kind,prompt\na1,svc/nothing,x\n';
    writeFileSync(join(cwd, 'kept.csv'), bad);
    linkSync(join(cwd, 'kept.csv'), join(cwd, 'hard.csv'));
    symlinkSync(join(cwd, 'kept.csv'), join(cwd, 'soft.csv'));
    for (const errors of ['kept.csv', 'hard.csv', 'soft.csv']) {
      const { exitCode, stderr } = await run(['plan', 'kept.csv', '--errors', errors, '--no-network']);
      expect(exitCode).toBe(2);
      expect(stderr).toContain('would overwrite a file that holds something else');
    }
    expect(readFileSync(join(cwd, 'kept.csv'), 'utf8')).toBe(bad);
    for (let time = 0; time < 2; time += 1) {
      const { exitCode } = await run(['plan', 'kept.csv', '--errors', 'problems.csv', '--no-network']);
      expect(exitCode).toBe(2);
      expect(readFileSync(join(cwd, 'problems.csv'), 'utf8').split('\n').length).toBe(3);
    }
  });
});

test.each([
  ['a folder', 'out', /--errors out cannot be written: a folder has that name \(EISDIR\)/],
  ['a file in no folder', 'none/problems.csv', /cannot be written: the folder does not exist \(ENOENT\)/],
  [
    'below a file',
    'shots.csv/problems.csv',
    /cannot be written: a part of the path is a file, not a folder \(ENOTDIR\)/,
  ],
  ['nothing', '', /^error: --errors must not be empty$/m],
])('--errors names %s: exit 2, before anything is sent', async (_, errors, says) => {
  mkdirSync(join(cwd, 'out'), { recursive: true });
  const { exitCode, stderr } = await run(['run', 'shots.csv', '--errors', errors]);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(says);
});

test.skipIf(!existsSync('/dev/full'))('--errors on a full disk: exit 4, as the help has it', async () => {
  const { exitCode, stderr } = await run(['plan', 'shots.csv', '--no-network', '--errors', '/dev/full']);
  expect(stderr).toContain('error: --errors /dev/full cannot be written: the disk is full (ENOSPC)\n');
  expect(exitCode).toBe(4);
});

test('an empty manifest name, as of an unset variable, has one sentence', async () => {
  const { exitCode, stderr } = await run(['plan', '']);
  expect([exitCode, stderr]).toEqual([2, "error: B1 cannot read manifest '': no such file\n"]);
});

test('what a command is to do is given once; the last of a setting counts, and lists add up', async () => {
  const twice = await run(['plan', 'shots.csv', '--no-network', '--name', 'a', '--name', 'b']);
  expect(twice.exitCode).toBe(2);
  expect(twice.stderr).toContain("error: --name was given twice, as 'a' and as 'b'\n");
  const ids = await run(['run', 'shots.csv', '--changed', 'rerun=a', '--changed', 'rerun=b', '--json']);
  expect(JSON.parse(ids.stdout)).toMatchObject({
    exitCode: 2,
    message: expect.stringMatching(/^--changed was given tw/),
  });
  const fine = ['--name', 'a', '--name', 'a', '--input-root', 'x', '--input-root', 'y', '--ask-above', '1'];
  expect((await run(['plan', 'shots.csv', '--no-network', ...fine, '--ask-above', '2'])).exitCode).toBe(0);
});

test('friction 5: with --json a failure stands on standard output, too', async () => {
  const wrong = await run(['status', 'nobody', '--json']);
  expect(wrong.exitCode).toBe(2);
  expect(JSON.parse(wrong.stdout)).toMatchObject({ schema: 1, type: 'error', exitCode: 2, details: [] });
  expect(JSON.parse(wrong.stdout).message).toContain("has no batch 'nobody'");
  const unknown = await run(['list', '--json', '--nothing']);
  expect(JSON.parse(unknown.stdout)).toMatchObject({ exitCode: 2, message: expect.stringContaining('--nothing') });
});

test('a plan over its budget is one JSON document that says so, with exit 2', async () => {
  const rules = JSON.stringify([{ kind: 'svc/image', components: [{ unit: 'megapixel', credits: '1.5' }] }]);
  const args = ['plan', 'shots.csv', '--no-network', '--json', '--prices', rules, '--max-credits', '1'];
  const { exitCode, stdout } = await run(args);
  expect(exitCode).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({
    batch: 'shots',
    refused: expect.stringMatching(/^B52 planned 1\.57/),
  });
});

test('a balance below 0 at the start of the emulator: exit 2', async () => {
  const { exitCode, stdout, stderr } = await run(['emulator', '--balance', '-1']);
  expect([exitCode, stdout, stderr]).toEqual([2, '', "error: --balance must be 0 or more, got '-1'\n"]);
});

test('a speed that callsheet would not take as its time scale: exit 2', async () => {
  const { exitCode, stdout, stderr } = await run(['emulator', '--speed', '0.5']);
  expect([exitCode, stdout, stderr]).toEqual([2, '', "error: --speed must be 1 or more, got '0.5'\n"]);
});
