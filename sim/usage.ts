import { batchId, semaphoreId } from '../src/contract/names.js';
import type { SemaphoreView } from '../src/contract/semaphore.js';
import { ACCOUNT } from './account-settings.js';
import type { Sim } from './engine/current.js';
import type { Scenario } from './scenario.js';
import type { World } from './world.js';

/** What the credits check costs a seed: requests beside submits and polls, and slots that a quiet leaves free. */
export interface Usage {
  extraRequests: number;
  allowedRequests: number;
  slotMs: number;
  quietSlotMs: number;
}

const LOOK_EVERY_MS = 10_000;

/** Looks every ten seconds until the batches have ended; what it gives is complete then. */
export function watchUsage(sim: Sim, scenario: Scenario, { client, results, server, service, watch }: World): Usage {
  const usage: Usage = { extraRequests: 0, allowedRequests: 0, slotMs: 0, quietSlotMs: 0 };
  const look = (): void => {
    if (client.batches.every((batch) => results.has(batchId(ACCOUNT, batch)))) return;
    const polls = service.jobs.jobs.reduce((sum, job) => sum + job.polls.length, 0);
    usage.extraRequests = watch.requests() - polls - service.submits.posts.length;
    usage.allowedRequests += (scenario.plan.rpm * LOOK_EVERY_MS) / 60_000;
    const view = server.query(semaphoreId(ACCOUNT), 'view') as SemaphoreView | undefined;
    if (view !== undefined) addSlots(usage, view);
    sim.scheduler.after(LOOK_EVERY_MS, look);
  };
  sim.scheduler.after(LOOK_EVERY_MS, look);
  return usage;
}

function addSlots(usage: Usage, { holders, waiting, effectiveCap, curbs, pauses }: SemaphoreView): void {
  usage.slotMs += holders.length * LOOK_EVERY_MS;
  const isQuiet = pauses.length === 0 && curbs.some(({ curb }) => curb === 'quiet');
  const free = Math.max(0, effectiveCap - holders.length);
  if (isQuiet) usage.quietSlotMs += Math.min(free, waiting) * LOOK_EVERY_MS;
}
