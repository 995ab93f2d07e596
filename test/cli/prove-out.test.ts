// B54: a place that takes no output is refused before anything is paid for, also where an earlier run has left it.
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { HomeAccess } from '../../src/cli/access/home-access.js';
import { proveOut } from '../../src/cli/batch/prove-out.js';
import { temporaryFolder } from '../store/support/temporary.js';

test('a folder of outputs that is a link to elsewhere is refused; nothing is left behind where all is good', async () => {
  const out = temporaryFolder();
  const at = { access: { config: { out, s3: {} } } as unknown as HomeAccess, batch: 'shots' };
  await proveOut(at, 0);
  expect(readdirSync(out)).toEqual([]);
  mkdirSync(join(out, 'shots', 'media'), { recursive: true });
  await proveOut(at, 0);
  expect(readdirSync(join(out, 'shots', 'media'))).toEqual([]);
  mkdirSync(join(out, 'films'));
  symlinkSync(temporaryFolder(), join(out, 'films', 'media'));
  await expect(proveOut({ ...at, batch: 'films' }, 0)).rejects.toThrow(
    /B54 .*films\/media.*leads out of .* through a link/,
  );
});
