import type { Config } from '../../config.js';
import { type Home, openHome } from '../../store/home.js';
import { createLedger, type Ledger } from '../../store/ledger.js';
import { createPlaces } from '../../store/open-store.js';
import type { Store } from '../../store/port.js';
import { createRecords, type Records } from '../../store/records.js';
import { createRows, type Rows } from '../../store/rows.js';

/** An account's home with everything that is read and written through it. */
export interface HomeAccess {
  config: Config;
  home: Home;
  rows: Rows;
  records: Records;
  ledger: Ledger;
}

/** Opens the home of the settings' account; nothing is written. */
export function openHomeAccess(config: Config): HomeAccess {
  const store = openPlace(config, config.home, 'private');
  const account = config.account.name;
  return {
    config,
    home: openHome(store, account),
    rows: createRows(store, account),
    records: createRecords(store, account),
    ledger: createLedger(store, account),
  };
}

/** Opens a folder, or a bucket with the credentials of this process. */
export function openPlace({ s3 }: Config, location: string, access: 'private' | 'shared'): Store {
  return createPlaces({ settings: s3, environment: {} }).openStore(location, access);
}
