// An account that the engine is told it does not serve is served by nobody: another engine may take its home. What a
// command does not bring stays as another brought it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { S3Environment } from '../../src/domain/s3.js';
import type { AccountRegistration, FromWorker, HandedAccount } from '../../src/engine/registration.js';
import { createWorkerHost } from '../../src/worker/host.js';
import type { WorkerPlace } from '../../src/worker/options.js';
import { silent } from '../support/silent-log.js';

/** Who serves, with the S3 variables that it was begun with. */
const serving = vi.hoisted(() => new Map<object, object | undefined>());
vi.mock('../../src/worker.js', () => ({
  async startAccountWorker({ s3 }: { s3?: object }) {
    const worker = {
      ended: new Promise(() => undefined),
      shutdown: async () => void serving.delete(worker),
      awaited: () => [],
      pendingNotices: () => 0,
      adopt: () => undefined,
    };
    serving.set(worker, s3);
    return worker;
  },
}));

const client = { workflow: { count: async () => ({ count: 0 }) } };
const place = Promise.resolve({ client } as unknown as WorkerPlace);
const settings = {
  ...{ account: 'a', home: '/home', callbacks: { listen: null }, exclusive: false },
  limits: { concurrency: null, rpm: null },
  waits: { lambdaMs: 1, thetaMs: 1, rhoMs: 1, syncMaxMs: 1, renderMaxMs: {} },
};
const hand = (turn: number, change: Partial<AccountRegistration> = {}): HandedAccount => ({
  type: 'account',
  turn,
  registration: { account: 'a', settings, key: { value: 'sk-svc-a' }, ...change },
});

test('where it cannot be kept what a command said, its account is not served by halves', async () => {
  const kept = join(mkdtempSync(join(tmpdir(), 'callsheet-host-')), 'accounts');
  // As on a full disk: no folder can be made here.
  writeFileSync(kept, '');
  const said: FromWorker[] = [];
  const host = createWorkerHost({ place, log: silent, say: (message) => void said.push(message), kept });
  await host.serve(hand(1));
  expect(said.filter(({ type }) => type !== 'open')).toMatchObject([{ type: 'failed', turn: 1 }]);
  expect(serving.size).toBe(0);
  rmSync(kept);
  await host.serve(hand(2));
  expect(said.filter(({ type }) => type === 'ready')).toMatchObject([{ turn: 2 }]);
  expect(serving.size).toBe(1);
  await host.shutdown();
});

const KEYS = { AWS_ACCESS_KEY_ID: 'first', AWS_SECRET_ACCESS_KEY: 'word', AWS_REGION: 'eu-central-1' };
const OTHERS = { AWS_ACCESS_KEY_ID: 'fresh', AWS_SECRET_ACCESS_KEY: 'word', AWS_SESSION_TOKEN: 'token' };

test.each<[string, S3Environment, S3Environment]>([
  ['without S3 variables', {}, KEYS],
  ['with a region alone, as a shell may set it for all', { AWS_REGION: 'us-east-1' }, KEYS],
  ['with keys of its own', OTHERS, OTHERS],
  ['with a profile', { AWS_PROFILE: 'films' }, { AWS_PROFILE: 'films' }],
])('after a later command %s a batch reaches its bucket by one whole set of variables', async (_what, s3, inForce) => {
  const host = createWorkerHost({ place, log: silent, say: () => undefined });
  await host.serve(hand(1, { s3: KEYS }));
  await host.serve(hand(2, { s3 }));
  expect([...serving.values()].at(-1)).toEqual(inForce);
  await host.shutdown();
});

test('a command that brings a key and S3 credentials hands both over, and no other settings', async () => {
  const host = createWorkerHost({ place, log: silent, say: (message) => void said.push(message) });
  const said: FromWorker[] = [];
  await host.serve(hand(1, { s3: KEYS }));
  await host.serve(hand(2, { s3: OTHERS, settings: { ...settings, home: '/other' }, isKeyOnly: true }));
  expect([...serving.values()].at(-1)).toEqual(OTHERS);
  expect(said.filter(({ type }) => type === 'ready')).toMatchObject([{}, { settings: { home: '/home' } }]);
  await host.shutdown();
});
