import type { Config } from '../../config.js';
import { type AccountRecords, openAccountRecords } from '../../home/account-records.js';
import { createPlaces } from '../../store/open-store.js';
import type { Store } from '../../store/port.js';

/** The home of the settings' account. */
export interface HomeAccess extends AccountRecords {
  config: Config;
}

/** Opens the home of the settings' account; nothing is written. */
export function openHomeAccess(config: Config): HomeAccess {
  return { config, ...openAccountRecords(openPlace(config, config.home, 'private'), config.account.name) };
}

/** Opens a folder, or a bucket with the credentials of this process. */
export function openPlace({ s3 }: Config, location: string, access: 'private' | 'shared'): Store {
  return createPlaces({ settings: s3, environment: {} }).openStore(location, access);
}
