// Waits for a line, then claims or voids attempts 1 to argv[5] of one row; prints the numbers it won.

import { once } from 'node:events';
import { DEFAULT_S3 } from '../../../src/domain/s3.js';
import { createLedger } from '../../../src/home/ledger.js';
import { createPlaces } from '../../../src/store/open-store.js';
import { intent } from '../support/examples.js';

const [, , root = '', name = '', action = '', count = '0'] = process.argv;
const settings = { ...DEFAULT_S3, ...JSON.parse(process.env.TEST_S3_SETTINGS ?? '{}') };
const ledger = createLedger(createPlaces({ settings, environment: {} }).openStore(root, 'private'), 'default');

async function claimAll(): Promise<void> {
  process.stdout.write('ready\n');
  await once(process.stdin, 'data');
  const won: number[] = [];
  for (let n = 1; n <= Number(count); n++) {
    const ref = { batch: 'b', id: 'row', n };
    const isMine =
      action === 'void'
        ? await ledger.voidClaim(ref, 'never started', { atMs: n })
        : await ledger.claim(ref, intent({ nonce: name }));
    if (isMine) won.push(n);
  }
  process.stdout.write(`${JSON.stringify(won)}\n`);
}

void claimAll();
