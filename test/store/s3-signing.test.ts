// How long a signed URL lives: as long as was asked for, or as the credentials that an engine was handed. Which
// credentials it is signed with: those that a profile has now.
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { DEFAULT_S3 } from '../../src/domain/s3.js';
import { createPlaces } from '../../src/store/open-store.js';
import { temporaryFolder } from './support/temporary.js';

afterEach(() => vi.unstubAllEnvs());

const KEYS = { AWS_ACCESS_KEY_ID: 'films', AWS_SECRET_ACCESS_KEY: 'a-secret' };

async function livesMs(environment: Record<string, string>): Promise<number> {
  const settings = { ...DEFAULT_S3, region: 'us-east-1' };
  const { openInput } = createPlaces({ settings, environment: { ...KEYS, ...environment } });
  return (await openInput('s3://bucket/a.png').url(3_600)).endsAtMs - Date.now();
}

test('a signed URL ends with the credentials', async () => {
  const ends = new Date(Date.now() + 600_000).toISOString();
  expect(await livesMs({ AWS_CREDENTIAL_EXPIRATION: ends })).toBeLessThanOrEqual(600_000);
  expect(await livesMs({})).toBeGreaterThan(3_500_000);
});

/** A profile whose session credentials are in a file, as a tool writes them anew before they end. */
function profileInFile() {
  const file = join(temporaryFolder(), 'credentials');
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', file);
  vi.stubEnv('AWS_CONFIG_FILE', `${file}-none`);
  return (keyId: string) =>
    writeFileSync(
      file,
      `[films]\naws_access_key_id=${keyId}\naws_secret_access_key=word\naws_session_token=${keyId}-token\n`,
    );
}

function inputOf(endpoint: string | null) {
  const settings = { ...DEFAULT_S3, region: 'us-east-1', endpoint, forcePathStyle: true };
  return createPlaces({ settings, environment: { AWS_PROFILE: 'films' } }).openInput('s3://bucket/a.png');
}

const signedWith = async (input: ReturnType<typeof inputOf>) =>
  new URL((await input.url(60)).url).searchParams.get('X-Amz-Credential')?.split('/')[0];

test('a profile whose file was written anew is read again by whoever connects', async () => {
  const write = profileInFile();
  write('first');
  expect(await signedWith(inputOf(null))).toBe('first');
  write('second');
  expect(await signedWith(inputOf(null))).toBe('second');
});

test('credentials of a file that a server refuses are read again by who has them', async () => {
  const write = profileInFile();
  const server = createServer((request, response) => {
    const isExpired = request.headers.authorization?.includes('first') === true;
    // As a bucket answers a HEAD: without a body.
    response.writeHead(isExpired ? 400 : 200, { 'content-length': isExpired ? 0 : 9 }).end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  try {
    write('first');
    const input = inputOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await expect(input.bytes()).rejects.toThrow();
    write('second');
    expect(await input.bytes()).toBe(9);
    expect(await signedWith(input)).toBe('second');
  } finally {
    server.close();
  }
});
