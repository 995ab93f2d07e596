import type { Handed } from '../../activities/dependencies.js';
import { canServiceReach } from '../config/base-url.js';
import { s3Endpoint } from '../domain/s3.js';
import { openAccountRecords } from '../home/account-records.js';
import { createPosters } from '../report/posters.js';
import { createDownloader } from '../service/download.js';
import { createTransport } from '../service/transport.js';
import { createPlaces } from '../store/open-store.js';
import { createCallers } from './callers.js';
import type { SteadyClock } from './clock.js';
import { keyMark } from './key-source.js';
import { createMessenger } from './messenger.js';
import type { AccountWorkerOptions } from './options.js';
import { createPace } from './pace.js';
import { UNCOUNTED } from './request-window.js';

/** Outputs beyond this are not the service's, whatever it says. */
const OUTPUT_BYTES_MAX = 4 * 1024 ** 3;

/** Everything that the activities of one account are handed. */
export function createDependencies(
  { settings, key, place, log, window, standby, s3 = {} }: AccountWorkerOptions,
  clock: SteadyClock,
  onRpm: (rpm: number) => void,
): Handed {
  const { account, baseUrl, userAgent, timeScale } = settings;
  const pace = createPace(onRpm, timeScale, () => performance.now());
  const { openStore, openInput } = createPlaces({ settings: settings.s3, environment: s3 });
  return {
    settings,
    ...openAccountRecords(openStore(settings.home, 'private'), account),
    transport: createTransport({ baseUrl, userAgent, key: () => key.current() }),
    requests: window ?? UNCOUNTED,
    keyMark: () => keyMark(key),
    downloader: createDownloader({
      allowLoopback: isLoopback(baseUrl),
      maxBytes: OUTPUT_BYTES_MAX,
      userAgent,
      baseUrl,
    }),
    openStore: (location) => openStore(location, 'shared'),
    openInput,
    isS3Reachable: canServiceReach(s3Endpoint(settings.s3, { ...process.env, ...s3 }), baseUrl),
    posters: createPosters(),
    messenger: createMessenger(place.client, account, timeScale),
    log,
    onCaps: ({ rpm }) => pace.plan(rpm),
    onAnswered: (isTurnedAway, sentMs) => pace.answered(isTurnedAway, sentMs),
    callers: createCallers(),
    ...(standby && { standby }),
    now: () => clock.now(),
    monotonic: () => performance.now(),
  };
}

function isLoopback(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl);
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
}
