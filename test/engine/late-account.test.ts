// Handing an account over: a worker that is slow to take it, and an engine that ends in between.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { type ControlReply, serveControl } from '../../src/engine/control.js';
import { ensureEngine } from '../../src/engine/engine-client.js';
import type { EngineState } from '../../src/engine/engine-status.js';
import { enginePlaces } from '../../src/engine/places.js';
import { createWorkerLink } from '../../src/engine/worker-link.js';
import { account, newFolder, programs, until } from './engine-under-test.js';

afterEach(() => vi.useRealTimers());

/** A worker that nobody listens to, and how to end it. */
function linkTo(log: string) {
  const ignored = () => undefined;
  const heard = { onOpen: ignored, onAwaiting: ignored, onDeath: ignored, onLeft: ignored, onReplayFailed: ignored };
  let pid = 0;
  const onChange = (process: { pid: number } | null) => {
    pid = process?.pid ?? pid;
  };
  const link = createWorkerLink({ program: programs.worker, args: [], environment: {}, log, ...heard, onChange });
  return { link, kill: () => process.kill(pid, 'SIGKILL') };
}

test('an account that the worker takes after the command gave up is handed to the next worker', async () => {
  const folder = newFolder();
  const [log, late] = [join(folder, 'worker.log'), join(folder, 'late')];
  const { link, kill } = linkTo(log);
  const offers = () => (existsSync(log) ? readFileSync(log, 'utf8').split('account one ').length - 1 : 0);
  link.keeper.start();
  try {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const answer = link.register(account('one', { late }));
    vi.advanceTimersByTime(30_000);
    vi.useRealTimers();
    expect(await answer).toMatchObject({ ok: false, code: 'worker_timeout' });
    writeFileSync(late, '');
    await until(() => link.accounts().includes('one'));
    const before = offers();
    kill();
    await until(() => offers() > before);
  } finally {
    await link.keeper.stop(100);
  }
});

test('a key that is handed over alone leaves the next worker what reaches the home', async () => {
  const log = join(newFolder(), 'worker.log');
  const { link, kill } = linkTo(log);
  link.keeper.start();
  try {
    await link.register({ ...account('one'), s3: { AWS_ACCESS_KEY_ID: 'AKIA' } });
    // As the control socket reads it of `resume --api-key-file new`.
    await link.register({ ...account('one'), key: { value: 'sk-svc-newer' }, s3: {}, isKeyOnly: true });
    kill();
    const offers = () => readFileSync(log, 'utf8').trim().split('\n');
    await until(() => offers().length === 3);
    expect(offers().at(-1)).toBe('account one key of 12 with AWS_ACCESS_KEY_ID');
    await link.register({ ...account('one'), s3: { AWS_PROFILE: 'films' }, isKeyOnly: true });
    kill();
    await until(() => offers().length === 5);
    expect(offers().at(-1)).toMatch(/ with AWS_PROFILE$/);
  } finally {
    await link.keeper.stop(100);
  }
});

test('a command without S3 variables leaves the worker, and the next one, those of another', async () => {
  const log = join(newFolder(), 'worker.log');
  const { link, kill } = linkTo(log);
  const offers = () => readFileSync(log, 'utf8').trim().split('\n');
  link.keeper.start();
  try {
    await link.register({ ...account('one'), s3: { AWS_ACCESS_KEY_ID: 'AKIA' } });
    await link.register({ ...account('one'), s3: {} });
    kill();
    await until(() => offers().length === 3);
    expect(offers().map((line) => line.includes(' with AWS_ACCESS_KEY_ID'))).toEqual([true, false, true]);
    await link.register({ ...account('one'), s3: { AWS_PROFILE: 'films' } });
    kill();
    await until(() => offers().length === 5);
    expect(offers().at(-1)).toMatch(/ with AWS_PROFILE$/);
  } finally {
    await link.keeper.stop(100);
  }
});

test.each([
  [
    'is just ending',
    'not_ready',
    { code: 'engine_gone', message: 'the engine ended meanwhile: run the same command again' },
  ],
  ['has a slow worker', 'worker_timeout', { code: 'not_responding', message: 'said by the engine' }],
  ['refuses the account', 'key_refused', { code: 'registration_failed', reason: 'key_refused' }],
])('an engine that %s is told as what it is', async (_what, code, told) => {
  const dataFolder = newFolder();
  const status = { state: 'ready', buildId: 'test', address: '127.0.0.1:1' } as EngineState;
  const server = await serveControl(enginePlaces(dataFolder).socket, async ({ cmd }): Promise<ControlReply> => {
    return cmd === 'account' ? { ok: false, code, message: 'said by the engine' } : { ok: true, status };
  });
  const engine = await ensureEngine({ dataFolder, buildId: 'test', programs });
  await expect(engine.register(account('one'))).rejects.toMatchObject(told);
  server.close();
});
