/** Synchronous generations: a slot held while rendering, a charge on success, the file in the answer. */

import { type Output, type OutputSpec, openOutput } from '../media/outputs.js';
import type { Family } from './assumptions.js';
import { checkAccess, checkCredits, checkSlot, costNano, openBill, takeSlot } from './billing.js';
import { until } from './clock.js';
import { codedError, detailError, type ServiceError } from './errors.js';
import type { Bill } from './job.js';
import { lateMs, newRecord } from './jobs.js';
import type { PriceFacts, Quantities } from './prices.js';
import type { JobRecord } from './truth.js';
import { type Call, WithheldAnswer } from './world.js';

/** What a synchronous route decided about a request that passed its checks. */
interface SyncPlan {
  family: Family;
  facts: PriceFacts;
  quantities: Quantities;
  spec: OutputSpec;
  /** Service seconds for which a `url` in the answer works. */
  outputLifeSeconds: number;
  /** Service seconds after which the answer is 504 `engine_timeout`. */
  timeLimitSeconds?: number;
  /** Default true; the interaction route holds no slot. */
  holdsSlot?: boolean;
}

export interface SyncResult {
  record: JobRecord;
  output: Output;
  /** The instant of the generation, Unix milliseconds. */
  createdMs: number;
}

/** Renders, charges and returns the file, or throws the refusal (403, 402, 429) or failure (500, 504). */
export async function generate(call: Call, plan: SyncPlan): Promise<SyncResult> {
  const { world } = call;
  checkAccess(call, plan.facts);
  const expectedNano = costNano(world, call.account, plan.facts, plan.quantities, world.clock.nowMs());
  checkCredits(call, expectedNano);
  if (plan.holdsSlot !== false) checkSlot(call);
  const late = call.faults.get('create-late');
  if (late !== undefined) {
    world.scheduler.at(world.clock.nowMs() + lateMs(call, late), () => {
      render(call, plan, expectedNano).catch(() => undefined);
    });
    throw new WithheldAnswer(late.answer ?? 'reset');
  }
  return render(call, plan, expectedNano);
}

async function render(call: Call, plan: SyncPlan, expectedNano: number): Promise<SyncResult> {
  const { world, account } = call;
  const startMs = world.clock.nowMs();
  const record = newRecord(call, 'call', plan.facts, expectedNano, startMs);
  call.record.jobId = record.id;
  const holdsSlot = plan.holdsSlot !== false;
  if (holdsSlot) takeSlot(world, account, startMs, record.id);
  const { family, facts, quantities } = plan;
  const bill = openBill(world, { record, account, family, facts, quantities, faults: call.faults }, startMs);
  const course = courseOf(call, plan);
  const renderMs = world.clock.serviceMs(course.seconds);
  bill.duringRender(startMs, renderMs, course.failure !== undefined);
  try {
    const making = world.outputs.create(record.id, plan.spec, Number.POSITIVE_INFINITY);
    const [output] = await Promise.all([making, until(world.scheduler, startMs + renderMs)]);
    if (course.failure !== undefined) throw course.failure;
    return succeed(call, plan, record, output, bill);
  } catch (error) {
    record.state = 'failed';
    record.message = error instanceof Error ? error.message : 'failed';
    bill.fail(world.clock.nowMs());
    throw error;
  } finally {
    record.terminalMs ??= world.clock.nowMs();
    if (holdsSlot) account.slots.free();
  }
}

/** How long the call takes, and what it ends with where that is no file. */
function courseOf({ world, random, faults }: Call, plan: SyncPlan): { seconds: number; failure?: ServiceError } {
  const { assumptions, failRate } = world.options;
  const drawn = random.between(...assumptions.renderSeconds[plan.family]);
  const seconds = faults.get('render-seconds')?.serviceSeconds ?? drawn;
  const isUnlucky = random.chance(failRate);
  const limit = plan.timeLimitSeconds ?? Number.POSITIVE_INFINITY;
  if (seconds > limit) {
    const message = `The generation did not complete within ${limit} seconds.`;
    return { seconds: limit, failure: codedError(504, 'engine_timeout', message) };
  }
  const asked = faults.get('end-job');
  if (!isUnlucky && asked === undefined) return { seconds };
  const detail = asked?.message ?? 'The generation failed unexpectedly; it is not charged.';
  return { seconds, failure: detailError(500, detail) };
}

function succeed(call: Call, plan: SyncPlan, record: JobRecord, output: Output, bill: Bill): SyncResult {
  const { clock } = call.world;
  const nowMs = clock.nowMs();
  record.state = 'succeeded';
  record.terminalMs = nowMs;
  const { id, contentType, bytes, sha256 } = output;
  record.outputs.push({ id, contentType, bytes, sha256, downloads: 0 });
  openOutput(clock, output, nowMs, plan.outputLifeSeconds, call.faults);
  bill.succeed(nowMs);
  return { record, output, createdMs: nowMs };
}
