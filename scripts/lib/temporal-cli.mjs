// Finds the Temporal program that the embedded engine runs, or gets it: the one order of design and documentation.
import { execFileSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';

/** The version that callsheet gets when there is none; later tags cannot be built with `go install`. */
export const pinnedVersion = '1.5.1';

/** The oldest server that has priorities and the fairness of the task queues that callsheet counts on. */
export const oldestServer = '1.29.1';

/**
 * Looks at `CALLSHEET_TEMPORAL_CLI`, then `temporal` on PATH, then callsheet's cache folder. Never installs.
 * @param {NodeJS.ProcessEnv} env
 * @returns {import('./temporal-cli.d.mts').FoundTemporalCli | import('./temporal-cli.d.mts').NoTemporalCli}
 */
export function findTemporalCli(env) {
  /** @type {string[]} */
  const rejected = [];
  for (const { path, source } of candidates(env)) {
    const serverVersion = isProgram(path) ? serverVersionOf(path) : undefined;
    if (serverVersion !== undefined && compareVersions(serverVersion, oldestServer) >= 0) {
      return { path, source, serverVersion };
    }
    rejected.push(`${source}: ${path} ${reasonAgainst(path, serverVersion)}`);
  }
  return { rejected };
}

/**
 * The folder that one version of the program is kept in, shared by all checkouts of the user.
 * @param {NodeJS.ProcessEnv} env
 */
export function temporalCacheFolder(env) {
  const system = process.platform === 'darwin' ? join(homedir(), 'Library', 'Caches') : join(homedir(), '.cache');
  return join(env.XDG_CACHE_HOME || system, 'callsheet', 'temporal-cli', pinnedVersion);
}

/**
 * An environment for programs that are not ours: keys, and what signs webhooks, are nothing for them.
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export function environmentForOthers(env) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('CALLSHEET_')));
}

/**
 * The server version that a Temporal program prints. Its own version says nothing: a program from `go install` calls
 * itself 0.0.0-DEV.
 * @param {string} path
 * @returns {string | undefined}
 */
export function serverVersionOf(path) {
  try {
    const text = execFileSync(path, ['--version'], {
      env: environmentForOthers(process.env),
      encoding: 'utf8',
      timeout: 20_000,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return /\bServer v?(\d+\.\d+\.\d+)/.exec(text)?.[1];
  } catch {
    return undefined;
  }
}

/**
 * @param {string} a
 * @param {string} b
 * @returns {number} below, at or above 0, as `a` is older, the same or newer.
 */
export function compareVersions(a, b) {
  const [left, right] = [a, b].map((text) => text.split('.').map(Number));
  for (let i = 0; i < 3; i++) {
    const difference = (left?.[i] ?? 0) - (right?.[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {Generator<{ path: string, source: import('./temporal-cli.d.mts').TemporalCliSource }>}
 */
function* candidates(env) {
  const named = env.CALLSHEET_TEMPORAL_CLI;
  if (named) {
    // Who names a program means that one: another is never taken in its place.
    yield { path: resolve(named), source: 'CALLSHEET_TEMPORAL_CLI' };
    return;
  }
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    const path = join(folder, 'temporal');
    if (folder !== '' && isProgram(path)) yield { path, source: 'PATH' };
  }
  const cached = join(temporalCacheFolder(env), 'temporal');
  if (isProgram(cached)) yield { path: cached, source: 'cache' };
}

/** @param {string} path */
function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * @param {string} path
 * @param {string | undefined} serverVersion
 */
function reasonAgainst(path, serverVersion) {
  if (!isProgram(path)) return 'is not a program';
  if (serverVersion === undefined) return 'does not say its server version';
  return `has server ${serverVersion}, older than ${oldestServer}`;
}
