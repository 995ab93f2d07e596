import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Engine } from '../../src/engine/engine-client.js';
import { connectTemporal } from '../../src/temporal.js';
import { hasTemporal } from '../support/temporal.js';
import { account, endEngine, engineIn, kill9, newFolder, stateOf, until, whenGone } from './engine-under-test.js';

/** Something durable: it must be there whatever was killed since. */
async function startWorkflow(engine: Engine, workflowId: string): Promise<void> {
  const { client, close } = await connectTemporal({ address: engine.address, embedded: true });
  await client.workflow.start('waits-for-a-worker', { taskQueue: 'nobody', workflowId });
  await close();
}

async function statusOfWorkflow(engine: Engine, workflowId: string): Promise<string> {
  const { client, close } = await connectTemporal({ address: engine.address, embedded: true });
  const { status } = await client.workflow.getHandle(workflowId).describe();
  await close();
  return status.name;
}

describe.skipIf(!hasTemporal())('an engine that is killed', () => {
  test('in its worker gets a new one, with the accounts', async () => {
    const folder = newFolder();
    const engine = await engineIn(folder);
    await engine.register(account('one'));
    await expect(engine.register(account('bad', { fail: 'no' }))).rejects.toThrow('refused');
    const before = await stateOf(engine);
    await kill9(before.worker.pid);
    await until(async () => (await stateOf(engine)).worker.restarts === 1);
    const after = await stateOf(engine);
    expect([after.pid, after.server.pid]).toEqual([before.pid, before.server.pid]);
    const log = () => readFileSync(after.logs.worker, 'utf8');
    await until(() => log().split('account one').length - 1 === 2);
    expect(log().split('account bad').length - 1).toBe(1);
  }, 60_000);

  test('in its worker offers an account again that the new worker could not take at first', async () => {
    const folder = newFolder();
    const engine = await engineIn(folder);
    const away = join(folder, 'away');
    await engine.register(account('one', { failWhile: away }));
    writeFileSync(away, '');
    const { worker, logs } = await stateOf(engine);
    await kill9(worker.pid);
    const offers = () => readFileSync(logs.worker, 'utf8').split('account one').length - 1;
    await until(() => offers() >= 3);
    expect(readFileSync(logs.engine, 'utf8')).toContain('the new worker could not take the account');
    rmSync(away);
    await until(async () => (await stateOf(engine)).worker.pid !== null && offers() >= 4);
    const served = offers();
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    expect(offers(), 'a served account is not offered again').toBe(served);
    expect((await stateOf(engine)).accounts).toEqual(['one']);
  }, 60_000);

  test('while its worker thinks about an account asks the next worker', async () => {
    const folder = newFolder();
    const engine = await engineIn(folder);
    const { worker } = await stateOf(engine);
    const asked = join(folder, 'asked');
    const settled = Promise.allSettled([
      engine.register(account('slow', { silentOnce: asked })),
      engine.register(account('slow')),
    ]);
    await until(() => existsSync(asked));
    await kill9(worker.pid);
    expect((await settled).map((one) => one.status)).toEqual(['fulfilled', 'fulfilled']);
  }, 60_000);

  test('in its server gets it back on the same port, with its data', async () => {
    const engine = await engineIn(newFolder());
    await startWorkflow(engine, 'kept');
    const before = await stateOf(engine);
    await kill9(before.server.pid);
    await until(async () => (await stateOf(engine)).server.restarts === 1);
    expect(await statusOfWorkflow(engine, 'kept')).toBe('RUNNING');
    const after = await stateOf(engine);
    expect([after.address, after.pid, after.worker.pid]).toEqual([before.address, before.pid, before.worker.pid]);
  }, 60_000);

  test('in its supervisor is replaced by the next command, which ends what was left', async () => {
    const folder = newFolder();
    const engine = await engineIn(folder);
    await startWorkflow(engine, 'kept');
    const before = await stateOf(engine);
    await kill9(before.pid);
    const left = [before.server.pid, before.worker.pid].map((pid) => whenGone(pid ?? 0));
    const next = await engineIn(folder);
    await Promise.all(left);
    expect(next.joined).toBe(false);
    expect((await stateOf(next)).pid).not.toBe(before.pid);
    expect(await statusOfWorkflow(next, 'kept')).toBe('RUNNING');
  }, 60_000);

  test('6-O7: whose database is damaged sets it aside by itself, with a line', async () => {
    for (const damage of ['', 'no database at all']) {
      const folder = newFolder();
      await engineIn(folder);
      await endEngine(folder);
      for (const name of readdirSync(folder)) if (name.startsWith('temporal.db')) rmSync(join(folder, name));
      writeFileSync(join(folder, 'temporal.db'), damage);
      const lines: string[] = [];
      await engineIn(folder, { onProgress: (line) => lines.push(line) });
      expect(lines.join('\n')).toMatch(/database was damaged and is kept as .*temporal\.db\.damaged-/);
      expect(readdirSync(folder).filter((name) => /^temporal\.db\.damaged-.*Z$/.test(name))).toHaveLength(1);
    }
  }, 90_000);

  test('as a whole is replaced by the next command', async () => {
    const folder = newFolder();
    const engine = await engineIn(folder);
    await startWorkflow(engine, 'kept');
    const { pid, server, worker } = await stateOf(engine);
    for (const one of [pid, server.pid, worker.pid]) if (one !== null) process.kill(one, 'SIGKILL');
    const [next, other] = await Promise.all([engineIn(folder), engineIn(folder)]);
    expect(next.address).toBe(other.address);
    expect(await statusOfWorkflow(next, 'kept')).toBe('RUNNING');
  }, 60_000);

  test('and leaves a server behind is ended by `engine stop`', async () => {
    const folder = newFolder();
    const { pid, server } = await stateOf(await engineIn(folder));
    await kill9(pid);
    const gone = whenGone(server.pid ?? 0);
    expect(await endEngine(folder)).toBe('killed');
    await gone;
    expect(await endEngine(folder)).toBe('none');
  }, 60_000);

  test('or rather hangs is said not to answer, and ended by `engine stop`', async () => {
    const folder = newFolder();
    const { pid, server } = await stateOf(await engineIn(folder));
    process.kill(pid, 'SIGSTOP');
    await expect(engineIn(folder)).rejects.toMatchObject({ code: 'not_responding' });
    const gone = Promise.all([whenGone(pid), whenGone(server.pid ?? 0)]);
    expect(await endEngine(folder)).toBe('killed');
    await gone;
    expect((await engineIn(folder)).joined).toBe(false);
  }, 60_000);

  test('and whose numbers other processes have now harms none of them', async () => {
    const folder = newFolder();
    const stranger: ChildProcess = spawn('sleep', ['60'], { stdio: 'ignore' });
    try {
      const engine = await engineIn(folder);
      await kill9((await stateOf(engine)).pid);
      const path = join(folder, 'engine.json');
      const record = JSON.parse(readFileSync(path, 'utf8'));
      const old = [record.server, record.worker].map(({ pid }) => pid);
      record.server.pid = stranger.pid;
      record.worker.pid = stranger.pid;
      writeFileSync(path, JSON.stringify(record));
      writeFileSync(join(folder, 'engine.lock', `${stranger.pid}.1.abc`), '');
      for (const pid of old) await kill9(pid).catch(() => undefined);
      expect((await engineIn(folder)).joined).toBe(false);
      expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
    } finally {
      stranger.kill();
    }
  }, 60_000);
});
