import type { Config } from '../../config.js';
import { createFolderStore } from '../../store/folder.js';
import { type Home, openHome } from '../../store/home.js';
import { createLedger, type Ledger } from '../../store/ledger.js';
import type { Store } from '../../store/port.js';
import { createRecords, type Records } from '../../store/records.js';
import { createRows, type Rows } from '../../store/rows.js';
import { EXIT } from '../exit-codes.js';
import { UserError } from '../user-error.js';

/** An account's home with everything that is read and written through it. */
export interface HomeAccess {
  home: Home;
  rows: Rows;
  records: Records;
  ledger: Ledger;
}

/** Opens the home of the settings' account; nothing is written. */
export function openHomeAccess(config: Config): HomeAccess {
  const store = openPlace(config.home, 'private');
  const account = config.account.name;
  return {
    home: openHome(store, account),
    rows: createRows(store, account),
    records: createRecords(store, account),
    ledger: createLedger(store, account),
  };
}

/** Opens a folder; buckets are not served by this version. */
export function openPlace(location: string, access: 'private' | 'shared'): Store {
  if (!location.startsWith('s3://')) return createFolderStore(location, { access });
  throw new UserError(
    `${location} is a bucket, and this version writes to folders alone: use a folder`,
    EXIT.configuration,
  );
}
