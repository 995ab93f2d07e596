// Events that nobody reads, as where the program behind the pipe ended at once: the exit code says how the batch stands.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ACCOUNT, seededHome } from './seeded-home.js';

test('a reader that was gone before the first event changes no exit code', async () => {
  const failed = { status: 'failed', reasonCode: 'render_failed' } as const;
  const home = await seededHome('b', [
    { id: 'one', record: { status: 'done' } },
    { id: 'two', record: failed },
  ]);
  const program = [process.execPath, '--import', 'tsx', 'src/cli/main.ts', 'watch', 'b', '--json'];
  const place = ['--home', join(home.folder, 'home'), '--account', ACCOUNT, '--base-url', 'http://127.0.0.1:9'];
  const env = { ...process.env, CALLSHEET_API_KEY: 'sk-svc-test', CALLSHEET_DATA: join(home.folder, 'data') };
  const line = '{ { "$@" 2>/dev/null; echo "code $?" >&3; } | :; } 3>&1';
  const { stdout } = spawnSync('sh', ['-c', line, 'sh', ...program, ...place], { env, encoding: 'utf8' });
  expect(stdout).toBe('code 1\n');
});
