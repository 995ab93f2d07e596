import { batchId, semaphoreId } from '../src/contract/names.js';
import type { SemaphoreView } from '../src/contract/semaphore-view.js';
import { ACCOUNT } from './account-settings.js';
import { checkChains, fedEnds, feedersOf } from './check/chains.js';
import { checkCopies } from './check/copies.js';
import { checkEnd } from './check/end-checks.js';
import { checkResults, isOutdone } from './check/results-check.js';
import type { Sim } from './engine/current.js';
import { type PlannedRow, rowName } from './rows.js';
import type { Scenario } from './scenario.js';
import { isRunning } from './service.js';
import type { Report, World } from './world.js';

/** The life of a seed: its batches run to their ends, failed rows of chains go on once, and all of it is run again for nothing. */

export interface Played {
  sim: Sim;
  scenario: Scenario;
  world: World;
  report: Report;
  trace: Report;
}

const MINUTE_MS = 60_000;
/** So long after the last batch was started everything is over. */
const END_MS = 24 * 60 * MINUTE_MS;
/** A render that nobody waits for any more ends within this, also where it lasts longer than the product was told. */
const LATEST_HOURS = 8;
/** A seed takes some thousands, one of weeks some hundred thousands: beyond this something goes round and round. */
const EVENTS_MAX = 1_000_000;

/** Gives how rows that others feed ended, and how they did once failed ones were ordered to go on. */
export async function playWorld(played: Played): Promise<Record<string, number>[]> {
  const { sim, scenario, world, report } = played;
  const { client, results, service } = world;
  const { scheduler } = sim;
  scheduler.after(0, () => {
    void client.prepare().then(() => {
      for (const batch of client.batches) {
        const startMs = scenario.starts.get(batch) ?? 0;
        scheduler.after(Math.max(0, startMs - scheduler.now()), () => client.run(batch));
      }
    });
  });
  planTrouble(played);
  await scheduler.run(Math.max(...scenario.starts.values()) + END_MS, () => isOver(played));
  const open = client.batches.filter((batch) => !results.has(batchId(ACCOUNT, batch)));
  if (open.length > 0) {
    report('I21', `${isSpinning(played) ? 'goes round without an end' : 'not ended after a day'}: ${open.join(', ')}`);
    return [];
  }
  // What was still to appear late at the service does so now.
  await scheduler.run(scheduler.now() + 15 * MINUTE_MS, () => isSpinning(played));
  const ends = [checkFed(played)];
  checkEnd({ ...world, scenario, readOutput: (key) => world.outputs.get(key), report });
  if (Object.keys(ends[0] ?? {}).length > 0 && scenario.faults.cancel === 0) {
    await retryChains(played);
    ends.push(checkFed(played));
  }
  await runAgain(played);
  checkSlots(played);
  // What still renders is judged by its end.
  for (let hours = 0; hours < LATEST_HOURS && service.jobs.some(isRunning); hours += 1)
    await scheduler.run(scheduler.now() + 60 * MINUTE_MS, () => isSpinning(played));
  return ends;
}

function isSpinning({ sim }: Played): boolean {
  return sim.scheduler.count() > EVENTS_MAX;
}

function hasEnded({ world: { client, results } }: Played): boolean {
  return client.batches.every((batch) => results.has(batchId(ACCOUNT, batch)));
}

function isOver(played: Played): boolean {
  return hasEnded(played) || isSpinning(played);
}

function checkFed({ scenario, world, report, trace }: Played): Record<string, number> {
  const lines = checkResults({ ...world, scenario, report });
  checkChains({ ...world, scenario, lines, posts: world.service.posts, report });
  checkCopies({ ...world, scenario, report }, lines);
  const ends = fedEnds({ scenario, lines });
  for (const [end, count] of Object.entries(ends)) trace('results', `${count} rows that others feed: ${end}`);
  return ends;
}

/** A person has failed rows, and those that they feed, go on. */
async function retryChains(played: Played): Promise<void> {
  const { sim, world, report } = played;
  const { client, results, watch } = world;
  results.clear();
  watch.retried();
  for (const batch of client.batches) sim.scheduler.after(0, () => void client.retry(batch));
  await sim.scheduler.run(sim.scheduler.now() + END_MS, () => isOver(played));
  if (!hasEnded(played)) report('I21', 'a batch whose failed rows go on does not end');
}

/** I9: a finished batch that is run again ends and sends nothing, but for rows of which the ledger has learned more. */
async function runAgain(played: Played): Promise<void> {
  const { sim, scenario, world, report } = played;
  const { client, results, service, ledger } = world;
  const beforeMs = sim.scheduler.now();
  const before = service.posts.length;
  const outdone = new Set(scenario.rows.map(rowName).filter((row) => isOutdone(world, row)));
  const goesOn = (planned: PlannedRow): boolean => {
    const row = rowName(planned);
    // A bill may come back while it runs; and what a row feeds goes on with it.
    if (outdone.has(row) || ledger.verdicts.some((one) => one.row === row && one.atMs > beforeMs)) return true;
    return feedersOf(scenario, planned).some(goesOn);
  };
  results.clear();
  for (const batch of client.batches) sim.scheduler.after(0, () => void client.runAgain(batch));
  // A worker may be stopped for minutes as long as there are faults.
  const quickMs = Math.max(beforeMs, scenario.faultsEndMs) + 20 * MINUTE_MS;
  await sim.scheduler.run(quickMs, () => isOver(played));
  const again = service.posts.slice(before);
  const going = scenario.rows.filter(goesOn).map(rowName);
  if (again.some(({ row }) => !going.includes(row)))
    report('I9', 'a finished batch that is run again sends paid requests');
  // What goes on may wait for a slot that a lost job holds.
  if (going.length > 0) await sim.scheduler.run(quickMs + LATEST_HOURS * 60 * MINUTE_MS, () => isOver(played));
  if (!hasEnded(played)) report('I9', 'a finished batch that is run again does not end');
}

/** The server is wiped, a person cancels. */
function planTrouble({ sim, scenario, world, trace }: Played): void {
  const { server, fleet, client, results, watch } = world;
  const { faults, faultsEndMs } = scenario;
  const random = sim.random.fork('trouble');
  if (faults.wipe > 0) {
    sim.scheduler.after(random.between(5_000, faultsEndMs * 0.9), () => {
      trace('server', 'wiped');
      server.wipe();
      if (random.chance(0.5)) fleet.killAll();
      sim.scheduler.after(random.between(1_000, 90_000), () => {
        const begun = client.batches.filter((batch) => (scenario.starts.get(batch) ?? 0) <= sim.scheduler.now());
        for (const batch of begun) if (!results.has(batchId(ACCOUNT, batch))) client.run(batch);
      });
    });
  } else if (faults.cancel > 0) {
    sim.scheduler.after(random.between(5_000, faultsEndMs), () => {
      const [batch] = client.batches;
      if (batch === undefined || results.has(batchId(ACCOUNT, batch))) return;
      trace('client', `cancels ${batch}`);
      watch.cancelled(batch);
      void client.cancel(batch);
    });
  }
}

/** I5: no slot is held but for what may still run at the service. */
function checkSlots({ sim, world: { server }, report }: Played): void {
  sim.actor = undefined;
  const view = server.query(semaphoreId(ACCOUNT), 'view') as SemaphoreView | undefined;
  for (const holder of view?.holders ?? []) {
    const row = `${holder.job.batch}/${holder.job.id}`;
    if (holder.releaseAtMs === undefined) report('I5', `the slot of ${row} was not given back`);
  }
}
