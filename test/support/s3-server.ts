// versitygw on a free port over a folder of its own, to be killed and started again.
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startVersitygw, versitygwPath } from '../../scripts/lib/versitygw.mjs';
import { DEFAULT_S3, type S3Settings } from '../../src/domain/s3.js';
import type { S3Access } from '../../src/store/s3.js';

export interface S3Server {
  url: string;
  port: number;
  bucket: string;
  /** The folder behind the bucket. */
  folder: string;
  settings: S3Settings;
  /** How the tests' own client reaches it. */
  access: S3Access;
  /** What a child process needs to reach it. */
  environment: Record<string, string>;
  kill(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export const S3_KEYS = { AWS_ACCESS_KEY_ID: 'callsheet-test', AWS_SECRET_ACCESS_KEY: 'callsheet-test-secret' };
const BUCKET = 'callsheet';

export async function startS3Server(): Promise<S3Server> {
  const root = mkdtempSync(join(tmpdir(), 'callsheet-s3-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let child = await start(root, port);
  const settings: S3Settings = { ...DEFAULT_S3, endpoint: url, region: 'us-east-1', forcePathStyle: true };
  const server: S3Server = {
    url,
    port,
    bucket: BUCKET,
    folder: join(root, 'buckets', BUCKET),
    settings,
    access: { settings, environment: S3_KEYS },
    environment: {
      ...S3_KEYS,
      CALLSHEET_S3_ENDPOINT: url,
      CALLSHEET_S3_REGION: 'us-east-1',
      CALLSHEET_S3_FORCE_PATH_STYLE: 'true',
    },
    kill: () => end(child),
    restart: async () => {
      child = await start(root, port);
    },
    stop: async () => {
      await end(child);
      rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
  return server;
}

async function start(root: string, port: number): Promise<ChildProcess> {
  const program = versitygwPath();
  if (program === undefined) throw new Error('no versitygw');
  const { AWS_ACCESS_KEY_ID: keyId, AWS_SECRET_ACCESS_KEY: secret } = S3_KEYS;
  return await startVersitygw({ program, root, port, bucket: BUCKET, keyId, secret });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}
