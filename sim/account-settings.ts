import type { AccountSettings } from '../src/contract/account.js';
import { formatCredits } from '../src/domain/money.js';
import { DEFAULT_S3 } from '../src/domain/s3.js';
import type { Scenario } from './scenario.js';
import { FAMILIES } from './service/families.js';

export const ACCOUNT = 'default';

/** The product's settings for a seed: it knows every list price, and the waits that the seed keeps to. */
export function settingsOf({ unitPrices, waits, exclusive, concurrency }: Scenario): AccountSettings {
  return {
    account: ACCOUNT,
    baseUrl: 'https://service.example',
    userAgent: 'sim/1',
    home: '/home',
    exclusive,
    waits: { ...waits, syncMaxMs: 900_000 },
    limits: { concurrency, rpm: null },
    prices: FAMILIES.map(({ kind, unit, unitsMax }) => ({
      kind,
      components: [
        {
          unit,
          credits: formatCredits(unitPrices[kind] ?? 0),
          ...(unitsMax === undefined ? {} : { upTo: unitsMax }),
        },
      ],
    })),
    timeScale: 1,
    syncMaxWasteNano: 0,
    s3: DEFAULT_S3,
    aliasPaths: false,
    callbacks: { url: null, listen: null },
  };
}
