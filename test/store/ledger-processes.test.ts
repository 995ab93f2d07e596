import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { standingOf } from '../../src/domain/attempt.js';
import { createFolderStore } from '../../src/store/folder.js';
import { createLedger } from '../../src/store/ledger.js';
import { collect, temporaryFolder } from './support/temporary.js';

const ATTEMPTS = 300;

interface Claimer {
  child: ChildProcess;
  lines: AsyncIterator<string>;
}

function startClaimer(root: string, name: string, action: 'claim' | 'void'): Claimer {
  const script = fileURLToPath(new URL('./children/claim-all.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, root, name, action, String(ATTEMPTS)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
}

test('F48: three processes go for the same claims and voids; each place has exactly one owner', async () => {
  const root = temporaryFolder();
  const claimers = [
    startClaimer(root, 'one', 'claim'),
    startClaimer(root, 'two', 'claim'),
    startClaimer(root, 'none', 'void'),
  ];
  for (const { lines } of claimers) expect((await lines.next()).value).toBe('ready');
  for (const { child } of claimers) child.stdin?.end('go\n');
  const won: number[][] = [];
  for (const { lines } of claimers) won.push(JSON.parse((await lines.next()).value ?? '[]'));

  const everything = won.flat().sort((a, b) => a - b);
  expect(everything).toEqual(Array.from({ length: ATTEMPTS }, (_, i) => i + 1));
  const ledger = createLedger(createFolderStore(root), 'default');
  const attempts = await ledger.read('b', 'row');
  for (const attempt of attempts) {
    const [first] = attempt.states;
    const owner = first?.state === 'intent' ? first.nonce : 'none';
    expect(won[['one', 'two', 'none'].indexOf(owner)]).toContain(attempt.n);
  }
  // Every claim is listed; a void may have an entry that a beaten claimer has not taken away, never the reverse.
  const open = new Set((await collect(ledger.open())).map(({ n }) => n));
  const claimed = attempts.filter((attempt) => standingOf(attempt) === 'claimed').map(({ n }) => n);
  expect(claimed.filter((n) => !open.has(n))).toEqual([]);
}, 120_000);
