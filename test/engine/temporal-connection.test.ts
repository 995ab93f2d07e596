import { mkdtempSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { configuredTemporalAddress, TemporalSettingsError } from '../../src/temporal/profile.js';
import { connectTemporal, connectTemporalWorker, TemporalUnreachableError } from '../../src/temporal.js';
import { hasTemporal, startTemporal } from '../support/temporal.js';

const folder = mkdtempSync(join(tmpdir(), 'callsheet-profile-'));

/** The developer's own profile and variables have no say here. */
beforeEach(() => {
  for (const name of Object.keys(process.env)) if (name.startsWith('TEMPORAL_')) vi.stubEnv(name, undefined);
  vi.stubEnv('TEMPORAL_CONFIG_FILE', join(folder, 'none.toml'));
});
afterEach(() => {
  vi.unstubAllEnvs();
});

function profile(text: string): void {
  const path = join(folder, 'temporal.toml');
  writeFileSync(path, text);
  vi.stubEnv('TEMPORAL_CONFIG_FILE', path);
}

test('no address anywhere means the engine', () => {
  expect(configuredTemporalAddress()).toBeUndefined();
});

test('the address comes from the SDK variables or its profile file', () => {
  profile('[profile.default]\naddress = "cluster.example:7233"\n');
  expect(configuredTemporalAddress()).toBe('cluster.example:7233');
  vi.stubEnv('TEMPORAL_ADDRESS', 'other.example:7233');
  expect(configuredTemporalAddress()).toBe('other.example:7233');
});

test('a profile that cannot be read is said', () => {
  profile('not toml [');
  expect(() => configuredTemporalAddress()).toThrow(TemporalSettingsError);
});

test('a server that is not there is said with its address, soon', async () => {
  const startedAt = Date.now();
  const failure = connectTemporal({ address: '127.0.0.1:1', embedded: true, tries: 2, withinMs: 2_000 });
  await expect(failure).rejects.toThrow(TemporalUnreachableError);
  await expect(failure).rejects.toMatchObject({ code: 'temporal_unreachable', address: '127.0.0.1:1' });
  expect(Date.now() - startedAt).toBeLessThan(3_000);
});

test('the advice is for the server that was asked: the engine has no address to check', async () => {
  const said = (embedded: boolean) =>
    connectTemporal({ address: '127.0.0.1:1', embedded, tries: 1, withinMs: 1_000 }).catch((error) => String(error));
  expect(await said(true)).toMatch(/the engine's Temporal server at 127\.0\.0\.1:1 .*`callsheet engine status`/);
  expect(await said(true)).not.toContain('TEMPORAL_ADDRESS');
  expect(await said(false)).toContain('check TEMPORAL_ADDRESS and');
  vi.stubEnv('TEMPORAL_TLS', 'true');
  expect(await said(false)).toMatch(/at 127\.0\.0\.1:1 over TLS .*: check TEMPORAL_ADDRESS, TEMPORAL_TLS and/);
});

test('an IP address that is asked over TLS brings no warning of Node (DEP0123)', async () => {
  const warned: string[] = [];
  const listen = ({ message }: Error) => void warned.push(message);
  process.on('warning', listen);
  const server = createServer((socket) => void socket.on('error', () => undefined).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  vi.stubEnv('TEMPORAL_TLS', 'true');
  const failure = connectTemporal({ address: `127.0.0.1:${port}`, tries: 1, withinMs: 1_000 });
  await expect(failure).rejects.toThrow(TemporalUnreachableError);
  await sleep(0);
  process.off('warning', listen);
  server.close();
  expect(warned).toEqual([]);
});

test('a server that says nothing is given up within 15 s', async () => {
  const mute = createServer(() => undefined);
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
  const address = mute.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const startedAt = Date.now();
  await expect(connectTemporal({ address: `127.0.0.1:${port}`, embedded: true })).rejects.toThrow('does not answer (');
  expect(Date.now() - startedAt).toBeLessThan(16_000);
  mute.close();
}, 30_000);

describe.skipIf(!hasTemporal())('a real server', () => {
  test('a namespace that it does not have is one sentence about the settings, for a client', async () => {
    const server = await startTemporal();
    try {
      const failure = connectTemporal({ address: server.address, namespace: 'missing' });
      await expect(failure).rejects.toThrow(TemporalSettingsError);
      await expect(failure).rejects.toThrow(/has no namespace 'missing': check TEMPORAL_NAMESPACE/);
    } finally {
      await server.teardown();
    }
  });

  test('is reached by clients and workers, whatever the profile says', async () => {
    const server = await startTemporal();
    try {
      profile('[profile.default]\naddress = "127.0.0.1:1"\n[profile.default.tls]\n');
      const { client, close, namespace } = await connectTemporal({ address: server.address, embedded: true });
      expect(namespace).toBe('default');
      await client.workflowService.getSystemInfo({});
      await close();
      const worker = await connectTemporalWorker({ address: server.address, embedded: true });
      await worker.connection.close();
      vi.stubEnv('TEMPORAL_CONFIG_FILE', join(folder, 'none.toml'));
      vi.stubEnv('TEMPORAL_ADDRESS', server.address);
      await (await connectTemporal()).close();
    } finally {
      await server.teardown();
    }
  }, 60_000);

  test('a call that is being tried again when its connection closes fails, and takes nothing down with it', async () => {
    const server = await startTemporal();
    const { client, close } = await connectTemporal({ address: server.address, embedded: true });
    await server.teardown();
    const call = client.workflow.count();
    const failure = expect(call).rejects.toMatchObject({ cause: { details: 'the connection is closed' } });
    // The first try has failed by now, and the next ones are still far from the last.
    await sleep(500);
    await close();
    await failure;
  }, 60_000);
});
