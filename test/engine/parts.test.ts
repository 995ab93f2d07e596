// The engine's parts that need no server: restarts, the idle clock, the control socket, the places.

import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { askEngine, type ControlReply, type ControlRequest, serveControl } from '../../src/engine/control.js';
import { childEnvironment } from '../../src/engine/engine-options.js';
import { createRecordKeeper, readRecord } from '../../src/engine/engine-record.js';
import { createIdleClock } from '../../src/engine/idle.js';
import { createKeeper } from '../../src/engine/keeper.js';
import { enginePlaces } from '../../src/engine/places.js';
import { startServer } from '../../src/engine/server.js';
import { account } from './engine-under-test.js';

const newTemp = () => realpathSync(mkdtempSync(join(tmpdir(), 'callsheet-parts-')));

describe('a child that dies', () => {
  test('is started again at once, then ever later', async () => {
    const deaths: [string, number][] = [];
    const keeper = createKeeper({
      start: () => spawn(process.execPath, ['-e', 'process.exit(3)'], { stdio: 'ignore' }),
      onChange: () => undefined,
      onDeath: (how, restartInMs) => deaths.push([how, restartInMs]),
    });
    keeper.start();
    expect(await keeper.firstDeath).toBe('exit code 3');
    await vi.waitUntil(() => deaths.length === 3, 10_000);
    await keeper.stop(100);
    await sleep(200);
    expect(deaths).toEqual([
      ['exit code 3', 0],
      ['exit code 3', 1_000],
      ['exit code 3', 2_000],
    ]);
    expect(keeper.restarts()).toBe(2);
  });

  test('is killed when it does not end in time', async () => {
    const start = () =>
      spawn(process.execPath, [
        '-e',
        "process.on('SIGTERM', () => {}); console.log('up'); setInterval(() => {}, 1000)",
      ]);
    let up = false;
    const keeper = createKeeper({
      start: () => {
        const child = start();
        child.stdout.once('data', () => {
          up = true;
        });
        return child;
      },
      onChange: () => undefined,
      onDeath: () => expect.unreachable('it was asked to end'),
    });
    keeper.start();
    await vi.waitUntil(() => up, 10_000);
    await keeper.stop(200);
    expect(await keeper.firstDeath).toBe('SIGKILL');
  });

  test('is given more time for as long as it waits for what is paid', async () => {
    let up = false;
    const keeper = createKeeper({
      start: () => {
        const child = spawn(process.execPath, [
          '-e',
          "process.on('SIGTERM', () => setTimeout(() => process.exit(0), 1500)); setInterval(() => {}, 1000); console.log('up')",
        ]);
        child.stdout.once('data', () => {
          up = true;
        });
        return child;
      },
      onChange: () => undefined,
      onDeath: () => undefined,
    });
    keeper.start();
    await vi.waitUntil(() => up, 10_000);
    const stopping = keeper.stop(1_000);
    const more = setInterval(() => keeper.grant(1_000), 100);
    await stopping;
    clearInterval(more);
    expect(await keeper.firstDeath).toBe('exit code 0');
  });

  test('6-O2: is started again although the log for it has no room at first', async () => {
    let tries = 0;
    const deaths: string[] = [];
    const keeper = createKeeper({
      start: () => {
        tries += 1;
        if (tries === 1) throw new Error('ENOSPC: no space left on device');
        return spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
      },
      onChange: () => undefined,
      onDeath: (how) => deaths.push(how),
    });
    keeper.start();
    await vi.waitUntil(() => tries === 2, 10_000);
    await keeper.stop(5_000);
    expect(deaths).toEqual(['ENOSPC: no space left on device']);
  });

  test('whose program is not there is tried again too', async () => {
    const keeper = createKeeper({
      start: () => spawn('/nowhere/program', []),
      onChange: () => undefined,
      onDeath: () => undefined,
    });
    keeper.start();
    expect(await keeper.firstDeath).toContain('ENOENT');
    await keeper.stop(100);
  });
});

test('the idle clock runs from the last use, or from the end of the last batch or other work', () => {
  let now = 0;
  const clock = createIdleClock(100, () => now);
  const open = (batches: number, others = 0) => clock.open({ batches, others });
  expect([clock.work(), clock.endsAtMs()]).toEqual([null, 100]);
  now = 50;
  clock.used();
  expect(clock.endsAtMs()).toBe(150);
  open(0);
  expect(clock.endsAtMs()).toBe(150);
  now = 60;
  open(2);
  expect(clock.endsAtMs()).toBeNull();
  now = 500;
  open(0, 1);
  expect(clock.endsAtMs(), 'an output is still fetched').toBeNull();
  now = 600;
  open(0);
  expect([clock.work(), clock.endsAtMs()]).toEqual([{ batches: 0, others: 0 }, 700]);
  now = 650;
  open(0);
  expect(clock.endsAtMs()).toBe(700);
});

describe('the control socket', () => {
  const refuse = async (request: ControlRequest): Promise<ControlReply> => ({
    ok: false,
    code: request.cmd,
    message: '',
  });

  test('answers each request, and refuses what is none', async () => {
    const path = join(newTemp(), 's');
    const server = await serveControl(path, refuse);
    expect(await askEngine(path, { cmd: 'status' }, 1_000)).toMatchObject({ code: 'status' });
    const registration = account('one', { nested: { list: [1, 'ü\n'] } });
    expect(await askEngine(path, { cmd: 'account', registration }, 1_000)).toMatchObject({ code: 'account' });
    for (const line of ['no json', '{"cmd":"explode"}', '{"cmd":"account","registration":{}}', '[]']) {
      const socket = createConnection(path);
      socket.write(`${line}\n`);
      const [answer] = await new Promise<Buffer[]>((resolve) => socket.once('data', (data) => resolve([data])));
      expect(JSON.parse(String(answer))).toMatchObject({ ok: false, code: 'bad_request' });
    }
    server.close();
    expect(await askEngine(path, { cmd: 'status' }, 1_000)).toBe('none');
  });

  test('F45: what an engine could not do is its answer, and no sign that it is gone', async () => {
    const path = join(newTemp(), 's');
    const full = Object.assign(new Error('ENOSPC: no space left on device, open'), { code: 'ENOSPC' });
    const server = await serveControl(path, async () => Promise.reject(full));
    expect(await askEngine(path, { cmd: 'status' }, 1_000)).toEqual({
      ok: false,
      code: 'ENOSPC',
      message: full.message,
    });
    server.close();
  });

  test('tells silence from nobody, and replaces what a dead engine left', async () => {
    const path = join(newTemp(), 's');
    writeFileSync(path, '');
    expect(await askEngine(path, { cmd: 'status' }, 200)).toBe('none');
    const server = await serveControl(path, () => new Promise(() => undefined));
    expect(await askEngine(path, { cmd: 'status' }, 200)).toBe('silent');
    server.close();
  });
});

test('a server whose engine was asked to end before it began says so', async () => {
  const folder = newTemp();
  const heard = { onAddress: vi.fn(), onChange: vi.fn(), onDeath: vi.fn(), onSetAside: vi.fn() };
  const place = { temporalCli: 'none', dataFolder: folder, log: join(folder, 'server.log'), environment: {} };
  const started = startServer({ ...place, ...heard, uiPort: null, signal: AbortSignal.abort() });
  await expect(started).rejects.toThrow('the Temporal server did not start (it was asked to end)');
});

test('6-O2: a record that cannot be written is tried again and never throws into the end of a child', () => {
  vi.useFakeTimers();
  const folder = newTemp();
  const path = join(folder, 'away', 'engine.json');
  const troubles: unknown[] = [];
  const keeper = createRecordKeeper('test', { ...enginePlaces(folder), record: path }, (error) => troubles.push(error));
  keeper.save({});
  expect([troubles.length, readRecord(path)]).toEqual([1, undefined]);
  mkdirSync(join(folder, 'away'));
  vi.advanceTimersByTime(10_000);
  vi.useRealTimers();
  expect([troubles.length, readRecord(path)?.buildId]).toEqual([1, 'test']);
});

describe('the places', () => {
  test('are the same for two spellings of a folder', () => {
    const folder = newTemp();
    mkdirSync(join(folder, 'real'));
    symlinkSync(join(folder, 'real'), join(folder, 'link'));
    expect(enginePlaces(join(folder, 'link')).socket).toBe(enginePlaces(join(folder, 'real')).socket);
  });

  test('a data folder that cannot be is said', () => {
    const file = join(newTemp(), 'file');
    writeFileSync(file, '');
    expect(() => enginePlaces(file)).toThrow(`the data folder ${file} cannot be used: choose another with --data`);
  });

  test('a folder for the socket that others can enter is refused', () => {
    const temp = newTemp();
    vi.stubEnv('TMPDIR', temp);
    const shared = join(temp, `callsheet-${process.getuid?.()}`);
    mkdirSync(shared);
    chmodSync(shared, 0o777);
    expect(() => enginePlaces(join(temp, 'x'.repeat(120)))).toThrow('nobody else can enter');
    vi.unstubAllEnvs();
  });

  test('a record that was cut or is not ours counts as none', () => {
    const path = join(newTemp(), 'engine.json');
    for (const text of ['', '{"schema":1', '[]', '{"schema":2}']) {
      writeFileSync(path, text);
      expect(readRecord(path)).toBeUndefined();
    }
  });
});

test('children inherit neither the key nor the settings nor the S3 credentials of the first client', () => {
  const env = {
    PATH: '/bin',
    CALLSHEET_API_KEY: 'k',
    CALLSHEET_TIME_SCALE: '60',
    TEMPORAL_API_KEY: 't',
    AWS_REGION: 'r',
    AWS_SECRET_ACCESS_KEY: 's',
    AWS_CA_BUNDLE: 'c',
  };
  expect(childEnvironment(env)).toEqual({ PATH: '/bin', AWS_CA_BUNDLE: 'c' });
});
