// A small S3 server over a folder of this machine: found, started and ended; never installed by itself.
import { spawn } from 'node:child_process';
import { accessSync, constants, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporalCacheFolder } from './temporal-cli.mjs';

export const VERSITYGW = 'v1.8.0';
export const INSTALL_VERSITYGW = `go install github.com/versity/versitygw/cmd/versitygw@${VERSITYGW}, then put it on PATH or in CALLSHEET_VERSITYGW`;

/**
 * `CALLSHEET_VERSITYGW`, PATH, then callsheet's own cache.
 * @returns {string | undefined}
 */
export function versitygwPath() {
  const named = process.env.CALLSHEET_VERSITYGW;
  const onPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'versitygw'));
  const cached = join(temporalCacheFolder(process.env), '..', '..', 'versitygw', VERSITYGW, 'versitygw');
  return [...(named === undefined ? [] : [named]), ...onPath, cached].find(isProgram);
}

/**
 * Starts the program over `<root>/buckets` on a port of this machine and waits until it answers.
 * @param {{ program: string, root: string, port: number, bucket: string, keyId: string, secret: string }} options
 */
export async function startVersitygw({ program, root, port, bucket, keyId, secret }) {
  const [buckets, sidecar] = [join(root, 'buckets'), join(root, 'attributes')];
  for (const folder of [join(buckets, bucket), sidecar]) mkdirSync(folder, { recursive: true });
  const listen = ['--port', `127.0.0.1:${port}`, '--keep-alive', '--quiet'];
  const child = spawn(program, [...listen, 'posix', '--sidecar', sidecar, buckets], {
    env: { ROOT_ACCESS_KEY: keyId, ROOT_SECRET_KEY: secret },
    stdio: 'ignore',
  });
  for (let tries = 0; tries < 400; tries += 1) {
    const end = child.exitCode ?? child.signalCode;
    if (end !== null) throw new Error(`versitygw ended with ${end}`);
    // Another program may have taken the port, and not answer at all.
    const answers = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(1_000) }).then(
      () => true,
      () => false,
    );
    if (answers) return child;
    await sleep(50);
  }
  child.kill('SIGKILL');
  throw new Error('versitygw does not answer');
}

/** @returns {Promise<number>} */
export function freePort() {
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

/** @param {string} path */
function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
