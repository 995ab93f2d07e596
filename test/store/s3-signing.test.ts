// How long a signed URL lives: as long as was asked for, or as the credentials that an engine was handed.
import { expect, test } from 'vitest';
import { DEFAULT_S3 } from '../../src/domain/s3.js';
import { createPlaces } from '../../src/store/open-store.js';

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
