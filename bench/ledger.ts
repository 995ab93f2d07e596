import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AttemptRef, AttemptState, Intent } from '../src/domain/attempt.js';
import { createLedger, type Ledger } from '../src/home/ledger.js';
import { createFolderStore } from '../src/store/folder.js';
import { type BenchOptions, type BenchOutcome, createMeasures, say } from './lib/bench.js';
import { benchFolder } from './lib/stand.js';

/**
 * What the write-ahead ledger costs on this disk. Its peer does the least that could be called durable: the same bytes
 * to the end of an open file, one fsync before the request and one after it. Both take turns within one run.
 */

const ATTEMPTS = 100;
/** As many as a plan's slots claim at once. */
const WIDTHS = [1, 10];

export async function ledger({ runs }: BenchOptions): Promise<BenchOutcome> {
  const measures = createMeasures();
  for (let run = 1; run <= runs; run += 1) {
    for (const width of WIDTHS) {
      const { ledgerMs, plainMs } = await measure(width);
      const how = width === 1 ? 'one at a time' : `${width} at a time`;
      measures.add(`claim + append, ${how}`, 'ms', ledgerMs);
      measures.add(`plain write + fsync, ${how}`, 'ms', plainMs);
      measures.add(`ratio, ${how}`, '', ledgerMs / plainMs);
      say(`ledger ${run} of ${runs}, ${how}: ${ledgerMs.toFixed(1)} ms against ${plainMs.toFixed(1)} ms`);
    }
  }
  return { name: 'ledger', settings: { attempts: ATTEMPTS, store: 'folder' }, measures: measures.all() };
}

/** Milliseconds for each attempt; with a width above 1, wall time shared by those under way together. */
async function measure(width: number): Promise<{ ledgerMs: number; plainMs: number }> {
  const folder = await benchFolder();
  const file = await open(join(folder, 'plain.log'), 'a', 0o600);
  const attempts = createLedger(createFolderStore(join(folder, 'home')), 'bench');
  let ledgerMs = 0;
  let plainMs = 0;
  try {
    for (let from = 0; from < ATTEMPTS; from += width) {
      const numbers = Array.from({ length: width }, (_, i) => from + i);
      ledgerMs += await timed(() => Promise.all(numbers.map((i) => claimAndAppend(attempts, i))));
      plainMs += await timed(() => Promise.all(numbers.map(() => writePlain(file))));
    }
  } finally {
    await file.close();
    await rm(folder, { recursive: true, force: true });
  }
  return { ledgerMs: ledgerMs / ATTEMPTS, plainMs: plainMs / ATTEMPTS };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

async function claimAndAppend(attempts: Ledger, i: number): Promise<void> {
  const ref: AttemptRef = { batch: 'bench', id: `row-${i}`, n: 1 };
  if (!(await attempts.claim(ref, intentOf()))) throw new Error('the place of a new attempt was taken');
  await attempts.append(ref, outcome());
}

/** The index entry and the claim before the request, the outcome after it. */
async function writePlain(file: FileHandle): Promise<void> {
  const { kind, generation, part, index, atMs } = intentOf();
  await file.write(`${JSON.stringify({ kind, generation, part, index, atMs })}\n${JSON.stringify(intentOf())}\n`);
  await file.sync();
  await file.write(`${JSON.stringify(outcome())}\n`);
  await file.sync();
}

function intentOf(): Intent {
  return {
    state: 'intent',
    atMs: Date.now(),
    nonce: randomBytes(32).toString('hex'),
    rowHash: randomBytes(32).toString('hex'),
    kind: 'svc/image',
    generation: randomBytes(32).toString('hex'),
    part: 0,
    index: 0,
    expected: { lo: 1_000_000, hi: 1_000_000 },
  };
}

function outcome(): AttemptState {
  const url = `https://outputs.invalid/${randomBytes(16).toString('hex')}.png`;
  return { state: 'done', atMs: Date.now(), outputs: [{ url }], facts: {} };
}
