// A page that was never built is no matter of the port.
import { expect, test, vi } from 'vitest';
import { seededHome } from '../cli/seeded-home.js';

vi.mock('../../src/package-root.js', async (original) => ({
  ...(await original<typeof import('../../src/package-root.js')>()),
  packageRoot: '/nowhere/callsheet',
}));

test('`dashboard` says what to run', async () => {
  const home = await seededHome('b', [{ id: 'one' }]);
  const { exitCode, stderr } = await home.run('dashboard');
  expect([exitCode, stderr]).toEqual([
    4,
    'error: the page is not built: run `npm run build` in /nowhere/callsheet, then the same command again\n',
  ]);
});
