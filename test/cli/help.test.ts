import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.js';
import { allLeaves } from '../situations/commands.js';
import { cli } from './harness.js';

test('callsheet --help', async () => {
  const { stdout, stderr, exitCode } = await cli(['--help']);
  expect([stderr, exitCode]).toEqual(['', 0]);
  expect(stdout).toMatchInlineSnapshot(`
    "Usage: callsheet <command> [options]

    Runs a manifest of generation jobs through one paid media service, durably, and never pays twice.

    Options:
      -V, --version       show the version
      -h, --help          show help for a command

    Run a manifest:
      run <manifest|->    run a manifest; the same command again continues
      plan <manifest|->   validate a manifest and show rows, costs and time; spends nothing
      kinds [kind]        what rows can ask for, with every rule
      init <kind>         write a sample manifest

    Batches:
      watch <batch>       follow a batch that runs
      status <batch>      where a batch stands
      list                every batch of the account
      pause <batch>       submit nothing new for now
      resume [batch]      go on after a pause, a stop or a reboot, or with a higher budget
      limits [batch]      how much of the plan the account or a batch may use, also while it runs
      cancel <batch>      submit nothing new; what is paid is still fetched
      approve <batch>     run the rest of a batch after its sample
      retry <batch>       run failed and cancelled rows again
      rerun <batch> <id>  render a row that is done once more, and pay for it
      review list|show|…  rows that need a person: the evidence, and how to settle them
      ledger show|verify  what is on record of a row, and whether the records agree
      results <batch>     write results.csv, results.jsonl and failed.csv now
      report <batch>      write report.html now: the media, the costs and the failures on one page
      clean [batch]       remove parts and temporary files of finished batches, never media

    The service:
      credits             balance, plan and caps
      discounts           active discounts
      voices              voices for avatar scripts
      prices              what requests cost: configured, or measured from the balance
      emulator            the service's double, for rehearsals that cost nothing

    This machine:
      dashboard           every batch in the browser: rows, media, time; pause, retry, settle
      doctor              check everything and say what to do
      config show         settings and where each came from
      notify test         whether what is told of batches arrives
      engine status|stop  the engine of the data folder
      dev                 the engine in the foreground
      worker              a worker for a shared Temporal
      callbacks           receive vendor-a's status updates for a shared Temporal
      explain [code]      what a code means, whether it was billed, and what to do
      completion <shell>  what a shell needs to complete commands, flags and batches

    Examples:
      callsheet init svc/image > shots.csv             a manifest to start from
      callsheet plan shots.csv                         what it would cost
      callsheet run shots.csv --out ./out              run it; again to continue
      callsheet emulator                               rehearse without spending

    Exit codes: 0 done; \`callsheet run --help\` lists the others.
    "
  `);
});

test('without a command, and by `help`, the same is shown', async () => {
  const { stdout } = await cli(['--help']);
  expect((await cli([])).stdout).toBe(stdout);
  expect((await cli(['help'])).stdout).toBe(stdout);
  expect((await cli(['help', 'run'])).stdout).toBe((await cli(['run', '--help'])).stdout);
});

test('callsheet run --help', async () => {
  const { stdout, exitCode } = await cli(['run', '--help']);
  expect(exitCode).toBe(0);
  expect(stdout).toMatchInlineSnapshot(`
    "Usage: callsheet run [options] <manifest>

    Checks a whole manifest, shows what it will cost, and runs it durably in the background while you
    watch.
    The same command again continues: finished rows are skipped, running ones joined, new ones added.

    Arguments:
      manifest                        CSV or JSONL file, or - for standard input

    Manifest:
      --name <batch>                  the batch's name (default: the manifest's file name without
                                      extension)
      --kind <kind>                   for rows without a kind of their own
      --delimiter <character>         between cells (default ,); \\t for a tab
      --format <format>               csv or jsonl (default: by the file name) (choices: "csv", "jsonl")
      --errors <file>                 write every problem of the manifest to this file, as CSV
      --input-root <place>            a folder or s3://bucket/prefix besides its own from which the
                                      manifest may name media (repeatable)
      --probe-urls                    look at the size and type of media URLs too, with one small
                                      request each
      --no-network                    check without resolver and service: no hosts, no voices, no media
                                      behind URLs
      --share-identical               render identical rows once, also those without an explicit seed
      --reuse[=what]                  take over what was rendered for the same request before, at no
                                      cost; urls: also where inputs are URLs, whose bytes were never
                                      read

    Running:
      -y, --yes                       submit without asking
      --sample <n>                    run only so many rows that stand for the others; \`approve\` runs
                                      the rest
      --another                       with --sample: rows that no sample had yet
      --retry-failed[=class]          run failed and cancelled rows again, or only those of this class
                                      or reason_code
      --retries <n>                   try unbilled failed renders this often by itself (default: 0)
      --changed <what>                rows whose content changed after a submit that was or may be
                                      billed: rerun pays again for all, rerun=ID,… for these
      --no-dependents                 with --changed: what the changed rows feed stays as it is, with
                                      the flag stale_input, and is not paid again
      --order <order>                 depth: carry chains of rows through before new ones begin;
                                      breadth: as the manifest has them (choices: "depth", "breadth",
                                      default: "depth")
      --response-format <format>      how synchronous answers carry their output (choices: "url",
                                      "b64_json", default: "url")
      --weight <n>                    part of the slots' time beside other batches, 1 to 100 (default 1)
      --priority <n>                  before batches of lower priority, which keep a tenth of the slots
                                      (default 0)
      --trust-home                    this home is the right one, although the outputs or Temporal tell
                                      of another
      --shared-folder                 with a shared Temporal: every worker reaches --out and the home by
                                      these paths

    Settings:
      --base-url <url>                the service, https://host (http only on this machine)
      --out <folder>                  where files go, also s3://bucket/prefix (default ./out)
      --data <folder>                 the engine's data folder
      --home <folder>                 where the durable records live, also s3://bucket/prefix (default:
                                      in the data folder)
      --account <name>                whose caps, balance and ledger (default: default; loopback:
                                      rehearsal-<port>)
      --exclusive                     nothing else spends from this account
      --ambiguity <policy>            after a lost answer: hold, if-proved (needs --exclusive), or
                                      always (needs --always-max-waste)
      --concurrency <n>               simultaneous jobs, below the plan's
      --rpm <n>                       the account's requests per minute, below the plan's (run, resume:
                                      until the batch ends)
      --max-credits <credits>         the most that the batch may cost: refused at the start, and held
                                      at each submit
      --ask-above <credits>           ask before spending more than this (default 1)
      --max-failures <n|n%>           stop when more rows than this end without their output
      --wait <number>                 minutes to wait for credits or a good key (default 15)
      --prices <json>                 price rules, as JSON or the path of a JSON file
      --name-template <template>      output names (default {id}; above 1,000 rows {part}/{id})
      --on-exists <what>              an output name that is taken: fail, skip or version
      --sidecar                       a JSON file beside each output: request, model, seed, handle,
                                      credits
      --endpoint <url>                an S3 server that is not Amazon's
      --region <name>                 region of the bucket (default: AWS_REGION, or the profile)
      --force-path-style              S3 addresses with the bucket in the path
      --callback-url <url>            vendor-a posts status updates below this public https address
      --listen <host:port>            where those updates arrive on this machine
      --notify <url|command:…>        tell this webhook or command what becomes of batches (repeatable)
      --notify-secret <text>          signs what webhooks are sent, by HMAC-SHA256
      --temporal-address <host:port>  a shared Temporal instead of the data folder's engine
      --time-scale <number>           rehearsals on this machine only: divides the service-side waits

    Options:
      -h, --help                      show this help

    General:
      --config <file>                 settings file (default: callsheet.config.json in this folder)
      --api-key-file <file>           read the API key from a file, or from standard input with -
      --json                          machine-readable output on standard output
      -q, --quiet                     only data, warnings and errors
      -v, --verbose                   say more

    Examples:
      callsheet run shots.csv
      callsheet run shots.csv --out /media/shots --max-credits 40
      callsheet run shots.csv --sample 8 --yes
      callsheet run shots.csv --retry-failed=render_failed
      cat shots.jsonl | callsheet run - --name shots --format jsonl --yes --json

    Ctrl-C detaches: the work goes on. \`callsheet watch\` follows it again, \`callsheet cancel\` stops new submits.

    Exit codes:
      0    every row is done
      1    finished, but some rows failed, were cancelled or not started
      2    wrong command line or manifest, budget below the plan, --yes missing: nothing was submitted
      3    rows need a person: review, or lost_paid that nobody has settled
      4    settings, API key, or a folder that cannot be written
      5    Temporal or the service cannot be reached at the start
      6    stopped by the budget, or out of credits for longer than --wait
      7    rows are open and nothing works on them: the engine was stopped by order
      130  detached by Ctrl-C: the work goes on
    "
  `);
});

test('callsheet cancel --help', async () => {
  expect((await cli(['cancel', '--help'])).stdout).toMatchInlineSnapshot(`
    "Usage: callsheet cancel [options] <batch>

    Submits nothing new for a batch and says how many jobs still run. Those are paid: they render on and
    are fetched.

    Arguments:
      batch                  the batch's name

    Options:
      -y, --yes              taken as by the other orders; this one asks nothing
      -h, --help             show this help

    Settings:
      --base-url <url>       the service, https://host (http only on this machine)
      --data <folder>        the engine's data folder
      --home <folder>        where the durable records live, also s3://bucket/prefix (default: in the
                             data folder)
      --account <name>       whose caps, balance and ledger (default: default; loopback:
                             rehearsal-<port>)

    General:
      --config <file>        settings file (default: callsheet.config.json in this folder)
      --api-key-file <file>  read the API key from a file, or from standard input with -
      --json                 machine-readable output on standard output
      -q, --quiet            only data, warnings and errors
      -v, --verbose          say more

    Examples:
      callsheet cancel shots

    \`callsheet retry shots\` runs cancelled rows later.

    Exit codes:
      0  done    2  wrong command line    4  settings, API key or a full disk    5  Temporal or the service cannot be reached
    "
  `);
});

/** Groups as `engine` have a help of their own beside that of each of their orders. */
const PATHS = new Set([...COMMANDS.map(({ name }) => name), ...(await allLeaves()).map(({ path }) => path)]);

describe('every command', () => {
  test.each([...PATHS])('%s --help has examples and exit codes', async (path) => {
    const { stdout, exitCode } = await cli([...path.split(' '), '--help']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`Usage: callsheet ${path}`);
    expect(stdout).toMatch(/\nExamples:\n {2}/);
    expect(stdout).toMatch(/\nExit codes:\n {2}0 /);
    expect(stdout.endsWith('\n')).toBe(true);
  });

  test('review settle-group names the exit code of what it could not settle', async () => {
    expect((await cli(['review', 'settle-group', '--help'])).stdout).toMatch(/\nExit codes:\n(?:.*\n)+ {2}3 {2}\S/);
  });
});

describe('wrong command lines end with 2 and a hint', () => {
  test.each([
    [['rnu'], "error: unknown command 'rnu'\n(Did you mean run?)\n`callsheet --help` shows what it takes.\n"],
    [['rnu', '--help'], "error: unknown command 'rnu'\n(Did you mean run?)\n`callsheet --help` shows what it takes.\n"],
    [['help', 'rnu'], "error: unknown command 'rnu'\n(Did you mean run?)\n`callsheet --help` shows what it takes.\n"],
    [['sk-svc-abc'], "error: unknown command '[redacted]'\n`callsheet --help` shows what it takes.\n"],
    [
      ['run', 'a.csv', 'sk-svc-abc', '--sk-svc-abc'],
      "error: unknown option '--[redacted]'\n`callsheet run --help` shows what it takes.\n",
    ],
    [['run'], "error: missing required argument 'manifest'\n`callsheet run --help` shows what it takes.\n"],
    [
      ['run', 'a.csv', '--ot', 'x'],
      "error: unknown option '--ot'\n(Did you mean --out?)\n`callsheet run --help` shows what it takes.\n",
    ],
    [
      ['run', 'a.csv', 'b.csv'],
      "error: too many arguments for 'run'. Expected 1 argument but got 2.\n`callsheet run --help` shows what it takes.\n",
    ],
    [
      ['run', 'a.csv', '--out'],
      "error: option '--out <folder>' argument missing\n`callsheet run --help` shows what it takes.\n",
    ],
    [
      ['engine', 'stat'],
      "error: unknown command 'stat'\n(Did you mean one of status, stop?)\n`callsheet engine --help` shows what it takes.\n",
    ],
    [
      ['retry', 'x', '--retries', 'many'],
      "error: option '--retries <n>' argument 'many' is invalid. it must be a whole number from 0 to 99\n`callsheet retry --help` shows what it takes.\n",
    ],
  ])('%j', async (args, stderr) => {
    expect(await cli(args)).toEqual({ exitCode: 2, stdout: '', stderr });
  });

  test('a bare --retry-failed does not take the manifest for its class', async () => {
    const { stderr, exitCode } = await cli(['run', '--retry-failed', 'none.csv']);
    expect([exitCode, stderr]).toEqual([4, expect.stringContaining('B50 the base URL is missing')]);
  });
});

test('--version', async () => {
  expect((await cli(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test.each([
  [['sk-svc-abc', '--json'], 2],
  [['run', 'none.csv', '--name', 'sk-svc-abc'], 2],
  [['run', 'sk-svc-abc.csv', '--json'], 2],
  [['run', 'none.csv', '--rpm', 'sk-svc-abc'], 4],
  [['status', 'sk-svc-abc'], 2],
  [['review', 'show', 'sk-svc-abc', 'sk-svc-abc'], 2],
])('a key that was pasted at the wrong place is not repeated: %j', async (args, exitCode) => {
  const seen = await cli(args);
  expect(seen.stdout + seen.stderr).toContain('[redacted]');
  expect(seen.stdout + seen.stderr).not.toContain('sk-svc-abc');
  expect(seen.exitCode).toBe(exitCode);
});

test.each(['run', 'retry', 'rerun', 'approve', 'cancel', 'pause', 'resume', 'limits'])(
  '%s takes --yes',
  async (name) => {
    const { stdout } = await cli([name, '--help']);
    expect(stdout).toContain('-y, --yes');
  },
);
