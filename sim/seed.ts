import type { Assumption } from './assumptions.js';
import { createReporter, type Violation } from './check/reporter.js';
import { type JudgedCase, judgeVerdicts } from './check/verdicts.js';
import { enter, type Sim } from './engine/current.js';
import { createRandom } from './engine/random.js';
import { createScheduler } from './engine/scheduler.js';
import { playWorld } from './play.js';
import { createScenario } from './scenario.js';
import { serveSeed } from './temporal/server.js';
import { watchUsage } from './usage.js';
import { buildWorld } from './world.js';

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
  /** How rows that others feed ended, and how they did once failed ones were ordered to go on. */
  fedEnds: Record<string, number>[];
  /** Requests until the batches ended that were neither submit nor poll, and what the plan allowed in that time. */
  extraRequests: number;
  allowedRequests: number;
  slotMs: number;
  quietSlotMs: number;
}

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
  let ends: SeedResult['fedEnds'] = [];
  try {
    ends = await playWorld({ sim, scenario, world, report, trace });
    await new Promise((resolve) => setImmediate(resolve));
  } catch (error) {
    onError(error);
  } finally {
    process.off('unhandledRejection', onError);
  }
  const { posts, jobs } = world.service;
  return {
    seed,
    rows: scenario.rows.length,
    submits: posts.length,
    ambiguous: posts.filter((post) => !post.isCertain).length,
    jobs: jobs.length,
    cases: judgeVerdicts(scenario, world.ledger, world.service, report),
    virtualMs: sim.scheduler.now(),
    fedEnds: ends,
    ...usage,
    ...reporter.result(),
  };
}
