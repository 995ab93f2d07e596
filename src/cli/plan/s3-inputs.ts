import { isLoopbackUrl } from '../../config/base-url.js';
import type { Config } from '../../config.js';
import { isS3Address } from '../../domain/s3.js';
import type { ManifestOptions } from '../../manifest/manifest-options.js';
import type { LookAtS3 } from '../../manifest/media/remote-media.js';
import { createPlaces } from '../../store/open-store.js';
import { StoreError } from '../../store/port.js';

/** What buckets offer to the media of a manifest: a place to upload files to, and objects that are named. */
export function s3Inputs(config: Config, env: NodeJS.ProcessEnv): Pick<ManifestOptions, 'hasUploadStore' | 's3Media'> {
  const isS3Reachable = canServiceReach(config, env);
  const hasBucket = isS3Address(config.out) || isS3Address(config.home);
  const { openInput } = createPlaces({ settings: config.s3, environment: {} });
  const lookAtS3: LookAtS3 = async (address) => {
    try {
      const bytes = await openInput(address).bytes();
      return bytes === undefined ? { ok: false, reason: 'no such object' } : { ok: true, bytes };
    } catch (error) {
      if (error instanceof StoreError) return { ok: false, reason: error.message };
      throw error;
    }
  };
  return { hasUploadStore: hasBucket && isS3Reachable, s3Media: { lookAtS3, isS3Reachable } };
}

/** The service reads signed URLs over https from the internet; a rehearsal's double reads them on this machine. */
function canServiceReach({ s3, baseUrl }: Config, env: NodeJS.ProcessEnv): boolean {
  if (baseUrl !== null && isLoopbackUrl(baseUrl)) return true;
  const endpoint = s3.endpoint ?? env.AWS_ENDPOINT_URL_S3 ?? env.AWS_ENDPOINT_URL;
  return endpoint === undefined || (endpoint.startsWith('https://') && !isLoopbackUrl(endpoint));
}
