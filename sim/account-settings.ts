import type { AccountSettings } from '../src/contract/account.js';
import { formatCredits } from '../src/domain/money.js';
import { DEFAULT_S3 } from '../src/domain/s3.js';
import { SYNC_MAX_MS } from './assumptions.js';
import { FED_KINDS, ROW_KINDS } from './rows.js';
import type { Scenario } from './scenario.js';

export const ACCOUNT = 'default';

/** The product's settings for a seed: it knows every list price, and the waits that the seed keeps to. */
export function settingsOf({
  unitPrices,
  priceError,
  waits,
  exclusive,
  concurrency,
  saysLeast,
}: Scenario): AccountSettings {
  return {
    account: ACCOUNT,
    baseUrl: 'https://service.example',
    userAgent: 'sim/1',
    home: '/home',
    exclusive,
    waits: { ...waits, syncMaxMs: SYNC_MAX_MS },
    limits: { concurrency, rpm: null },
    prices: [...ROW_KINDS, ...FED_KINDS].map(({ kind, unit, unitsMax, unitsMin }) => ({
      kind,
      components: [
        {
          unit,
          credits: formatCredits(Math.round((unitPrices[kind] ?? 0) * priceError(kind))),
          ...(unitsMax === undefined ? {} : { upTo: unitsMax }),
          ...(unitsMin === undefined || !saysLeast ? {} : { atLeast: unitsMin }),
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
