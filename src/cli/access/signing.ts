import { waitsOf } from '../../config/make-config.js';
import type { Config } from '../../config.js';
import { formatDuration } from '../../domain/duration.js';
import { secondsToRead } from '../../kinds/expected.js';
import { createPlaces } from '../../store/open-store.js';
import { StoreError } from '../../store/port.js';

/** Nothing is asked for it: only the form of a URL needs a name. */
const ANY_OBJECT = 's3://callsheet/input';

/**
 * Temporary credentials take the URLs that they sign with them when they end: says so where that is before the service
 * has read an input, for which it may need so long. Undefined where no end is known, or nothing can be signed.
 */
export async function earlyEndText({ s3 }: Pick<Config, 's3'>, neededSeconds: number): Promise<string | undefined> {
  const { openInput } = createPlaces({ settings: s3, environment: {} });
  const nowMs = Date.now();
  try {
    const { endsAtMs } = await openInput(ANY_OBJECT).url(neededSeconds);
    if (endsAtMs >= nowMs + neededSeconds * 1_000) return undefined;
    const needed = formatDuration(neededSeconds * 1_000);
    return `signed URLs of inputs are needed for ${needed}, and the S3 credentials end in ${formatDuration(Math.max(0, endsAtMs - nowMs))}`;
  } catch (error) {
    if (error instanceof StoreError) return undefined;
    throw error;
  }
}

/** The same for any row of usual length. */
export function earlyEndForAny(config: Config): Promise<string | undefined> {
  return earlyEndText(config, secondsToRead(Math.max(...Object.values(waitsOf(config).renderMaxMs))));
}
