import { batchId, semaphoreId } from '../src/contract/names.js';
import type { SemaphoreView } from '../src/contract/semaphore-view.js';
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
/** Between two batches nothing happens for hours. */
const IDLE_LOOK_MS = 600_000;
const WAITING_MAX_MS = 660_000;

/** Looks every ten seconds until the batches have ended; what it gives is complete then. */
export function watchUsage(
  sim: Sim,
  scenario: Scenario,
  { client, results, server, service, watch }: World,
  report: (rule: string, what: string) => void,
): Usage {
  const usage: Usage = { extraRequests: 0, allowedRequests: 0, slotMs: 0, quietSlotMs: 0 };
  let lastMs = 0;
  const checkWaiting = watchWaiting(sim, scenario, report);
  const look = (): void => {
    if (client.batches.every((batch) => results.has(batchId(ACCOUNT, batch)))) return;
    const polls = service.jobs.reduce((sum, job) => sum + job.polls.length, 0);
    usage.extraRequests = watch.requests() - polls - service.posts.length;
    usage.allowedRequests += (service.world.accounts.get('default').caps.rpm * (sim.scheduler.now() - lastMs)) / 60_000;
    lastMs = sim.scheduler.now();
    const view = server.query(semaphoreId(ACCOUNT), 'view') as SemaphoreView | undefined;
    if (view !== undefined) addSlots(usage, view);
    if (view !== undefined) checkWaiting(view);
    const isIdle = view === undefined || (view.waiting === 0 && view.holders.length === 0);
    sim.scheduler.after(isIdle ? IDLE_LOOK_MS : LOOK_EVERY_MS, look);
  };
  sim.scheduler.after(LOOK_EVERY_MS, look);
  return usage;
}

/**
 * I21: no case keeps other rows waiting for longer than ten minutes, the quiet, held slots and pauses apart. A minute
 * more is for the looks of this watch and of the product.
 */
function watchWaiting({ scheduler }: Sim, scenario: Scenario, report: (rule: string, what: string) => void) {
  let sinceMs: number | undefined;
  let lastGrant = 0;
  return ({ holders, waiting, effectiveCap, curbs, pauses }: SemaphoreView): void => {
    const nowMs = scheduler.now();
    const grant = Math.max(lastGrant, ...holders.map((holder) => holder.grant));
    const isHeldBack = waiting > 0 && holders.length < effectiveCap && pauses.length === 0;
    const isExcused = scenario.isTroubled(nowMs) || curbs.some(({ curb }) => curb !== 'breaker');
    if (!isHeldBack || isExcused || grant > lastGrant) sinceMs = undefined;
    else sinceMs ??= nowMs;
    lastGrant = grant;
    if (sinceMs === undefined || nowMs - sinceMs < WAITING_MAX_MS) return;
    report('I21', `${waiting} rows wait for longer than ten minutes, with slots free and nothing paused`);
    sinceMs = nowMs;
  };
}

function addSlots(usage: Usage, { holders, waiting, effectiveCap, curbs, pauses }: SemaphoreView): void {
  usage.slotMs += holders.length * LOOK_EVERY_MS;
  const isQuiet = pauses.length === 0 && curbs.some(({ curb }) => curb === 'quiet');
  const free = Math.max(0, effectiveCap - holders.length);
  if (isQuiet) usage.quietSlotMs += Math.min(free, waiting) * LOOK_EVERY_MS;
}
