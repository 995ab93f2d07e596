// 5-X14: a folder for temporary files that takes nothing is named, with what to do; it is no defect of callsheet.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { cli, workFolder } from './harness.js';

afterEach(() => {
  vi.unstubAllEnvs();
});

/** The first row waits for the second one in a temporary file. */
const MANIFEST = `id,kind,model,prompt,image,width,height
edit,svc/edit,svc-beta-image-edit-2511,at night,@hero,1024,1024
hero,svc/image,svc-alpha.2-klein-4b,a boat,,1024,1024
`;

test.each([[[]], [['--errors', 'problems.csv']]])('plan %j', async (flags) => {
  const cwd = workFolder();
  writeFileSync(join(cwd, 'm.csv'), MANIFEST);
  vi.stubEnv('TMPDIR', join(cwd, 'nowhere'));
  const { exitCode, stderr } = await cli(['plan', 'm.csv', '--no-network', ...flags], { cwd });
  expect(stderr).toBe(
    'checking m.csv\nerror: the folder for temporary files nowhere cannot be used: ' +
      'there is no such folder (ENOENT); make room there or mend it, or name another by TMPDIR\n',
  );
  expect(exitCode).toBe(4);
  expect(existsSync(join(cwd, 'problems.csv'))).toBe(false);
});
