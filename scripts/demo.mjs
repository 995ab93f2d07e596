// The demo: a real manifest through the embedded engine against the emulator, with refusals, a lost answer and a killed
// worker on the way. Plain Node over the same commands that a user types. `--out s3://bucket/prefix` writes into a bucket
// of a versitygw that is started for it; `--story` adds a second act, a short story whose rows feed each other.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startDemoBucket } from './lib/demo-bucket.mjs';
import { openMoment } from './lib/demo-moment.mjs';
import { table } from './lib/table.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = join(root, 'bin', 'callsheet.js');
/** Service minutes pass in real seconds; the waits of callsheet are divided alike. */
const SPEED = 75;
const KEY = 'sk-svc-emulator';
/** Every row of the manifest but the one whose first answer is lost. */
const SUBMITS =
  readFileSync(join(root, 'examples', 'demo.csv'), 'utf8')
    .trim()
    .split('\n').length - 2;
const stamp = new Date()
  .toISOString()
  .replace(/[^0-9]/g, '')
  .slice(0, 14);
const data = join(root, '.callsheet', 'demo', `${stamp}-${process.pid}`);
const { values: flags } = parseArgs({ options: { out: { type: 'string' }, story: { type: 'boolean' } } });
const out = flags.out ?? join(root, 'out', `demo-${stamp}-${process.pid}`);

const bucket = out.startsWith('s3:') ? await startDemoBucket(out, join(data, 's3'), say) : undefined;
const emulator = await startEmulator();
const environment = {
  ...process.env,
  CALLSHEET_API_KEY: KEY,
  CALLSHEET_BASE_URL: emulator.url,
  CALLSHEET_TIME_SCALE: String(SPEED),
  CALLSHEET_DATA: data,
  ...bucket?.environment,
};
const ending = ['--out', out, '--config', 'examples/demo.config.json', '--yes'];
const run = ['run', 'examples/demo.csv', ...ending];
let exitCode = 1;
try {
  say(`the service's double listens at ${emulator.url} (Pro plan, 25 credits, ${SPEED} times as fast)`);
  say(`$ callsheet ${run.join(' ').replaceAll(`${root}/`, '')}`);
  const running = callsheet(run, 'inherit');
  const killed = killWorkerOnce();
  const [code] = await once(running, 'exit');
  exitCode = code ?? 1;
  const summary = await summarise(await killed);
  process.stdout.write(`\n${summary.text}\n`);
  if (!summary.good) exitCode = exitCode || 1;
  if (flags.story) exitCode = exitCode || (await tellStory());
} finally {
  await once(callsheet(['engine', 'stop'], 'ignore'), 'exit');
  emulator.child.kill('SIGTERM');
  bucket?.child.kill('SIGTERM');
}
process.exitCode = exitCode;

/**
 * @param {string[]} args
 * @param {'inherit' | 'ignore'} stdio
 */
function callsheet(args, stdio) {
  return spawn(process.execPath, [bin, ...args], { cwd: root, env: environment, stdio });
}

/** The second act: a portrait, two edits of it, four films that begin with them, and an avatar with the portrait. */
async function tellStory() {
  const story = ['run', 'examples/storyboard.csv', ...ending];
  say(`$ callsheet ${story.join(' ').replaceAll(`${root}/`, '')}`);
  const [code] = await once(callsheet(story, 'inherit'), 'exit');
  const rows = resultsOf('storyboard').map(({ id, inputs, status, file }) => {
    return [id, `${file ?? status}${inputs.length > 0 ? `, made from ${inputs.join(', ')}` : ''}`];
  });
  process.stdout.write(`\n${table(rows)}\n`);
  return code ?? 1;
}

/** @param {string} batch */
function resultsOf(batch) {
  return readFileSync(join(bucket?.folder ?? out, batch, 'results.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

async function startEmulator() {
  mkdirSync(data, { recursive: true });
  const flags = ['--plan', 'pro', '--balance', '25', '--speed', String(SPEED), '--seed', '7', '--control', '--json'];
  const child = spawn(
    process.execPath,
    [bin, 'emulator', ...flags, '--key', KEY, '--faults', join(root, 'examples', 'demo.faults.json')],
    { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] },
  );
  for await (const line of createInterface({ input: child.stdout })) {
    const { url } = JSON.parse(line);
    return { url, child };
  }
  throw new Error('the emulator ended before it listened');
}

/** What really happened at the service. */
async function truth() {
  return (await fetch(`${emulator.url}/_truth`)).json();
}

/**
 * Kills the engine's worker with SIGKILL once, while jobs render whose handles are on record and nothing else of what
 * was paid is under way: at best three of them, on a slow machine those that are left.
 */
async function killWorkerOnce() {
  const look = openMoment(SUBMITS);
  let pid;
  for (let i = 0; i < 1_200; i += 1) {
    await sleep(50);
    const { jobs } = await truth();
    if (jobs.length === 0) continue;
    // Asked for before the moment to kill it: the answer takes as long as some jobs render.
    pid ??= await workerPid();
    const rendering = look(jobs, Date.now());
    if (pid === undefined || rendering === 0) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It was started anew meanwhile.
      pid = undefined;
      continue;
    }
    say(`killed the worker (process ${pid}, SIGKILL) while ${rendering} ${rendering === 1 ? 'job' : 'jobs'} rendered`);
    return rendering;
  }
  return 0;
}

async function workerPid() {
  const child = spawn(process.execPath, [bin, 'engine', 'status', '--json'], { cwd: root, env: environment });
  let text = '';
  for await (const chunk of child.stdout) text += chunk;
  try {
    const status = JSON.parse(text);
    return status.worker?.pid ?? status.pids?.worker;
  } catch {
    return undefined;
  }
}

/**
 * What callsheet says of the batch beside what the service knows of it.
 * @param {number} rendering
 */
async function summarise(rendering) {
  const results = resultsOf('demo');
  const { account, jobs } = await truth();
  const done = results.filter((row) => row.status === 'done');
  const reported = results.reduce((sum, row) => sum + Number(row.credits ?? 0), 0);
  const spent = (account.balance.startNano - account.balance.nowNano) / 1e9;
  const twice = jobs.length - new Set(jobs.map((job) => job.requestHash)).size;
  const lost = results.filter((row) => row.kind === 'vendor-f/video' && row.attempts > 1);
  const good = done.length === results.length && twice === 0 && Math.abs(spent - reported) < 1e-6;
  const rows = [
    ['rows', `${done.length} of ${results.length} done`],
    ['files', `${done.reduce((sum, row) => sum + Number(row.files?.length ?? (row.file ? 1 : 0)), 0)}`],
    ['credits', `${reported.toFixed(4)} reported, ${spent.toFixed(4)} left the balance of 25`],
    ['requests in the worst minute', `${account.maxima.requestsIn60s} (the plan allows ${account.caps.rpm})`],
    ['most jobs at once', `${account.maxima.jobsAtOnce} (the plan allows ${account.caps.concurrent})`],
    ['rows rendered twice', String(twice)],
    [
      'worker killed',
      rendering > 0
        ? `once, while ${rendering} ${rendering === 1 ? 'job' : 'jobs'} rendered; picked up by handle`
        : 'not this time: no job was seen rendering long enough on this machine',
    ],
    [
      'lost answer',
      lost.length > 0
        ? `${lost[0].id}: the credits check proved it unbilled; sent again as attempt ${lost[0].attempts}`
        : 'not settled',
    ],
  ];
  const here = relative(process.cwd(), join(bucket?.folder ?? out, 'demo')) || '.';
  const next = [
    `outputs, results.csv and results.jsonl: ${here}${bucket === undefined ? '' : ` (${out}/demo)`}`,
    'try next:',
    '  ./bin/callsheet.js init svc/image > my.csv      a manifest of your own',
    '  ./bin/callsheet.js plan my.csv                  what it would cost; sends nothing',
    '  ./bin/callsheet.js emulator --speed 60          rehearse it for nothing',
  ];
  return { good, text: `${table(rows)}\n\n${next.join('\n')}` };
}

/** @param {string} text */
function say(text) {
  process.stderr.write(`demo: ${text}\n`);
}
