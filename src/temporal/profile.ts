/** Where a shared Temporal is, as the SDK's own variables and profile say it; apart, since its client is large. */
import { type ClientConfigProfile, loadClientConfigProfile, toClientOptions } from '@temporalio/envconfig';
import { safeText } from '../domain/secret.js';

/** `TEMPORAL_ADDRESS` or the profile file could not be read as the SDK defines them. */
export class TemporalSettingsError extends Error {
  override readonly name = 'TemporalSettingsError';
  readonly code = 'temporal_settings';
}

/** The address that the environment or the profile file names; undefined means: use the engine. */
export function configuredTemporalAddress(): string | undefined {
  return readProfile().address;
}

/** Whether a key goes with every call to a shared Temporal: the SDK's own, or one among the headers that are named there. */
export function sendsTemporalKey(): boolean {
  const { apiKey, grpcMeta } = readProfile();
  return apiKey !== undefined || Object.keys(grpcMeta ?? {}).length > 0;
}

/** Throws a TemporalSettingsError. */
export function readProfile() {
  try {
    return loadClientConfigProfile();
  } catch (cause) {
    // The reader of the file shows the place on lines of its own.
    const why = safeText(cause instanceof Error ? cause.message : String(cause));
    const said = `the Temporal profile cannot be read (${why}): correct it or unset TEMPORAL_PROFILE`;
    throw new TemporalSettingsError(said, { cause });
  }
}

/** How to connect as the profile says; the files of its TLS are read only now. Throws a TemporalSettingsError. */
export function readConnection(profile: ClientConfigProfile) {
  try {
    return toClientOptions(profile).connectionOptions;
  } catch (cause) {
    const why = safeText(cause instanceof Error ? cause.message : String(cause));
    const said = `the files that the Temporal settings name cannot be read (${why}): correct TEMPORAL_TLS_CLIENT_CERT_PATH and the other paths of TLS, or the profile`;
    throw new TemporalSettingsError(said, { cause });
  }
}
