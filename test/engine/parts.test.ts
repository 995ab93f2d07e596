// The engine's parts that need no server: restarts, the idle clock, the control socket, the places.
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { askEngine, type ControlReply, type ControlRequest, serveControl } from '../../src/engine/control.js';
import { readRecord } from '../../src/engine/engine-record.js';
import { createIdleClock } from '../../src/engine/idle.js';
import { createKeeper } from '../../src/engine/keeper.js';
import { enginePlaces } from '../../src/engine/places.js';
import { childEnvironment } from '../../src/engine/supervisor-environment.js';
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

test('the idle clock runs from the last use, or from the close of the last batch', () => {
  let now = 0;
  const clock = createIdleClock(100, () => now);
  expect([clock.count(), clock.endsAtMs()]).toEqual([null, 100]);
  now = 50;
  clock.used();
  expect(clock.endsAtMs()).toBe(150);
  clock.openBatches(0);
  expect(clock.endsAtMs()).toBe(150);
  now = 60;
  clock.openBatches(2);
  expect(clock.endsAtMs()).toBeNull();
  now = 500;
  clock.openBatches(0);
  expect([clock.count(), clock.endsAtMs()]).toEqual([0, 600]);
  now = 550;
  clock.openBatches(0);
  expect(clock.endsAtMs()).toBe(600);
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

  test('tells silence from nobody, and replaces what a dead engine left', async () => {
    const path = join(newTemp(), 's');
    writeFileSync(path, '');
    expect(await askEngine(path, { cmd: 'status' }, 200)).toBe('none');
    const server = await serveControl(path, () => new Promise(() => undefined));
    expect(await askEngine(path, { cmd: 'status' }, 200)).toBe('silent');
    server.close();
  });
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
