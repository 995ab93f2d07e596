import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { freePort } from '../../scripts/lib/versitygw.mjs';

const ENTRY = fileURLToPath(new URL('../../src/worker/main.ts', import.meta.url));

test('a worker whose server does not answer ends, so that the next one tries again', async () => {
  const worker = fork(ENTRY, [], { execArgv: ['--import', import.meta.resolve('tsx')], silent: true });
  const told = worker.stderr?.toArray();
  worker.send({ type: 'server', address: `127.0.0.1:${await freePort()}` });
  expect(await once(worker, 'exit')).toEqual([1, null]);
  expect(Buffer.concat((await told) ?? []).toString()).toContain('the Temporal server does not answer');
}, 60_000);
