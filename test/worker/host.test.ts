// An account that the engine is told it does not serve is served by nobody: another engine may take its home.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { FromWorker, HandedAccount } from '../../src/engine/registration.js';
import { createWorkerHost } from '../../src/worker/host.js';
import type { WorkerPlace } from '../../src/worker/options.js';
import { silent } from '../support/silent-log.js';

const serving = vi.hoisted(() => new Set<object>());
vi.mock('../../src/worker.js', () => ({
  async startAccountWorker() {
    const worker = {
      ended: new Promise(() => undefined),
      shutdown: async () => void serving.delete(worker),
      awaited: () => [],
      pendingNotices: () => 0,
      adopt: () => undefined,
    };
    serving.add(worker);
    return worker;
  },
}));

test('where it cannot be kept what a command said, its account is not served by halves', async () => {
  const client = { workflow: { count: async () => ({ count: 0 }) } };
  const kept = join(mkdtempSync(join(tmpdir(), 'callsheet-host-')), 'accounts');
  // As on a full disk: no folder can be made here.
  writeFileSync(kept, '');
  const said: FromWorker[] = [];
  const place = Promise.resolve({ client } as unknown as WorkerPlace);
  const host = createWorkerHost({ place, log: silent, say: (message) => void said.push(message), kept });
  const settings = {
    ...{ account: 'a', home: '/home', callbacks: { listen: null }, exclusive: false },
    limits: { concurrency: null, rpm: null },
    waits: { lambdaMs: 1, thetaMs: 1, rhoMs: 1, syncMaxMs: 1, renderMaxMs: {} },
  };
  const hand = (turn: number): HandedAccount => ({
    type: 'account',
    turn,
    registration: { account: 'a', settings, key: { value: 'sk-svc-a' } },
  });
  await host.serve(hand(1));
  expect(said.filter(({ type }) => type !== 'open')).toMatchObject([{ type: 'failed', turn: 1 }]);
  expect(serving.size).toBe(0);
  rmSync(kept);
  await host.serve(hand(2));
  expect(said.filter(({ type }) => type === 'ready')).toMatchObject([{ turn: 2 }]);
  expect(serving.size).toBe(1);
  await host.shutdown();
});
