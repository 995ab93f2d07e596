// What is signed ends with the credentials: plan says so before anything is paid (design 9, How the input travels).
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { cli, workFolder } from './harness.js';

const MANIFEST = 'id,kind,avatar_id,audio\nspeech,vendor-b/avatar,anna,s3://library/speech.wav\n';

/** A bucket in which there is everything. */
const server = createServer((_, response) => response.writeHead(200, { 'content-length': 9_000 }).end());

afterEach(() => {
  vi.unstubAllEnvs();
  server.close();
});

test('the life that is needed and the one that the credentials have', async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'films');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'a-secret');
  const cwd = workFolder();
  writeFileSync(join(cwd, 'spoken.csv'), MANIFEST);
  const env = { CALLSHEET_BASE_URL: 'http://127.0.0.1:9', CALLSHEET_API_KEY: 'sk-svc-not-a-real-key' };
  const plan = ['plan', 'spoken.csv', '--no-network', '--input-root', 's3://library'];
  const said = async (livesMs: number) => {
    vi.stubEnv('AWS_CREDENTIAL_EXPIRATION', new Date(Date.now() + livesMs).toISOString());
    const { exitCode, stderr } = await cli([...plan, '--endpoint', endpoint, '--force-path-style'], { cwd, env });
    expect(exitCode, stderr).toBe(0);
    return stderr;
  };
  // Speech of unknown length may render for 6 hours, and is read an hour longer.
  expect(await said(40 * 60_000 + 20_000)).toMatch(
    /signed URLs of inputs are needed for 7 h, and the S3 credentials end in 40 min \d+ s: use credentials that live/,
  );
  expect(await said(8 * 3_600_000)).not.toContain('credentials');
});
