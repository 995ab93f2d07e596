// `callsheet clean`: what it takes of a finished batch, and what it leaves to downloads that go on after its end.
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RowRecord } from '../../src/domain/outcome.js';
import { serve } from '../download/broken-server.js';
import { cli } from './harness.js';
import { ACCOUNT, seededHome, T0 } from './seeded-home.js';

const PART = '.part-film-1-0-0123456789ab-0123456789ab';

/** Whether the part of the row's download is there after `clean`. */
async function keepsPart(record: Partial<RowRecord>, minutesOld: number): Promise<boolean> {
  const { folder, run } = await seededHome('shots', [{ id: 'film', record }]);
  const media = join(folder, 'out', 'shots', 'media');
  mkdirSync(media, { recursive: true });
  const part = join(media, PART);
  writeFileSync(part, 'half a film');
  const atS = Date.now() / 1_000 - minutesOld * 60;
  utimesSync(part, atS, atS);
  expect((await run('clean', 'shots')).exitCode).toBe(0);
  return existsSync(part);
}

test('a part of a finished batch goes at once', async () => {
  expect(await keepsPart({ status: 'done' }, 1)).toBe(false);
});

test('an output that is fetched on after the end of its batch keeps its part while it is written to', async () => {
  const pending = { status: 'review', reasonCode: 'output_pending' } as const;
  expect(await keepsPart(pending, 1)).toBe(true);
  expect(await keepsPart(pending, 61)).toBe(false);
});

/** What `clean` removes from the bucket of a batch that has a copy of an input there. */
async function removedFromBucket(record: Partial<RowRecord>): Promise<string[]> {
  const removed: string[] = [];
  const copy = '<Contents><Key>p/shots/inputs/voice.wav</Key><Size>5</Size></Contents>';
  const { port } = await serve(({ method, url = '' }, response) => {
    if (method === 'DELETE') removed.push(new URL(url, 'http://s3').pathname);
    const listed = url.includes('list-type=2') ? `<ListBucketResult>${copy}</ListBucketResult>` : '<Empty></Empty>';
    response.writeHead(method === 'DELETE' ? 204 : 200).end(method === 'DELETE' ? '' : listed);
  });
  const { folder, home } = await seededHome('shots', [{ id: 'film', record }]);
  const bound = { schema: 1, out: 's3://bucket/p', createdAtMs: T0 };
  await home.store.put(home.keys.batch('shots'), Buffer.from(JSON.stringify(bound)));
  const s3 = { ENDPOINT: `http://127.0.0.1:${port}`, REGION: 'us-east-1', FORCE_PATH_STYLE: 'true' };
  const env = Object.fromEntries(Object.entries(s3).map(([name, value]) => [`CALLSHEET_S3_${name}`, value]));
  // The SDK itself looks for these.
  process.env.AWS_ACCESS_KEY_ID = 'a';
  process.env.AWS_SECRET_ACCESS_KEY = 'b';
  const where = ['--home', join(folder, 'home'), '--account', ACCOUNT];
  const cleaned = await cli(['clean', 'shots', ...where], { cwd: folder, env });
  expect(cleaned).toMatchObject({ exitCode: 0 });
  return removed;
}

test('copies of inputs stay in a bucket while a job that reads them may render (2, Avatar video)', async () => {
  expect(await removedFromBucket({ status: 'review', reasonCode: 'handle_not_found' })).toEqual([]);
  expect(await removedFromBucket({ status: 'done' })).toEqual(['/bucket/p/shots/inputs/voice.wav']);
});
