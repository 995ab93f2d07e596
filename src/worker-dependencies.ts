import type { Dependencies } from './activities/dependencies.js';
import { createMessenger } from './messenger.js';
import { createDownloader } from './service/download.js';
import { createTransport } from './service/transport.js';
import { createCallbacks } from './store/callbacks.js';
import { createChargeBook } from './store/charge-book.js';
import { openHome } from './store/home.js';
import { createLedger } from './store/ledger.js';
import { createPlaces } from './store/open-store.js';
import { createRecords } from './store/records.js';
import { createRows } from './store/rows.js';
import type { AccountWorkerOptions } from './worker.js';
import type { SteadyClock } from './worker-clock.js';

/** Outputs beyond this are not the service's, whatever it says. */
const OUTPUT_BYTES_MAX = 4 * 1024 ** 3;

/** Everything that the activities of one account are handed. */
export function createDependencies(
  { settings, key, place, log, s3 = {} }: AccountWorkerOptions,
  clock: SteadyClock,
  onRpm: (rpm: number) => void,
): Dependencies {
  const { account, baseUrl, userAgent, timeScale } = settings;
  const { openStore, openInput } = createPlaces({ settings: settings.s3, environment: s3 });
  const store = openStore(settings.home, 'private');
  return {
    settings,
    home: openHome(store, account),
    ledger: createLedger(store, account),
    rows: createRows(store, account),
    records: createRecords(store, account),
    book: createChargeBook(store, account),
    callbacks: createCallbacks(store, account),
    transport: createTransport({ baseUrl, userAgent, key: () => key.current() }),
    downloader: createDownloader({ allowLoopback: isLoopback(baseUrl), maxBytes: OUTPUT_BYTES_MAX, userAgent }),
    openStore: (location) => openStore(location, 'shared'),
    openInput,
    messenger: createMessenger(place.client, account, timeScale),
    log,
    onCaps: ({ rpm }) => onRpm(rpm),
    now: () => clock.now(),
    monotonic: () => performance.now(),
  };
}

function isLoopback(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl);
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
}
