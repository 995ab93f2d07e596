import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { S3_KEYS, type S3Server, startS3Server } from '../test/support/s3-server.js';
import { hasVersitygw } from '../test/support/versitygw.js';
import { type BenchOptions, type BenchOutcome, createMeasures, say } from './lib/bench.js';
import { startChild } from './lib/children.js';
import { type Care, curlToBucket, curlToFolder } from './lib/curl-peer.js';
import { benchFolder } from './lib/stand.js';

/**
 * What a download takes against `curl` of the same URL to the same place, by turns in the same run. callsheet fsyncs and
 * hashes every file, so the bounds are held against curl, `sync` and `sha256sum`; bare curl leaves the bytes in the
 * system's memory and stands beside it. Over a line of 1 Gbit/s bare curl is the bound.
 */

const GIB = 1024 ** 3;
const LINE_BYTES_PER_SECOND = 125_000_000;
/** At least 80 % of curl's throughput for one download, and 90 % for eight at once. */
const LOADS = [
  { name: '2 GB', bytes: 2 * GIB, times: 1, ratioMax: 1 / 0.8 },
  { name: '8 at once', bytes: GIB / 8, times: 8, ratioMax: 1 / 0.9 },
] as const;
type Load = (typeof LOADS)[number];
const GROWTH_MAX_MB = 100;

interface Own {
  seconds: number;
  rssGrowthMb: number;
}

export async function download({ runs }: BenchOptions): Promise<BenchOutcome> {
  const measures = createMeasures();
  const server = await startChild<{ url: string }>('body-process');
  const s3 = hasVersitygw() ? await startS3Server() : undefined;
  try {
    for (let n = 1; n <= runs; n += 1) {
      for (const load of LOADS) {
        await intoFolder(measures, `${server.message.url}/${load.bytes}`, load);
        await overLine(measures, `${server.message.url}/${load.bytes / 2}?line=${LINE_BYTES_PER_SECOND}`, load);
        if (s3 === undefined) continue;
        await intoBucket(measures, `${server.message.url}/${load.bytes}`, load, s3);
        await overLine(measures, `${server.message.url}/${load.bytes / 2}?line=${LINE_BYTES_PER_SECOND}`, load, s3);
      }
      say(`download ${n} of ${runs} is done`);
    }
  } finally {
    server.child.disconnect();
    await s3?.stop();
  }
  const settings = { files: LOADS.map(({ times, bytes }) => `${times} x ${bytes}`).join(', '), line: '1 Gbit/s' };
  return { name: 'download', settings, measures: measures.all() };
}

type Measures = ReturnType<typeof createMeasures>;

async function intoFolder(measures: Measures, url: string, { name, times, ratioMax }: Load): Promise<void> {
  const folder = await benchFolder();
  try {
    const bare = await curlToFolder(url, join(folder, 'bare'), times, 'bare');
    const same = await curlToFolder(url, join(folder, 'same'), times, 'same');
    const own = await ownDownload(url, join(folder, 'own'), times);
    measures.add(`${name}, folder`, 's', own.seconds);
    measures.add(`${name}, folder, curl + sync + sha256sum`, 's', same);
    measures.add(`${name}, folder, bare curl`, 's', bare);
    measures.add(`${name}, folder, time against curl + sync + sha256sum`, '', own.seconds / same, ratioMax);
    measures.add(`${name}, folder, time against bare curl`, '', own.seconds / bare);
    measures.add(`${name}, folder, growth of memory`, 'MB', own.rssGrowthMb, GROWTH_MAX_MB);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function overLine(measures: Measures, url: string, load: Load, server?: S3Server): Promise<void> {
  const { name, times, ratioMax } = load;
  const folder = await benchFolder();
  try {
    const [bare, own] =
      server === undefined
        ? [
            await curlToFolder(url, join(folder, 'bare'), times, 'bare'),
            await ownDownload(url, join(folder, 'own'), times),
          ]
        : [await curlUp(url, folder, times, 'bare', server), await ownUp(url, times, server)];
    const place = server === undefined ? 'folder' : 'S3';
    measures.add(`half of ${name}, 1 Gbit/s, ${place}, time against bare curl`, '', own.seconds / bare, ratioMax);
  } finally {
    await rm(folder, EVERYTHING);
  }
}

async function intoBucket(measures: Measures, url: string, load: Load, server: S3Server): Promise<void> {
  const { name, times, ratioMax } = load;
  const folder = await benchFolder();
  try {
    const bare = await curlUp(url, folder, times, 'bare', server);
    const same = await curlUp(url, folder, times, 'same', server);
    const own = await ownUp(url, times, server);
    measures.add(`${name}, S3`, 's', own.seconds);
    measures.add(`${name}, S3, curl down + sha256sum + curl up`, 's', same);
    measures.add(`${name}, S3, bare curl down and up`, 's', bare);
    measures.add(`${name}, S3, time against curl with sha256sum`, '', own.seconds / same, ratioMax);
    measures.add(`${name}, S3, time against bare curl`, '', own.seconds / bare);
    measures.add(`${name}, S3, growth of memory`, 'MB', own.rssGrowthMb, ...(times === 1 ? [GROWTH_MAX_MB] : []));
  } finally {
    await rm(folder, EVERYTHING);
  }
}

/** The bucket is emptied again. */
async function curlUp(url: string, folder: string, times: number, care: Care, server: S3Server): Promise<number> {
  const { AWS_ACCESS_KEY_ID: keyId, AWS_SECRET_ACCESS_KEY: secret } = S3_KEYS;
  const bucket = { endpoint: server.url, bucket: server.bucket, keyId, secret };
  const seconds = await curlToBucket(url, join(folder, care), times, care, bucket);
  await rm(join(server.folder, 'curl'), EVERYTHING);
  return seconds;
}

async function ownUp(url: string, times: number, server: S3Server): Promise<Own> {
  const place = `s3://${server.bucket}/own/${randomUUID()}`;
  const own = await ownDownload(url, place, times, JSON.stringify(server.access));
  await rm(join(server.folder, 'own'), EVERYTHING);
  return own;
}

const EVERYTHING = { recursive: true, force: true };

async function ownDownload(url: string, location: string, times: number, ...s3: string[]): Promise<Own> {
  const { child, message } = await startChild<Own>('download-process', url, location, String(times), ...s3);
  if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve));
  return message;
}
