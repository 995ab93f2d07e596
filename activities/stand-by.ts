import { Context } from '@temporalio/activity';
import type { SubmitInput } from '../src/contract/attempts.js';
import type { Granted } from '../src/contract/semaphore.js';
import { loadRow } from '../src/home/row-work.js';
import type { Dependencies } from './dependencies.js';
import { mayClaim } from './row/claims.js';

/** Longer waits are the job's own: it waits for weeks without an activity. */
const STANDBY_MAX_MS = 600_000;
const STANDBY_LOOK_MS = 5_000;
const ASK_AGAIN_MS = 30_000;

/** Waits for the job's grant where it holds none: until it comes, is not wanted any more, or takes too long. */
export async function standBy(
  deps: Dependencies,
  { row, standsBy }: SubmitInput,
): Promise<Granted | 'at hand' | undefined> {
  const { standby, messenger } = deps;
  if (standsBy === undefined) return 'at hand';
  if (standby === undefined) return undefined;
  // What the next step reads is at hand when the grant comes.
  await loadRow(deps, row).catch(() => undefined);
  const ask = { batch: row.batch, jobs: [{ id: row.id, kind: row.kind }], standsBy: true as const, ...standsBy };
  const startedMs = deps.monotonic();
  let askedMs = startedMs;
  while (mayClaim(deps) && deps.monotonic() - startedMs < STANDBY_MAX_MS) {
    const lookedMs = deps.monotonic();
    const word = await standby.wait(row, STANDBY_LOOK_MS);
    if (word !== undefined) return word === 'withdrawn' ? undefined : word;
    // The server has given this try up: its job goes on without it, and what it asks for nobody would give back.
    if (Context.current().cancellationSignal.aborted) return undefined;
    const nowMs = deps.monotonic();
    // After a standstill the next sign of life tells whether that is so.
    const isStill = nowMs - lookedMs > 2 * STANDBY_LOOK_MS;
    // A grant may be lost with the process that it was told in.
    if (isStill || nowMs - askedMs < ASK_AGAIN_MS) continue;
    askedMs = nowMs;
    await messenger.acquireFor(ask).catch(() => undefined);
  }
  const last = await standby.wait(row, 0);
  return last === 'withdrawn' ? undefined : last;
}
