/** The course of a job after its creation: it runs, it ends, and its end is charged, given back or charged late. */

import { openOutput } from '../media/outputs.js';
import { charge, costNano } from './billing.js';
import type { Job } from './job.js';
import { parseCredits } from './money.js';
import { createRandom, type Random } from './random.js';
import type { JobState } from './truth.js';
import type { World } from './world.js';

/** Schedules when a job begins to run and when it ends. */
export function scheduleRender(world: World, job: Job, random: Random, atMs: number): void {
  const { clock, scheduler } = world;
  const fixed = job.faults.get('render-seconds');
  const [min, max] = job.plan.renderSeconds;
  const fullSeconds = random.between(min, max);
  const seconds =
    fixed?.serviceSeconds ?? (job.failure === undefined ? fullSeconds : fullSeconds * random.between(0.3, 1));
  const queueSeconds = Math.min(seconds * random.between(0.05, 0.2), 10);
  job.bill.duringRender(atMs, clock.serviceMs(seconds));
  scheduler.at(atMs + clock.serviceMs(queueSeconds), () => changeState(job, 'running'));
  scheduler.at(atMs + clock.serviceMs(seconds), (dueMs) => {
    // Media and checks are nearly always done by now; where they are not, the job ends a little later.
    if (job.output !== undefined || job.failure !== undefined) finish(world, job, dueMs);
    else void job.ready.then(() => finish(world, job, clock.nowMs()));
  });
}

/** Moves a job on, unless it has ended. */
export function changeState(job: Job, state: JobState): void {
  if (job.record.terminalMs !== undefined) return;
  job.record.state = state;
  job.plan.onState?.(job);
}

function finish(world: World, job: Job, atMs: number): void {
  const { account, plan, record } = job;
  record.terminalMs = atMs;
  record.state = job.endAs;
  if (job.failure !== undefined) record.message = job.failure.message;
  account.slots.free();
  if (job.output !== undefined) openOutput(world.clock, job.output, atMs, plan.outputLifeSeconds, job.faults);
  settle(world, job, atMs);
  plan.onState?.(job);
}

/** Books what the end of a job costs: the charge, or what comes back; and what is owed afterwards. */
function settle(world: World, job: Job, atMs: number): void {
  const { account, plan, record, faults, bill } = job;
  if (record.state !== 'succeeded') {
    bill.fail(atMs);
    return;
  }
  const chargeMs = bill.succeed(atMs);
  const owed = plan.owedLater?.();
  const extra = faults.get('follow-up-charge');
  if (owed === undefined && extra === undefined) return;
  const { options, clock, scheduler } = world;
  const drawnSeconds = createRandom(options.seed, `follow-up ${record.id}`).within(options.assumptions.followUpSeconds);
  scheduler.at(chargeMs + clock.serviceMs(extra?.serviceSeconds ?? drawnSeconds), (dueMs) => {
    const nano = extra === undefined ? 0 : parseCredits(extra.credits);
    const owedNano = owed === undefined ? 0 : costNano(world, account, plan.facts, owed, dueMs);
    charge(account, record, 'follow_up', nano + owedNano, dueMs);
  });
}
