// F21: the latest key that the service takes is used, whatever has become of the one before.
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { AccountSettings } from '../../src/contract/account.js';
import { offerKey } from '../../src/worker/key.js';
import { createKeySource } from '../../src/worker/key-source.js';
import { UNCOUNTED } from '../../src/worker/request-window.js';
import { silent } from '../support/silent-log.js';

const AT_ONCE = { log: silent, requests: UNCOUNTED };

/** The settings of an account whose service gives these statuses by the key that it is asked with. */
async function serve(statusOf: (key: string | undefined) => number): Promise<AccountSettings> {
  const service = createServer((request, answer) => {
    answer.statusCode = statusOf(request.headers.authorization?.replace('Bearer ', ''));
    answer.end('{}');
  }).listen(0, '127.0.0.1');
  await once(service, 'listening');
  onTestFinished(() => void service.close());
  const baseUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  return { account: 'a', baseUrl, userAgent: 'callsheet/test' } as AccountSettings;
}

const ofNew = (key: string | undefined): number => (key === 'sk-svc-new' ? 200 : 401);

test('a service that is away for a moment, or crowded, does not make a new key forgotten', async () => {
  const before = [503, 429];
  const settings = await serve((key) => before.shift() ?? ofNew(key));
  const source = createKeySource({ value: 'sk-svc-old' });
  const turn = vi.fn(async () => 0);
  const requests = { turn, leaves: () => undefined };
  expect(await offerKey(source, settings, { value: 'sk-svc-new' }, { log: silent, requests })).toBe('good');
  expect(source.current()).toBe('sk-svc-new');
  // I12: each is one of the plan's requests.
  expect(turn).toHaveBeenCalledTimes(3);
});

test('in a minute that is full a key is asked for once, with the request that is kept free for that', async () => {
  const asked = vi.fn(() => 503);
  const settings = await serve(asked);
  const leaves = vi.fn();
  const requests = { turn: async () => 40_000, leaves };
  const source = createKeySource({ value: 'sk-svc-old' });
  expect(await offerKey(source, settings, { value: 'sk-svc-new' }, { log: silent, requests })).toBe('unknown');
  expect(source.current()).toBe('sk-svc-old');
  expect([asked.mock.calls.length, leaves.mock.calls.length]).toEqual([1, 1]);
});

test('a key is taken in the place of one whose file is gone', async () => {
  const settings = await serve(ofNew);
  const file = join(mkdtempSync(join(tmpdir(), 'callsheet-key-')), 'key');
  writeFileSync(file, 'sk-svc-old\n');
  const source = createKeySource({ file });
  expect(source.current()).toBe('sk-svc-old');
  rmSync(file);
  expect(await offerKey(source, settings, { value: 'sk-svc-wrong' }, AT_ONCE)).toBe('refused');
  expect(await offerKey(source, settings, { value: 'sk-svc-new' }, AT_ONCE)).toBe('good');
  expect(source.current()).toBe('sk-svc-new');
});
