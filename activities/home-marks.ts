import { readBatchOptions } from '../src/store/batch-options.js';
import { noteClaims, writeHomeMark } from '../src/store/home-mark.js';
import type { Dependencies } from './dependencies.js';

/** Keeps the marks beside the outputs up to date for the batches that submit, a write in two seconds at most. */

const EVERY_MS = 2_000;

interface Marks {
  /** Batches that claimed attempts since their mark was written. */
  batches: Set<string>;
  writtenAtMs: number;
}

const marks = new WeakMap<Dependencies, Marks>();

export function noteClaimed(deps: Dependencies, batch: string): void {
  marksOf(deps).batches.add(batch);
  void refreshMarks(deps);
}

/** Called at claims and new readings of the balance. A mark that cannot be written keeps nothing up. */
export async function refreshMarks(deps: Dependencies): Promise<void> {
  const known = marksOf(deps);
  if (known.batches.size === 0 || Math.abs(deps.now() - known.writtenAtMs) < EVERY_MS) return;
  const batches = [...known.batches];
  known.batches.clear();
  known.writtenAtMs = deps.now();
  await noteClaims(deps.home, known.writtenAtMs).catch((error: unknown) => {
    deps.log.warn({ error: String(error) }, 'the home could not be told of its claims');
  });
  await Promise.all(batches.map((batch) => markHome(deps, batch)));
}

export async function markHome(deps: Dependencies, batch: string): Promise<void> {
  try {
    const { out } = await readBatchOptions(deps.home, batch);
    await writeHomeMark(deps.openStore(out), deps.home, batch);
  } catch (error) {
    marksOf(deps).batches.add(batch);
    deps.log.warn({ batch, error: String(error) }, 'the mark beside the outputs could not be written');
  }
}

function marksOf(deps: Dependencies): Marks {
  const known = marks.get(deps) ?? { batches: new Set<string>(), writtenAtMs: 0 };
  marks.set(deps, known);
  return known;
}
