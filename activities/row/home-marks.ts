import { setTimeout as sleep } from 'node:timers/promises';
import { orderPause, readBatchOptions } from '../../src/home/batch-order.js';
import { homeMismatch, writeHomeMark } from '../../src/home/home-mark.js';
import type { Dependencies } from '../dependencies.js';

/**
 * Whether the home is still the one that a batch's outputs tell of, and the mark that tells it to others: a copy of the
 * home that goes on elsewhere, or an older state of it in its place, must not pay for the same rows.
 */

/** So long one look counts. */
const EVERY_MS = 2_000;
/** A place of outputs that does not answer says nothing against the home. */
const LOOK_MAX_MS = 5_000;

/** Asked before each claim; once in two seconds it compares, and marks the batch as this home's. */
export function isOwnHome(deps: Dependencies, batch: string): Promise<boolean> {
  const { looks, behind } = deps.marks;
  const last = looks.get(batch);
  behind.add(batch);
  if (last !== undefined && Math.abs(deps.now() - last.atMs) < EVERY_MS) return last.isOwn;
  return markHome(deps, batch);
}

/** Called at new readings of the balance: what was claimed since the last mark is told of. */
export async function refreshMarks(deps: Dependencies): Promise<void> {
  await Promise.all([...deps.marks.behind].map((batch) => markHome(deps, batch)));
}

/** False where the home is not the one; what cannot be read or written says nothing against it. */
export function markHome(deps: Dependencies, batch: string): Promise<boolean> {
  const { looks, behind } = deps.marks;
  behind.delete(batch);
  const compared = compareAndMark(deps, batch).catch((error: unknown) => {
    behind.add(batch);
    deps.log.warn({ batch, error: String(error) }, 'the mark beside the outputs could not be compared or written');
    return true;
  });
  const isOwn = Promise.race([compared, sleep(LOOK_MAX_MS, true, { ref: false })]);
  looks.set(batch, { atMs: deps.now(), isOwn });
  return isOwn;
}

/** The batch submits nothing more from this home until a person has said which home is the right one. */
export async function holdForHome(deps: Dependencies, batch: string): Promise<void> {
  const isNew = await orderPause(deps.home, batch, true, { isHeldForHome: true });
  if (!isNew) return;
  await deps.messenger.pauseBatch(batch);
  deps.log.error({ batch }, 'its outputs tell of another or a newer home: the batch is paused');
}

async function compareAndMark(deps: Dependencies, batch: string): Promise<boolean> {
  const { out: place } = await readBatchOptions(deps.home, batch);
  const out = deps.openStore(place);
  if ((await homeMismatch(out, deps.home, batch)) !== undefined) return false;
  await writeHomeMark(out, deps.home, { batch, claimer: deps.marks.claimer, atMs: deps.now() });
  return true;
}
