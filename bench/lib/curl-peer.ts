import { execFile } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** What a shell does with `curl` to the same place, so many times side by side; each gives its wall time in seconds. */

const run = promisify(execFile);

/** `bare` leaves the file to the system's memory; `same` fsyncs it and computes its sha256, as callsheet does. */
export type Care = 'bare' | 'same';

export interface CurlBucket {
  endpoint: string;
  bucket: string;
  keyId: string;
  secret: string;
}

export async function curlToFolder(url: string, folder: string, times: number, care: Care): Promise<number> {
  const after = care === 'same' ? ' && sync "$2" && sha256sum "$2"' : '';
  return await sideBySide(folder, times, (file) => [
    'sh',
    '-c',
    `curl -sS --fail -o "$2" "$1"${after}`,
    'sh',
    url,
    file,
  ]);
}

/** Down to a file of this machine, then up: curl cannot upload a body of unknown length to S3 either. */
export async function curlToBucket(
  url: string,
  folder: string,
  times: number,
  care: Care,
  { endpoint, bucket, keyId, secret }: CurlBucket,
): Promise<number> {
  // The server computes and compares the sha256 that it is told, as it does for callsheet's parts.
  const hash = care === 'same' ? '$(sha256sum "$2" | cut -c1-64)' : 'UNSIGNED-PAYLOAD';
  const put = `curl -sS --fail --aws-sigv4 aws:amz:us-east-1:s3 --user "$3" -H "x-amz-content-sha256: ${hash}" -T "$2" "$4"`;
  return await sideBySide(folder, times, (file, i) => {
    const target = `${endpoint}/${bucket}/curl/${i}`;
    return ['sh', '-c', `curl -sS --fail -o "$2" "$1" && ${put}`, 'sh', url, file, `${keyId}:${secret}`, target];
  });
}

async function sideBySide(
  folder: string,
  times: number,
  command: (file: string, i: number) => [string, ...string[]],
): Promise<number> {
  await mkdir(folder, { recursive: true });
  const startedMs = performance.now();
  await Promise.all(
    Array.from({ length: times }, async (_, i) => {
      const [program, ...args] = command(join(folder, String(i)), i);
      await run(program, args);
    }),
  );
  const seconds = (performance.now() - startedMs) / 1_000;
  await rm(folder, { recursive: true });
  return seconds;
}
