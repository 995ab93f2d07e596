// versitygw on a free port over a folder of its own, to be killed and started again.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_S3, type S3Settings } from '../../src/domain/s3.js';
import type { S3Access } from '../../src/store/s3.js';
import { versitygwPath } from './versitygw.js';

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
  for (const name of ['buckets', 'attributes', join('buckets', BUCKET)]) mkdirSync(join(root, name));
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
  const sidecar = join(root, 'attributes');
  const listen = ['--port', `127.0.0.1:${port}`, '--keep-alive', '--quiet'];
  const child = spawn(program, [...listen, 'posix', '--sidecar', sidecar, join(root, 'buckets')], {
    env: { ROOT_ACCESS_KEY: S3_KEYS.AWS_ACCESS_KEY_ID, ROOT_SECRET_KEY: S3_KEYS.AWS_SECRET_ACCESS_KEY },
    stdio: 'ignore',
  });
  for (let tries = 0; tries < 400; tries += 1) {
    if (child.exitCode !== null) throw new Error(`versitygw ended with ${child.exitCode}`);
    const answers = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
    if (answers) return child;
    await sleep(50);
  }
  throw new Error('versitygw does not answer');
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}
