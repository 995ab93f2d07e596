/** The engine's Temporal server: one port for its whole life, its database in the data folder. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { EngineError } from './engine-error.js';
import { createKeeper, type Keeper, type ProcessMark } from './keeper.js';
import { lastLines, openLog } from './places.js';
import { answersFor } from './server-answers.js';
import { databaseFile, saysDamaged, setAside, sizeOf } from './server-database.js';

export interface ServerOptions {
  temporalCli: string;
  dataFolder: string;
  log: string;
  environment: NodeJS.ProcessEnv;
  /** Port of the Temporal UI, 0 for a free one, null for no UI. */
  uiPort: number | null;
  /** Gives up the start. */
  signal: AbortSignal;
  onAddress(address: string, uiAddress: string | null): void;
  onChange(process: ProcessMark | null): void;
  onDeath(how: string, restartInMs: number): void;
  /** The database was damaged and is kept at this path; the server starts with an empty one. */
  onSetAside(path: string): void;
}

const readyTimeoutMs = 60_000;
/** Between choosing a free port and using it another program may take it. */
const startTries = 3;
const ASKED_TO_END = 'it was asked to end';

/** Starts the server and waits until it answers for the namespace; throws `start_failed` with the end of its log. */
export async function startServer(options: ServerOptions): Promise<Keeper> {
  let how = ASKED_TO_END;
  for (let i = 0; i < startTries && !options.signal.aborted; i++) {
    const port = await freePort();
    const uiPort = options.uiPort === 0 ? await freePort() : options.uiPort;
    const address = `127.0.0.1:${port}`;
    options.onAddress(address, uiPort === null ? null : `http://127.0.0.1:${uiPort}`);
    const starts = openStarts(options);
    const keeper = createKeeper({ ...options, start: () => starts.next(() => spawnServer(options, port, uiPort)) });
    keeper.start();
    const outcome = await Promise.race([keeper.firstDeath, whenReady(address, options.signal)]);
    if (outcome === 'ready') return keeper;
    how = outcome;
    await keeper.stop(1_000);
    starts.mend();
  }
  const tail = lastLines(options.log, 5);
  throw new EngineError(
    'start_failed',
    `the Temporal server did not start (${how}); the end of ${options.log}:\n${tail}`,
  );
}

/** The starts of one server, at first and whenever it has died: none goes on with a database that kept it from starting. */
function openStarts({ log, dataFolder, onSetAside }: ServerOptions) {
  let last: { logBytes: number; atMs: number } | undefined;

  function mend(): void {
    // Of one that served for long the database is no reason to end.
    if (last === undefined || performance.now() - last.atMs > readyTimeoutMs) return;
    const aside = saysDamaged(log, last.logBytes) ? setAside(dataFolder, Date.now()) : undefined;
    if (aside !== undefined) onSetAside(aside);
  }

  function next<Child>(start: () => Child): Child {
    mend();
    last = { logBytes: sizeOf(log), atMs: performance.now() };
    return start();
  }

  return { next, mend };
}

function spawnServer(options: ServerOptions, port: number, uiPort: number | null) {
  const log = openLog(options.log);
  const ui = uiPort === null ? ['--headless'] : ['--ui-ip', '127.0.0.1', '--ui-port', String(uiPort)];
  const place = ['--ip', '127.0.0.1', '--port', String(port), '--log-level', 'warn', ...ui];
  // The database is named relative to the folder: in a path, SQLite would read `?`, `#` and `%` as its own and keep
  // the data somewhere else without a word.
  const database = ['--db-filename', databaseFile, ...sqliteFlags];
  // Nobody else reads the database, whoever may enter the folder.
  const before = process.umask(0o077);
  try {
    return spawn(options.temporalCli, ['server', 'start-dev', ...place, ...database, ...dynamicConfigFlags], {
      cwd: options.dataFolder,
      env: options.environment,
      stdio: ['ignore', log.fd, log.fd],
    });
  } finally {
    process.umask(before);
    log.close();
  }
}

/** `ready`, or why not. */
async function whenReady(address: string, signal: AbortSignal): Promise<string> {
  for (const deadline = Date.now() + readyTimeoutMs; Date.now() < deadline; await sleep(25)) {
    if (signal.aborted) return ASKED_TO_END;
    if (await answersFor('default', address)) return 'ready';
  }
  return `no answer within ${readyTimeoutMs / 1_000} s`;
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/**
 * How the embedded server is set, for the engine and for the tests alike: with the server's own values one durable hop
 * takes 50 ms, and timers fire up to a second late.
 */
const dynamicConfig: Record<string, string | number | boolean | string[]> = {
  'history.transferProcessorMaxPollRPS': 2000,
  'history.timerProcessorMaxPollRPS': 2000,
  'history.timerProcessorMaxTimeShift': '50ms',
  // With more than one partition the requests per minute of a queue would be split between them.
  'matching.numTaskqueueReadPartitions': 1,
  'matching.numTaskqueueWritePartitions': 1,
  'matching.useNewMatcher': true,
  // Beside gRPC the server opens an HTTP API without any check, which a web page could reach: no Host header can be this.
  'frontend.httpAllowedHosts': ['\n'],
};

/**
 * As fast as in memory, and still whole after a loss of power. A job's rows are small: with SQLite's own pages of 4 KiB
 * twice as many bytes are written for it. The size counts only before a new database becomes a WAL, and the server sets
 * pragmas in the order of their names, capitals first. The log is copied back every 4 MiB, as with the larger pages.
 */
const sqlitePragmas = ['PAGE_SIZE=1024', 'journal_mode=WAL', 'synchronous=FULL', 'wal_autocheckpoint=4096'];

export const dynamicConfigFlags: string[] = Object.entries(dynamicConfig).flatMap(([name, value]) => [
  '--dynamic-config-value',
  `${name}=${JSON.stringify(value)}`,
]);

export const sqliteFlags: string[] = sqlitePragmas.flatMap((pragma) => ['--sqlite-pragma', pragma]);
