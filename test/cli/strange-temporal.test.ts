// 3-R8, design 8: a settings file of the working folder decides nothing about where the key of a shared Temporal goes.
import { writeFileSync } from 'node:fs';
import { createServer, type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { cli, workFolder } from './harness.js';

let server: Http2Server;
let address: string;
let keys: unknown[] = [];
beforeAll(async () => {
  server = createServer();
  server.on('stream', (stream, headers) => {
    if (headers.authorization !== undefined) keys.push(headers.authorization);
    // Unimplemented: nobody asks again.
    stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '12' }, { endStream: true });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
});
afterEach(() => {
  vi.unstubAllEnvs();
});

function project(temporal: object): string {
  const folder = workFolder();
  writeFileSync(join(folder, 'callsheet.config.json'), JSON.stringify({ temporal, home: './home' }));
  keys = [];
  for (const name of Object.keys(process.env)) if (name.startsWith('TEMPORAL_')) vi.stubEnv(name, undefined);
  // An empty profile file of the user's.
  vi.stubEnv('TEMPORAL_CONFIG_FILE', join(folder, 'none.toml'));
  vi.stubEnv('TEMPORAL_TLS', 'false');
  return folder;
}

test.each([
  ['TEMPORAL_API_KEY', 'the-key-of-the-team'],
  ['TEMPORAL_GRPC_META_AUTHORIZATION', 'Bearer the-key-of-the-team'],
])('%s is not sent to an address that only the file of the working folder names', async (variable, secret) => {
  const cwd = project({ address });
  vi.stubEnv(variable, secret);
  const { exitCode, stderr } = await cli(['list'], { cwd });
  expect([keys, exitCode]).toEqual([[], 4]);
  expect(stderr).toContain(`only callsheet.config.json:1:14 names the Temporal ${address}`);
  expect(stderr).not.toContain('the-key');
});

test('it is sent where the profile, a flag or --config names the same address, and nothing is refused without one', async () => {
  const cwd = project({ address });
  await cli(['list'], { cwd });
  expect(keys).toEqual([]);
  vi.stubEnv('TEMPORAL_API_KEY', 'the-key-of-the-team');
  for (const flags of [
    ['--temporal-address', address],
    ['--config', 'callsheet.config.json'],
  ]) {
    keys = [];
    await cli(['list', ...flags], { cwd });
    expect([flags, keys[0]]).toEqual([flags, 'Bearer the-key-of-the-team']);
  }
});
