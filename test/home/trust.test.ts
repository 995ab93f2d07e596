import { expect, test } from 'vitest';
import { openHome } from '../../src/home/home.js';
import { distrust, isTrusted, readTrust, trust } from '../../src/home/verdicts.js';
import { createFolderStore } from '../../src/store/folder.js';
import { temporaryFolder } from '../store/support/temporary.js';

test('a contradicted verdict is remembered until a person turns it on again (F8, F32)', async () => {
  const home = openHome(createFolderStore(temporaryFolder()), 'default');
  expect(await isTrusted(home)).toBe(true);
  await distrust(home, { why: 'billed after all', atMs: 1_000 });
  expect(await isTrusted(home)).toBe(false);
  await trust(home, { who: 'ann', why: 'the service was slow that day', atMs: 2_000 });
  expect(await isTrusted(home)).toBe(true);
  expect(await readTrust(home)).toMatchObject({ trusted: true, who: 'ann' });
  await distrust(home, { why: 'again', atMs: 3_000 });
  expect(await readTrust(home)).toMatchObject({ trusted: false, who: 'callsheet', why: 'again' });
});
