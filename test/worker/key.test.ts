// F21: the latest key that the service takes is used, whatever has become of the one before.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { AccountSettings } from '../../src/contract/account.js';
import { offerKey } from '../../src/worker/key.js';
import { createKeySource } from '../../src/worker/key-source.js';
import { UNCOUNTED } from '../../src/worker/request-window.js';
import { silent } from '../support/silent-log.js';

const AT_ONCE = { log: silent, requests: UNCOUNTED };

test('a service that is away for a moment, or crowded, does not make a new key forgotten', async () => {
  const before = [503, 429];
  const service = createServer((request, answer) => {
    const known = request.headers.authorization === 'Bearer sk-svc-new' ? 200 : 401;
    answer.statusCode = before.shift() ?? known;
    answer.end('{}');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => service.once('listening', resolve));
  try {
    const baseUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
    const settings = { account: 'a', baseUrl, userAgent: 'callsheet/test' } as AccountSettings;
    const source = createKeySource({ value: 'sk-svc-old' });
    let turns = 0;
    const turn = async () => {
      turns += 1;
      return 0;
    };
    expect(
      await offerKey(
        source,
        settings,
        { value: 'sk-svc-new' },
        { log: silent, requests: { turn, leaves: () => undefined } },
      ),
    ).toBe(true);
    expect(source.current()).toBe('sk-svc-new');
    // I12: each is one of the plan's requests.
    expect(turns).toBe(3);
  } finally {
    service.close();
  }
});

test('in a minute that is full a key is asked for once, with the request that is kept free for that', async () => {
  let asked = 0;
  const service = createServer((_, answer) => {
    asked += 1;
    answer.statusCode = 503;
    answer.end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => service.once('listening', resolve));
  try {
    const baseUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
    const settings = { account: 'a', baseUrl, userAgent: 'callsheet/test' } as AccountSettings;
    const leaves = vi.fn();
    const requests = { turn: async () => 40_000, leaves };
    const source = createKeySource({ value: 'sk-svc-old' });
    expect(await offerKey(source, settings, { value: 'sk-svc-new' }, { log: silent, requests })).toBe(false);
    expect([asked, leaves.mock.calls.length]).toEqual([1, 1]);
  } finally {
    service.close();
  }
});

test('a key is taken in the place of one whose file is gone', async () => {
  const service = createServer((request, answer) => {
    answer.statusCode = request.headers.authorization === 'Bearer sk-svc-new' ? 200 : 401;
    answer.end('{}');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => service.once('listening', resolve));
  try {
    const baseUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
    const settings = { account: 'a', baseUrl, userAgent: 'callsheet/test' } as AccountSettings;
    const file = join(mkdtempSync(join(tmpdir(), 'callsheet-key-')), 'key');
    writeFileSync(file, 'sk-svc-old\n');
    const source = createKeySource({ file });
    expect(source.current()).toBe('sk-svc-old');
    rmSync(file);
    expect(await offerKey(source, settings, { value: 'sk-svc-wrong' }, AT_ONCE)).toBe(false);
    expect(await offerKey(source, settings, { value: 'sk-svc-new' }, AT_ONCE)).toBe(true);
    expect(source.current()).toBe('sk-svc-new');
  } finally {
    service.close();
  }
});
