import { cpSync, existsSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { isEngineKey, lookThroughEngine } from '../../src/engine/control.js';
import { engineStatus, isEngineGone } from '../../src/engine/engine-client.js';
import { readRecord } from '../../src/engine/engine-record.js';
import { answersFor } from '../../src/engine/server-answers.js';
import { stopEngine, wasStopped } from '../../src/engine/stop-engine.js';
import { connectTemporal } from '../../src/temporal.js';
import { hasTemporal } from '../support/temporal.js';
import {
  account,
  endEngine,
  engineIn,
  everythingIn,
  key,
  newFolder,
  stateOf,
  until,
  whenGone,
} from './engine-under-test.js';

/** Ports on which the process listens, by the kernel's own tables. */
function listeningPorts(pid: number): number[] {
  const own = readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`));
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === '0A' && own.includes(`socket:[${inode}]`))
      .map(([, local]) => Number.parseInt(local?.split(':').at(-1) ?? '', 16)),
  );
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    // It was closed meanwhile.
    return '';
  }
}

describe.skipIf(!hasTemporal())('the engine', () => {
  test('starts, is joined, says what runs, and stops', async () => {
    const folder = newFolder('a folder, 100 % ours?#1');
    expect(await engineStatus(folder)).toBeUndefined();
    const lines: string[] = [];
    const first = await engineIn(folder, { onProgress: (line) => lines.push(line) });
    const second = await engineIn(folder, { onProgress: (line) => lines.push(line) });
    expect([first.joined, second.joined, second.address]).toEqual([false, true, first.address]);
    expect(lines).toEqual(['starting the engine']);

    const state = await stateOf(second);
    expect(state).toMatchObject({ state: 'ready', buildId: 'test', dataFolder: folder, uiAddress: null, accounts: [] });
    expect(statSync(state.socket).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'temporal.db')).mode & 0o777).toBe(0o600);
    const database = readFileSync(join(folder, 'temporal.db'));
    // By SQLite's file format: the size of a page, and that the file is a WAL's.
    expect([database.readUInt16BE(16), ...database.subarray(18, 20)]).toEqual([1024, 2, 2]);
    expect(readRecord(join(folder, 'engine.json'))).toMatchObject({ address: first.address, buildId: 'test' });
    const { client, close } = await connectTemporal({ address: first.address, embedded: true });
    const { namespaceInfo } = await client.workflowService.describeNamespace({ namespace: 'default' });
    await close();
    expect(namespaceInfo?.name).toBe('default');
    const answers = await Promise.all(['default', 'another'].map((name) => answersFor(name, first.address)));
    expect(answers).toEqual([true, false]);

    expect(await endEngine(folder)).toBe('stopped');
    expect(await engineStatus(folder)).toBeUndefined();
    expect([existsSync(join(folder, 'engine.json')), existsSync(state.socket)]).toEqual([false, false]);
    expect(await endEngine(folder)).toBe('none');
  }, 60_000);

  test.skipIf(process.platform !== 'linux')(
    '3-R7: answers no HTTP request of a stranger, on none of its ports',
    async () => {
      const engine = await engineIn(newFolder());
      const { server } = await stateOf(engine);
      const ports = listeningPorts(server.pid ?? 0);
      expect(ports.length).toBeGreaterThan(1);
      for (const port of ports) {
        const answer = await fetch(`http://127.0.0.1:${port}/api/v1/namespaces/default/workflows`).catch(
          () => undefined,
        );
        expect(answer?.status ?? 0, `port ${port}`).not.toBe(200);
      }
    },
    60_000,
  );

  test('is one engine, however many start it at once', async () => {
    const folder = newFolder();
    const engines = await Promise.all([1, 2, 3, 4].map(() => engineIn(folder)));
    expect(new Set(engines.map((engine) => engine.address)).size).toBe(1);
    const pids = await Promise.all(engines.map(async (engine) => (await stateOf(engine)).pid));
    expect(new Set(pids).size).toBe(1);
  }, 60_000);

  test('alone serves an account of a home: another data folder would use the plan’s slots twice', async () => {
    const home = join(newFolder(), 'home');
    const [first, second] = await Promise.all([engineIn(newFolder()), engineIn(newFolder())]);
    const failing = first.register(account('one', { home, fail: 'key_refused' }));
    await expect(failing).rejects.toMatchObject({ reason: 'key_refused' });
    await second.register(account('one', { home }));
    await second.register(account('one', { home }));
    await expect(first.register(account('one', { home }))).rejects.toMatchObject({
      reason: 'home_taken',
      message: expect.stringMatching(
        /^the engine of another data folder \(process \d+\) serves the account 'one' from /,
      ),
    });
    await first.register(account('two', { home }));
    await first.register(account('three', { home, leaves: true }));
    await until(async () => !(await stateOf(first)).accounts.includes('three'));
    await second.register(account('three', { home }));
    const copy = `${home}-copy`;
    cpSync(home, copy, { recursive: true });
    await first.register(account('one', { home: copy }));
    await endEngine(second.dataFolder);
    await first.register(account('one', { home }));
  }, 60_000);

  test('5-X12: knows no account any more that its worker has let go, until it is handed over again', async () => {
    const engine = await engineIn(newFolder());
    await engine.register(account('one'));
    await engine.register(account('two', { leaves: true }));
    await until(async () => (await stateOf(engine)).accounts.length === 1);
    expect((await stateOf(engine)).accounts).toEqual(['one']);
    await engine.register(account('two'));
    expect((await stateOf(engine)).accounts).toEqual(['one', 'two']);
  }, 60_000);

  test('takes accounts, and keeps the key in memory alone', async () => {
    const folder = newFolder();
    process.env.CALLSHEET_API_KEY = key;
    const engine = await engineIn(folder).finally(() => delete process.env.CALLSHEET_API_KEY);
    await Promise.all([
      engine.register(account('one')),
      engine.register(account('two')),
      engine.register(account('one')),
    ]);
    expect(await engine.register(account('one'))).toBe('good');
    // What the worker says of a key reaches whoever hands it over; the one before stays in force.
    const refused = { ...account('one', { proof: 'refused' }), key: { value: 'sk-svc-refused' } };
    expect(await engine.register(refused)).toBe('refused');
    expect(await isEngineKey(folder, 'one', 'sk-svc-refused')).toBe(false);
    await expect(engine.register(account('three', { fail: 'key_refused' }))).rejects.toMatchObject({
      code: 'registration_failed',
      reason: 'key_refused',
      message: 'refused',
    });
    expect(await isEngineKey(folder, 'one', key), '4-U6, 5-X11').toBe(true);
    expect(await isEngineKey(folder, 'one', 'another key')).toBe(false);
    expect(await isEngineKey(folder, 'three', key)).toBe(false);
    const state = await stateOf(engine);
    expect(state.accounts).toEqual(['one', 'two']);
    expect(everythingIn(folder)).not.toContain(key);
    if (process.platform === 'linux') {
      for (const pid of [state.pid, state.server.pid, state.worker.pid]) {
        expect(readFileSync(`/proc/${pid}/environ`, 'latin1')).not.toContain(key);
        expect(readFileSync(`/proc/${pid}/cmdline`, 'latin1')).not.toContain(key);
      }
    }
  }, 60_000);

  test('of another build is named with the command that stops it', async () => {
    const folder = newFolder("it's");
    await engineIn(folder);
    await expect(engineIn(folder, { buildId: 'other' })).rejects.toMatchObject({
      code: 'other_build',
      message: expect.stringContaining(`callsheet engine stop --data '${folder.replace("'", "'\\''")}'`),
    });
  }, 60_000);

  test('is reached through a short socket when its folder has a long name', async () => {
    const folder = newFolder(join('x'.repeat(120), 'y'.repeat(120)));
    const engine = await engineIn(folder);
    const { socket } = await stateOf(engine);
    expect(Buffer.byteLength(socket)).toBeLessThanOrEqual(100);
    expect(statSync(join(socket, '..')).mode & 0o777).toBe(0o700);
    expect((await engineIn(folder)).joined).toBe(true);
  }, 60_000);

  test('is gone once its process is, not where its socket alone is', async () => {
    const folder = newFolder();
    expect(await isEngineGone(folder)).toBe(true);
    const { socket, pid } = await stateOf(await engineIn(folder));
    expect(await isEngineGone(folder)).toBe(false);
    rmSync(socket);
    expect(await isEngineGone(folder)).toBe(false);
    process.kill(pid, 'SIGKILL');
    await vi.waitFor(async () => expect(await isEngineGone(folder)).toBe(true), 10_000);
  }, 60_000);

  test('is in a session of its own, so that no Ctrl-C of a terminal reaches it', async () => {
    const { pid } = await stateOf(await engineIn(newFolder()));
    if (process.platform !== 'linux') return;
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ');
    expect(fields?.[3]).toBe(String(pid));
  }, 60_000);

  test('tells what its worker sees of a batch, and says where the worker cannot tell', async () => {
    const folder = newFolder();
    const engine = await engineIn(folder);
    const look = () => lookThroughEngine(folder, 'one', 'shots');
    expect(await look()).toBeUndefined();
    const running = { progress: { phase: 'running' } };
    await engine.register(account('one', { sees: running }));
    expect(await look()).toEqual(running);
    await engine.register(account('one', { sees: null }));
    expect(await look()).toBeNull();
  }, 60_000);

  test('ends by itself after the last open batch, not before', async () => {
    const engine = await engineIn(newFolder(), { idleMs: 1_500 });
    const { pid } = await stateOf(engine);
    const gone = whenGone(pid);
    await engine.register(account('one', { open: 2 }));
    await until(async () => (await stateOf(engine)).openBatches === 2);
    expect((await stateOf(engine)).endsAtMs).toBeNull();
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect((await stateOf(engine)).state).toBe('ready');
    await engine.register(account('one', { open: 0 }));
    await gone;
    expect(await engine.status()).toBeUndefined();
  }, 60_000);

  test('3-R1: that is stopped waits for paid answers, says what they cost, and stays stopped', async () => {
    const folder = newFolder();
    const engine = await engineIn(folder);
    await engine.register(account('one', { awaits: 3_000 }));
    const { pid } = await stateOf(engine);
    const startedAtMs = Date.now();
    const said: string[] = [];
    const stop = stopEngine(folder, { isForced: false, onAwaiting: (text) => said.push(text) });
    await until(async () => (await stateOf(engine)).awaited.length === 1);
    const lines: string[] = [];
    const next = engineIn(folder, { onProgress: (line) => lines.push(line) });
    expect(await stop).toBe('stopped');
    expect(Date.now() - startedAtMs).toBeGreaterThan(2_900);
    expect(said[0]).toMatch(/^it waits for 1 paid call \(0\.08 credits\), until \d\d:\d\d:\d\d at the latest$/);
    expect((await stateOf(await next)).pid).not.toBe(pid);
    expect(lines[0]).toContain('the engine before this one ends: it waits for 1 paid call');
  }, 60_000);

  test('3-R1: that is stopped by force does not wait', async () => {
    const folder = newFolder();
    const engine = await engineIn(folder);
    await engine.register(account('one', { awaits: 120_000 }));
    const waiting = stopEngine(folder, { isForced: false, onAwaiting: () => undefined });
    await until(async () => (await stateOf(engine)).awaited.length === 1);
    expect(await endEngine(folder)).toBe('stopped');
    expect(await waiting).toBe('stopped');
  }, 60_000);

  test('6-O5: says that it was stopped by order until somebody starts it again', async () => {
    const folder = newFolder();
    await engineIn(folder);
    expect(wasStopped(folder)).toBe(false);
    await endEngine(folder);
    expect(wasStopped(folder)).toBe(true);
    await engineIn(folder);
    expect(wasStopped(folder)).toBe(false);
  }, 60_000);

  test('says why its server does not start', async () => {
    const folder = newFolder();
    const program = join(newFolder(), 'temporal');
    writeFileSync(
      program,
      '#!/bin/sh\n[ "$1" = --version ] && echo "temporal (Server 1.29.1)" && exit\necho "disk on fire"; exit 3\n',
      {
        mode: 0o755,
      },
    );
    const before = process.env.CALLSHEET_TEMPORAL_CLI;
    process.env.CALLSHEET_TEMPORAL_CLI = program;
    const started = engineIn(folder).finally(() => {
      process.env.CALLSHEET_TEMPORAL_CLI = before;
    });
    await expect(started).rejects.toMatchObject({
      code: 'start_failed',
      message: expect.stringContaining('disk on fire'),
    });
    await until(async () => (await engineStatus(folder)) === undefined);
    expect(existsSync(join(folder, 'engine.json'))).toBe(false);
  }, 60_000);
});
