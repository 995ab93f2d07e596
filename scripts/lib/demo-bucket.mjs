// The S3 server of the demo: a versitygw of its own, with the bucket that `--out` names.
import { join } from 'node:path';
import { freePort, INSTALL_VERSITYGW, startVersitygw, versitygwPath } from './versitygw.mjs';

const KEY_ID = 'callsheet-demo';
const SECRET = 'callsheet-demo-secret';

/**
 * Ends the demo with a sentence where the address is none, or the program is missing.
 * @param {string} address `s3://bucket/prefix`
 * @param {string} root where its objects lie
 * @param {(text: string) => void} say
 */
export async function startDemoBucket(address, root, say) {
  const [, bucket, prefix = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]+)(?:\/(.*?))?\/*$/.exec(address) ?? [];
  const program = versitygwPath();
  if (bucket === undefined || program === undefined) {
    say(
      bucket === undefined
        ? `'${address}' is no address of the form s3://bucket/prefix`
        : `there is no versitygw for --out ${address}: ${INSTALL_VERSITYGW}`,
    );
    return process.exit(2);
  }
  const port = await freePort();
  const child = await startVersitygw({ program, root, port, bucket, keyId: KEY_ID, secret: SECRET });
  say(`versitygw serves s3://${bucket} at http://127.0.0.1:${port}`);
  const environment = {
    AWS_ACCESS_KEY_ID: KEY_ID,
    AWS_SECRET_ACCESS_KEY: SECRET,
    CALLSHEET_S3_ENDPOINT: `http://127.0.0.1:${port}`,
    CALLSHEET_S3_REGION: 'us-east-1',
    CALLSHEET_S3_FORCE_PATH_STYLE: 'true',
  };
  return { child, environment, folder: join(root, 'buckets', bucket, prefix) };
}
