// F48: three processes go for the same claims and voids in one store.

import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { standingOf } from '../../../src/domain/standing.js';
import { createLedger } from '../../../src/home/ledger.js';
import type { Store } from '../../../src/store/port.js';
import { collect } from '../../store/support/temporary.js';

export interface ClaimRace {
  store: Store;
  attempts: number;
  /** How a child process reaches the store. */
  environment?: Record<string, string>;
}

/** Each place has exactly one owner, and every claim is in the index of open attempts. */
export async function expectOneOwnerEach({ store, attempts: count, environment = {} }: ClaimRace): Promise<void> {
  const start = (name: string, action: 'claim' | 'void') =>
    startClaimer([store.location, name, action, String(count)], environment);
  const claimers = [start('one', 'claim'), start('two', 'claim'), start('none', 'void')];
  for (const { lines } of claimers) expect((await lines.next()).value).toBe('ready');
  for (const { child } of claimers) child.stdin?.end('go\n');
  const won: number[][] = [];
  for (const { lines } of claimers) won.push(JSON.parse((await lines.next()).value ?? '[]'));

  const everything = won.flat().sort((a, b) => a - b);
  expect(everything).toEqual(Array.from({ length: count }, (_, i) => i + 1));
  const ledger = createLedger(store, 'default');
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
}

interface Claimer {
  child: ChildProcess;
  lines: AsyncIterator<string>;
}

function startClaimer(args: string[], environment: Record<string, string>): Claimer {
  const script = fileURLToPath(new URL('../children/claim-all.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...environment },
  });
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
}
