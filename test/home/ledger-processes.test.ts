import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { standingOf } from '../../src/domain/standing.js';

import { createLedger } from '../../src/home/ledger.js';
import { createFolderStore } from '../../src/store/folder.js';
import { createPlaces } from '../../src/store/open-store.js';
import { temporaryFolder } from '../store/support/temporary.js';
import { type S3Server, startS3Server } from '../support/s3-server.js';
import { hasVersitygw } from '../support/versitygw.js';
import { expectOneOwnerEach } from './support/claim-race.js';
import { intent } from './support/examples.js';

test('F48: in a folder, three processes go for the same claims and voids; each has exactly one owner', async () => {
  await expectOneOwnerEach({ store: createFolderStore(temporaryFolder()), attempts: 300 });
}, 120_000);

describe.skipIf(!hasVersitygw())('in a bucket', { timeout: 240_000 }, () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await startS3Server();
  });
  afterAll(() => server?.stop());

  const open = (prefix: string) => createPlaces(server.access).openStore(`s3://${server.bucket}/${prefix}`, 'private');

  it('F48: three processes go for the same claims and voids; each has exactly one owner', async () => {
    const environment = { ...server.environment, TEST_S3_SETTINGS: JSON.stringify(server.settings) };
    await expectOneOwnerEach({ store: open('race'), attempts: 30, environment });
  });

  it('a claim stands and is found again after the server was killed', async () => {
    const ref = { batch: 'b', id: 'row', n: 1 };
    expect(await createLedger(open('killed'), 'default').claim(ref, intent())).toBe(true);
    await server.kill();
    await server.restart();
    const ledger = createLedger(open('killed'), 'default');
    expect(await ledger.claim(ref, intent({ nonce: 'c'.repeat(64) }))).toBe(false);
    const [attempt] = await ledger.read('b', 'row');
    expect(attempt && standingOf(attempt)).toBe('claimed');
  });
});
