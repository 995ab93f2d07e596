// Engines of the tests: from the sources, with a worker that does what it is told, each in a folder of its own.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach } from 'vitest';
import { isAlive, startMark } from '../../scripts/lib/live-process.mjs';
import { type Engine, type EnsureEngineOptions, ensureEngine } from '../../src/engine/engine-client.js';
import type { EngineState } from '../../src/engine/engine-status.js';
import type { AccountRegistration } from '../../src/engine/registration.js';
import { stopEngine } from '../../src/engine/stop-engine.js';
import { bundled } from '../support/bundled.js';

export const key = 'key-that-nobody-may-see';

const supervisor = await bundled(new URL('../../src/engine/supervisor-main.ts', import.meta.url));
afterAll(() => supervisor.remove());

export const programs = {
  supervisor: { path: supervisor.path, execArgv: [] },
  worker: { path: fileURLToPath(new URL('./fake-worker.mjs', import.meta.url)), execArgv: [] },
};

const folders: string[] = [];

/** Stops every engine of the test, however it went. */
afterEach(async () => {
  for (const folder of folders.splice(0)) {
    await endEngine(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}, 60_000);

/** A new data folder; `name` may hold whatever a folder's name may hold. */
export function newFolder(name = 'data'): string {
  const folder = join(mkdtempSync(join(tmpdir(), 'callsheet-engine-')), name);
  mkdirSync(folder, { recursive: true });
  folders.push(folder);
  return folder;
}

export function endEngine(folder: string) {
  return stopEngine(folder, { isForced: true, onAwaiting: () => undefined });
}

export function engineIn(dataFolder: string, options: Partial<EnsureEngineOptions> = {}): Promise<Engine> {
  return ensureEngine({ dataFolder, buildId: 'test', programs, ...options });
}

export function account(name: string, settings: AccountRegistration['settings'] = {}): AccountRegistration {
  return { account: name, settings, key: { value: key } };
}

export async function stateOf(engine: Engine): Promise<EngineState> {
  const state = await engine.status();
  if (state === undefined) throw new Error('the engine does not run');
  return state;
}

/** Kills the process at once, and waits until it is gone. */
export async function kill9(pid: number | null): Promise<void> {
  if (pid === null) throw new Error('no process');
  const gone = whenGone(pid);
  process.kill(pid, 'SIGKILL');
  await gone;
}

/** Waits until the process that has this number now is gone. */
export async function whenGone(pid: number, timeoutMs = 20_000): Promise<void> {
  const mark = startMark(pid);
  if (mark !== undefined) await until(() => !isAlive(pid, mark), timeoutMs);
}

export async function until(isSo: () => boolean | Promise<boolean>, timeoutMs = 20_000): Promise<void> {
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await sleep(50)) if (await isSo()) return;
  throw new Error(`not so within ${timeoutMs} ms`);
}

/** All text in the folder's files. */
export function everythingIn(folder: string): string {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}
