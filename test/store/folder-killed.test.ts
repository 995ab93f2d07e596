import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createLedger } from '../../src/home/ledger.js';
import { createFolderStore } from '../../src/store/folder.js';
import { collect, temporaryFolder } from './support/temporary.js';

const ROUNDS = 12;

/** Lets the child write for a while, then kills it where it stands. */
async function writeAndKill(root: string, round: number): Promise<void> {
  const script = fileURLToPath(new URL('./children/write-forever.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, root, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  await delay(5 + ((round * 37) % 90));
  child.kill('SIGKILL');
  await once(child, 'exit');
}

test('F47, I8: a writer killed anywhere leaves whole files or none', async () => {
  const root = temporaryFolder();
  for (let round = 0; round < ROUNDS; round++) await writeAndKill(root, round);
  const store = createFolderStore(root);
  const seen = { put: 0, once: 0, media: 0 };
  for (const key of await collect(store.list('files'))) {
    const bytes = Buffer.from((await store.get(key)) ?? []);
    const [declared = ''] = bytes.toString('latin1', 0, 20).split('\n');
    expect(`${key}: ${bytes.length}`).toBe(`${key}: ${declared}`);
    expect(new Set(bytes.subarray(declared.length + 1)).size).toBe(1);
    seen[key.split('/')[1] as keyof typeof seen]++;
  }
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0);

  const ledger = createLedger(store, 'default');
  const open = await collect(ledger.open());
  expect(open.length).toBeGreaterThan(0);
  for (let round = 0; round < ROUNDS; round++) {
    const attempts = await ledger.read('b', `row-${round}`);
    // Numbers without a gap, no torn record, and each claim that is not closed is listed.
    expect(attempts.map(({ n }) => n)).toEqual(attempts.map((_, i) => i + 1));
    expect(attempts.filter(({ torn }) => torn)).toEqual([]);
    const listed = new Set(open.filter(({ id }) => id === `row-${round}`).map(({ n }) => n));
    const unlisted = attempts.filter(({ n, states }) => states.length === 1 && !listed.has(n));
    expect(unlisted).toEqual([]);
  }
}, 120_000);
