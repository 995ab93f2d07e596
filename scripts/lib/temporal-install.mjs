// Gets the Temporal program when there is none: the official download, else a build with Go, into the user's cache.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './lock.mjs';
import { runVisibly } from './run-visibly.mjs';
import {
  compareVersions,
  environmentForOthers,
  findTemporalCli,
  oldestServer,
  pinnedVersion,
  serverVersionOf,
  temporalCacheFolder,
} from './temporal-cli.mjs';

const oldestGo = '1.25.0';
const ownDownloader = fileURLToPath(new URL('./download-temporal.mjs', import.meta.url));

/**
 * Finds the program, else gets it. Of two set-ups at once one works and the other waits for it.
 * @param {NodeJS.ProcessEnv} env
 * @param {(line: string) => void} onProgress
 * @param {string} [downloader] the program that downloads.
 * @returns {Promise<import('./temporal-cli.d.mts').FoundTemporalCli>}
 */
export async function ensureTemporalCli(env, onProgress, downloader = ownDownloader) {
  const found = findTemporalCli(env);
  if ('path' in found) return found;
  if (env.CALLSHEET_TEMPORAL_CLI) throw new Error(`${found.rejected[0]}: correct the variable or unset it`);
  const folder = temporalCacheFolder(env);
  mkdirSync(dirname(folder), { recursive: true });
  /** @param {number} holder @param {number} waitedMs */
  const onWait = (holder, waitedMs) =>
    onProgress(
      `waiting for the set-up that gets the Temporal server (process ${holder}): ${Math.round(waitedMs / 1_000)} s`,
    );
  return withLock(`${folder}.lock`, () => install(env, folder, onProgress, downloader), {
    onWait,
    timeoutMs: 30 * 60_000,
  });
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {string} folder
 * @param {(line: string) => void} onProgress
 * @param {string} downloader
 */
async function install(env, folder, onProgress, downloader) {
  const found = findTemporalCli(env);
  if ('path' in found) return found;
  const tried = [...found.rejected];
  dropRests(folder);
  for (const get of [download(downloader), buildWithGo]) {
    const part = mkdtempSync(`${folder}.part-`);
    try {
      const path = await get(environmentForOthers(env), part, onProgress);
      const serverVersion = serverVersionOf(path);
      if (serverVersion === undefined || compareVersions(serverVersion, oldestServer) < 0) {
        throw new Error(`what came has server ${serverVersion ?? 'unknown'}, needed is ${oldestServer}`);
      }
      mkdirSync(folder, { recursive: true });
      const final = join(folder, 'temporal');
      renameSync(path, final);
      return { path: final, source: /** @type {const} */ ('cache'), serverVersion };
    } catch (error) {
      tried.push(error instanceof Error ? error.message : String(error));
    } finally {
      rmSync(part, { recursive: true, force: true });
    }
  }
  throw new Error(`${remedies()}\n${tried.map((one) => `- ${one}`).join('\n')}`);
}

function remedies() {
  return (
    `no Temporal program with server ${oldestServer} or newer: set CALLSHEET_TEMPORAL_CLI to one, or put \`temporal\` ` +
    'on PATH, or run this again with a network so that it can be downloaded, or install Go 1.25 or newer so that it can be built. Tried:'
  );
}

/**
 * @param {string} program
 * @returns {(env: NodeJS.ProcessEnv, part: string, onProgress: (line: string) => void) => Promise<string>}
 */
function download(program) {
  return async (env, part, onProgress) => {
    await runVisibly(process.execPath, [program, part, `v${pinnedVersion}`], {
      label: `downloading the Temporal server ${pinnedVersion}`,
      watch: part,
      env,
      // Without a network this ends at once, or after the 15 s where packets are dropped without a word.
      limitMs: 10 * 60_000,
      stallMs: 15_000,
      onProgress,
    });
    const name = readdirSync(part).find((one) => one.startsWith('temporal') && !one.endsWith('.downloading'));
    if (name === undefined) throw new Error('the download brought no program');
    return join(part, name);
  };
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {string} part
 * @param {(line: string) => void} onProgress
 */
async function buildWithGo(env, part, onProgress) {
  const version = goVersion(env);
  if (version === undefined) throw new Error('Go is not installed');
  if (compareVersions(version, oldestGo) < 0) throw new Error(`Go ${version} is older than ${oldestGo}`);
  const work = join(part, 'work');
  mkdirSync(work);
  onProgress('building the Temporal server with Go: about 3 minutes, once for this user');
  await runVisibly('go', ['install', `github.com/temporalio/cli/cmd/temporal@v${pinnedVersion}`], {
    label: 'building the Temporal server with Go',
    watch: part,
    // GOOS and GOARCH of another system would put the program elsewhere.
    env: { ...env, GOBIN: part, GOTMPDIR: work, GOOS: '', GOARCH: '' },
    limitMs: 30 * 60_000,
    onProgress,
  });
  return join(part, 'temporal');
}

/** @param {NodeJS.ProcessEnv} env */
function goVersion(env) {
  try {
    const text = execFileSync('go', ['env', 'GOVERSION'], {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return /go(\d+\.\d+(?:\.\d+)?)/.exec(text)?.[1];
  } catch {
    return undefined;
  }
}

/**
 * What a killed set-up left; the caller holds the lock.
 * @param {string} folder
 */
function dropRests(folder) {
  for (const name of readdirSync(dirname(folder))) {
    const path = join(dirname(folder), name);
    if (path.startsWith(`${folder}.part-`)) rmSync(path, { recursive: true, force: true });
  }
}
