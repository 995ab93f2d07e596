/** Synchronous generations: a slot held while rendering, a charge on success, the file in the answer. */

import { type Output, type OutputSpec, openOutput } from '../media/outputs.js';
import { openBill } from './bill.js';
import { checkAccess, checkCredits, checkSlot, costNano, takeSlot } from './billing.js';
import { until } from './clock.js';
import { codedError, detailError } from './errors.js';
import type { Family } from './families.js';
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
  const { world, account, random } = call;
  const startMs = world.clock.nowMs();
  const record = newRecord(call, 'call', plan.facts, expectedNano, startMs);
  call.record.jobId = record.id;
  const holdsSlot = plan.holdsSlot !== false;
  if (holdsSlot) takeSlot(world, account, startMs, record.id);
  const { family, facts, quantities } = plan;
  const bill = openBill(world, { record, account, family, facts, quantities, faults: call.faults }, startMs);
  const drawnSeconds = random.between(...world.options.assumptions.renderSeconds[family]);
  const seconds = call.faults.get('render-seconds')?.serviceSeconds ?? drawnSeconds;
  bill.duringRender(startMs, world.clock.serviceMs(seconds));
  try {
    const output = await renderInTime(call, plan, record, startMs, seconds);
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

async function renderInTime(
  call: Call,
  plan: SyncPlan,
  record: JobRecord,
  startMs: number,
  seconds: number,
): Promise<Output> {
  const { world, random, faults } = call;
  const { clock } = world;
  const isUnlucky = random.next() < world.options.failRate;
  const limitSeconds = plan.timeLimitSeconds ?? Number.POSITIVE_INFINITY;
  const making = world.outputs.create(record.id, plan.spec, Number.POSITIVE_INFINITY);
  await Promise.all([making, until(world.scheduler, startMs + clock.serviceMs(Math.min(seconds, limitSeconds)))]);
  if (seconds > limitSeconds) {
    throw codedError(504, 'engine_timeout', `The generation did not complete within ${limitSeconds} seconds.`);
  }
  const failure = faults.get('end-job');
  if (isUnlucky || failure !== undefined) {
    throw detailError(500, failure?.message ?? 'The generation failed unexpectedly; it is not charged.');
  }
  return making;
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
