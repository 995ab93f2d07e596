import { keyOrigin } from '../../config/api-key.js';
import { isLoopbackUrl } from '../../config/base-url.js';
import type { ManifestOptions } from '../../manifest/manifest-options.js';
import type { HomeAccess } from '../access/home-access.js';
import type { Session } from '../session.js';
import type { ManifestPlace } from './manifest-flags.js';

/** What a manifest's check asks of the world outside: the resolver, the account's voices, the media behind URLs. */
export interface OutsideChecks {
  options: Pick<ManifestOptions, 'resolveHosts' | 'voices' | 'probeUrl'>;
  close(): Promise<void>;
}

/** Nothing with `--no-network`; the voices only where base URL and key are there; the media only with `--probe-urls`. */
export async function openOutsideChecks(
  session: Session,
  access: HomeAccess,
  { asksNetwork, probesUrls }: Pick<ManifestPlace, 'asksNetwork' | 'probesUrls'>,
): Promise<OutsideChecks> {
  const { config, cli } = session;
  const options: OutsideChecks['options'] = { resolveHosts: asksNetwork };
  if (!asksNetwork) return { options, close: async () => undefined };
  if (config.baseUrl !== null && keyOrigin(cli.io.env, session.keyFile) !== undefined) {
    const { createKnownVoices } = await import('../access/known-voices.js');
    options.voices = createKnownVoices(session, access);
  }
  if (!probesUrls) return { options, close: async () => undefined };
  const { createUrlProber } = await import('../../service/probe-url.js');
  const allowLoopback = config.baseUrl !== null && isLoopbackUrl(config.baseUrl);
  const prober = createUrlProber({ allowLoopback, userAgent: config.userAgent });
  return { options: { ...options, probeUrl: prober.probe }, close: prober.close };
}
