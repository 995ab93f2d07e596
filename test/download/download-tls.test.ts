import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { createDownloader } from '../../src/service/download.js';

const fixture = (name: string) => readFileSync(join(import.meta.dirname, '../service/fixtures', name));
const closing: (() => unknown)[] = [];

afterEach(async () => {
  vi.unstubAllEnvs();
  for (const close of closing.splice(0)) await close();
});

/** A server with a certificate that nobody vouches for. */
async function serveTls(): Promise<string> {
  const options = { cert: fixture('localhost-certificate.pem'), key: fixture('localhost-key.pem') };
  const server = createServer(options, (_, response) => response.end('over tls'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/a.mp4`;
}

function downloader() {
  const made = createDownloader({ allowLoopback: true, userAgent: 'callsheet/test' });
  closing.push(() => made.close());
  return made;
}

test('a certificate that nobody vouches for is refused', async () => {
  await expect(downloader().fetchOutput(await serveTls())).rejects.toMatchObject({
    reason: 'unreachable',
    message: expect.stringContaining('127.0.0.1 cannot be reached ('),
  });
});

test('https is spoken through the vetted connector', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  const { stream } = await downloader().fetchOutput(await serveTls());
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  expect(Buffer.concat(chunks).toString()).toBe('over tls');
});
