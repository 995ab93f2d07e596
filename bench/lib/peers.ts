import { type ChildProcess, execFile, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Connection } from '@temporalio/client';
import { findTemporalCli } from '../../scripts/lib/temporal-cli.mjs';
import { freePort } from '../../scripts/lib/versitygw.mjs';
import { dynamicConfigFlags, sqliteFlags } from '../../src/engine/server.js';
import { type Figures, say } from './bench.js';
import { watchMemory } from './memory.js';
import { endedChildrenCpuSeconds, peakMbOf, writtenMbOf } from './processes.js';
import { type Scenario, standOf } from './scenario.js';
import { benchFolder, KEY, startService } from './stand.js';
import { timesOf } from './times.js';

/** How others render the same work, with packages of their own (bench/peers): never needed by the product. */

const folderOfPeers = fileURLToPath(new URL('../peers', import.meta.url));
const inPeers = (...path: string[]): string => join(folderOfPeers, ...path);
const READY_MS = 30_000;

export const PEERS = { 'p-queue': runQueue, 'Temporal samples': runSamples } as const;

interface Place {
  /** The file of the work; the outputs go to `out` beside it. */
  work: string;
  folder: string;
}

/** What a peer has cost besides what the service tells; processor time is counted from outside. */
type Cost = { peakMb: number; togetherMb: number; writtenMb?: number };

export async function measurePeer(
  peer: string,
  start: (place: Place) => Promise<Cost>,
  scenario: Scenario,
): Promise<Figures> {
  await installPeers();
  const folder = await benchFolder();
  const service = await startService(standOf(scenario));
  try {
    const place = { folder, work: join(folder, 'work.json') };
    await mkdir(join(folder, 'out'));
    await writeFile(place.work, JSON.stringify(workOf(scenario, service.url, join(folder, 'out'))));
    const before = endedChildrenCpuSeconds();
    const { peakMb, togetherMb, writtenMb } = await start(place);
    const seconds = endedChildrenCpuSeconds() - before;
    const outputs = await readdir(join(folder, 'out'));
    if (outputs.length !== scenario.jobs)
      throw new Error(`${peer} fetched ${outputs.length} of ${scenario.jobs} outputs`);
    return {
      ...timesOf(await service.truth(), scenario),
      'processor, all processes': [seconds / scenario.jobs, 'CPU s per job'],
      ...(writtenMb === undefined ? {} : { 'written by the server': [writtenMb / scenario.jobs, 'MB per job'] }),
      'memory, all processes, most': [peakMb, 'MB'],
      'memory, together, most': [togetherMb, 'MB'],
    };
  } finally {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function installPeers(): Promise<void> {
  // npm writes this last.
  if (!existsSync(inPeers('node_modules', '.package-lock.json'))) {
    say('installing the peers');
    await promisify(execFile)('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folderOfPeers });
  }
  await promisify(execFile)(process.execPath, [inPeers('samples', 'bundle.js'), bundleOfSamples()]);
}

function bundleOfSamples(): string {
  return inPeers('node_modules', '.cache-samples.cjs');
}

function workOf({ work, jobs, slots, rpm, speed }: Scenario, baseUrl: string, out: string) {
  const image = (at: number) => ({
    path: '/v1/images/generations',
    poll: null,
    body: { model: 'svc-alpha.2-klein-4b', prompt: `a harbour ${at}`, width: 320, height: 200, response_format: 'url' },
  });
  const film = (at: number) => ({
    path: '/v1/vendor-e/v2/video_generation',
    poll: '/v1/vendor-e/v2/query/video_generation',
    body: {
      model: 'Vendor-E-H3',
      content: [{ type: 'text', text: `a fox crosses road ${at}` }],
      resolution: '768P',
      duration: 4,
      ratio: '16:9',
    },
  });
  const list = Array.from({ length: jobs }, (_, at) => ({
    id: `row-${at}`,
    ...(work === 'images' ? image(at) : film(at)),
  }));
  return { baseUrl, key: KEY, speed, out, slots, rpm: rpm * speed, jobs: list };
}

async function runQueue({ work }: Place): Promise<Cost> {
  return await resultOf(fork(inPeers('queue.js'), [work], { execArgv: [] }));
}

/** The server is set as callsheet's own is. */
async function runSamples({ work, folder }: Place): Promise<Cost> {
  const temporal = findTemporalCli(process.env);
  if (!('path' in temporal)) throw new Error('there is no Temporal server: npm run setup');
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const place = ['--ip', '127.0.0.1', '--port', String(port), '--headless', '--log-level', 'error'];
  const server = spawn(
    temporal.path,
    ['server', 'start-dev', ...place, '--db-filename', 'temporal.db', ...sqliteFlags, ...dynamicConfigFlags],
    { cwd: folder, stdio: 'ignore' },
  );
  const ended = once(server, 'exit');
  try {
    await untilReady(address);
    const args = [work, address, bundleOfSamples()];
    const peer = fork(inPeers('samples', 'run.js'), args, { execArgv: [] });
    const { peakMb, togetherMb } = await resultOf(peer, server);
    const serverMb = await peakMbOf(server.pid ?? null);
    return { peakMb: peakMb + serverMb, togetherMb, writtenMb: await writtenMbOf(server.pid ?? null) };
  } finally {
    server.kill();
    await ended;
  }
}

async function untilReady(address: string): Promise<void> {
  const until = Date.now() + READY_MS;
  for (;;) {
    const connection = await Connection.connect({ address }).catch(() => undefined);
    if (connection !== undefined) return await connection.close();
    if (Date.now() > until) throw new Error('the Temporal server of a peer does not answer');
    await sleep(200);
  }
}

async function resultOf(child: ChildProcess, server?: ChildProcess): Promise<Cost> {
  const ended = once(child, 'exit');
  const together = watchMemory(() => [child.pid, server?.pid]);
  const said = once(child, 'message').then(([message]) => message as { peakMb: number });
  const outcome = await Promise.race([said, ended.then(([code]) => `a peer ended with ${code}`)]);
  const togetherMb = together();
  if (typeof outcome === 'string') throw new Error(outcome);
  await ended;
  return { ...outcome, togetherMb };
}
