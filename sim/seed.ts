import { batchId, semaphoreId } from '../src/contract/names.js';
import type { SemaphoreView } from '../src/contract/semaphore-view.js';
import { ACCOUNT } from './account-settings.js';
import { checkEnd } from './check/end-checks.js';
import { createReporter, type Violation } from './check/reporter.js';
import { checkResults, isOutdone } from './check/results-check.js';
import { type JudgedCase, judgeVerdicts } from './check/verdicts.js';
import { enter, type Sim } from './engine/current.js';
import { createRandom } from './engine/random.js';
import { createScheduler } from './engine/scheduler.js';
import { type Assumption, createScenario, type Scenario } from './scenario.js';
import { serveSeed } from './temporal/seed-server.js';
import { watchUsage } from './usage.js';
import { buildWorld, type Report, type World } from './world.js';

/** Plays one seed from its number alone: the same number always plays the same. */

export interface SeedResult {
  seed: number;
  violations: Violation[];
  history: string[];
  hash: string;
  rows: number;
  submits: number;
  ambiguous: number;
  jobs: number;
  cases: JudgedCase[];
  virtualMs: number;
  /** Requests until the batches ended that were neither submit nor poll, and what the plan allowed in that time. */
  extraRequests: number;
  allowedRequests: number;
  slotMs: number;
  quietSlotMs: number;
}

const MINUTE_MS = 60_000;
/** So long after the last batch was started everything is over. */
const END_MS = 24 * 60 * MINUTE_MS;
/** A seed takes some thousands, one of weeks some hundred thousands: beyond this something goes round and round. */
const EVENTS_MAX = 1_000_000;

export async function playSeed(seed: number, broken: Assumption | undefined, isTraced: boolean): Promise<SeedResult> {
  const scenario = createScenario(seed, broken);
  const scheduler = createScheduler(() => {
    sim.actor = undefined;
  });
  const sim: Sim = { scheduler, random: createRandom(`seed ${seed}`), actor: undefined };
  const reporter = createReporter(sim, isTraced);
  const { report, trace } = reporter;
  enter(sim);
  const world = buildWorld(sim, scenario, report, trace);
  serveSeed(world.server);
  const usage = watchUsage(sim, scenario, world, report);
  const onError = (error: unknown): void => report('error', error instanceof Error ? `${error.stack}` : String(error));
  process.on('unhandledRejection', onError);
  try {
    await play(sim, scenario, world, report, trace);
    await new Promise((resolve) => setImmediate(resolve));
  } catch (error) {
    onError(error);
  } finally {
    process.off('unhandledRejection', onError);
  }
  const { posts } = world.service.submits;
  return {
    seed,
    rows: scenario.rows.length,
    submits: posts.length,
    ambiguous: posts.filter((post) => !post.isCertain).length,
    jobs: world.service.jobs.jobs.length,
    cases: judgeVerdicts(scenario, world.ledger, world.service, report),
    virtualMs: sim.scheduler.now(),
    ...usage,
    ...reporter.result(),
  };
}

async function play(sim: Sim, scenario: Scenario, world: World, report: Report, trace: Report): Promise<void> {
  const { client, results, service } = world;
  const ids = client.batches.map((batch) => batchId(ACCOUNT, batch));
  const isSpinning = (): boolean => sim.scheduler.count() > EVENTS_MAX;
  const hasEnded = (): boolean => ids.every((id) => results.has(id));
  const isOver = (): boolean => hasEnded() || isSpinning();
  sim.scheduler.after(0, () => {
    void client.prepare().then(() => {
      for (const batch of client.batches) startAt(sim, client, batch, scenario.starts.get(batch) ?? 0);
    });
  });
  planTrouble(sim, scenario, world, trace);
  await sim.scheduler.run(Math.max(...scenario.starts.values()) + END_MS, isOver);
  if (!hasEnded()) {
    const open = ids.filter((id) => !results.has(id)).join(', ');
    report('I21', isSpinning() ? `goes round without an end: ${open}` : `not ended after a day: ${open}`);
    return;
  }
  // What was still to appear late at the service does so now.
  await sim.scheduler.run(sim.scheduler.now() + 15 * MINUTE_MS, isSpinning);
  checkResults({ ...world, scenario, report });
  checkEnd({ ...world, scenario, readOutput: (key) => world.outputs.get(key), report });
  const before = service.submits.posts.length;
  const rows = scenario.rows.map(({ batch, id }) => `${batch}/${id}`);
  const goingOn = new Set(rows.filter((row) => isOutdone(world, row)));
  results.clear();
  for (const batch of client.batches) client.run(batch);
  // A worker may be stopped for minutes as long as there are faults.
  await sim.scheduler.run(Math.max(sim.scheduler.now(), scenario.faultsEndMs) + 20 * MINUTE_MS, isOver);
  if (!hasEnded()) report('I9', 'a finished batch that is run again does not end');
  if (service.submits.posts.slice(before).some(({ row }) => !goingOn.has(row)))
    report('I9', 'a finished batch that is run again sends paid requests');
  checkSlots(sim, world, report);
}

function startAt({ scheduler }: Sim, client: World['client'], batch: string, startMs: number): void {
  scheduler.after(Math.max(0, startMs - scheduler.now()), () => client.run(batch));
}

/** The server is wiped, a person cancels. */
function planTrouble(
  sim: Sim,
  scenario: Scenario,
  { server, fleet, client, results, watch }: World,
  trace: Report,
): void {
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
function checkSlots(sim: Sim, { server }: World, report: Report): void {
  sim.actor = undefined;
  const view = server.query(semaphoreId(ACCOUNT), 'view') as SemaphoreView | undefined;
  for (const holder of view?.holders ?? []) {
    if (holder.releaseAtMs === undefined)
      report('I5', `the slot of ${holder.job.batch}/${holder.job.id} was not given back`);
  }
}
