/** Asynchronous jobs: accepted, rendered in time, ended, charged, polled. */

import type { FaultActions } from '../faults/fault-actions.js';
import { openOutput } from '../media/outputs.js';
import { charge, checkAccess, checkCredits, checkSlot, costNano, holdBack, openBill, takeSlot } from './billing.js';
import type { Job, JobPlan } from './job.js';
import { parseCredits } from './money.js';
import type { PriceFacts } from './prices.js';
import { createRandom, type Random } from './random.js';
import { compactBody, type JobRecord, type JobState } from './truth.js';
import { type Call, WithheldAnswer, type World } from './world.js';

const FAILURES = [
  'The render did not pass the safety check.',
  'The model could not complete the render.',
  'The provider ran out of capacity while rendering.',
] as const;

/** Accepts a job or throws the refusal: 403, 402 or 429, in this order; validation comes before. */
export function submitJob(call: Call, plan: JobPlan): Job {
  const { world, account, faults } = call;
  const nowMs = world.clock.nowMs();
  checkAccess(call, plan.facts);
  const expectedNano = costNano(world, account, plan.facts, plan.quantities, nowMs);
  checkCredits(call, expectedNano);
  checkSlot(call);
  const late = faults.get('create-late');
  if (late !== undefined) {
    holdBack(world, nowMs + lateMs(call, late), (atMs) => {
      createJob(call, plan, expectedNano, atMs, { late: true });
    });
    throw new WithheldAnswer(late.answer ?? 'reset');
  }
  const job = createJob(call, plan, expectedNano, nowMs, {});
  call.record.jobId = job.record.id;
  if (faults.get('double-job') !== undefined) {
    createJob(call, plan, expectedNano, nowMs, { doubles: job.record.id });
  }
  return job;
}

/** How long after its request a late job or call is created. */
export function lateMs({ world, bodyHash }: Call, late: FaultActions['create-late']): number {
  const { options, clock } = world;
  const drawn = createRandom(options.seed, `late ${bodyHash}`).within(options.assumptions.lateCreationSeconds);
  return clock.serviceMs(late.serviceSeconds ?? drawn);
}

/** The record of a job or a synchronous call, entered into the ground truth. */
export function newRecord(
  call: Call,
  type: JobRecord['type'],
  facts: PriceFacts,
  expectedNano: number,
  atMs: number,
): JobRecord {
  const reference =
    call.headers['x-client-reference'] ?? call.headers['x-request-id'] ?? call.headers['idempotency-key'];
  const record = call.world.recorder.addJob({
    type,
    account: call.account.name,
    kind: facts.kind,
    route: call.route.names[0],
    model: facts.model,
    createdMs: atMs,
    state: type === 'call' ? 'running' : 'queued',
    expectedNano,
    chargedNano: 0,
    refundedNano: 0,
    request: call.record,
    requestHash: call.bodyHash,
    body: compactBody(call.body),
    outputs: [],
    polls: 0,
    maxPollGapMs: 0,
    longPollGaps: 0,
    pollsAfterTerminal: 0,
  });
  if (reference !== undefined) record.clientReference = [reference].flat().join(', ');
  return record;
}

function createJob(
  call: Call,
  plan: JobPlan,
  expectedNano: number,
  atMs: number,
  marks: Pick<JobRecord, 'late' | 'doubles'>,
): Job {
  const { world, account, faults, random } = call;
  const record = Object.assign(newRecord(call, 'job', plan.facts, expectedNano, atMs), marks);
  const handle = plan.makeHandle(random);
  record.handle = handle;
  if (plan.callbackUrl !== undefined) record.callbackUrl = plan.callbackUrl;
  const bill = openBill(world, { ...plan, record, account, faults }, atMs);
  const job: Job = { record, plan, account, handle, faults, bill, ready: Promise.resolve(), endAs: 'succeeded' };
  decideEnd(world, job, random);
  world.jobs.set(handle, job);
  takeSlot(world, account, atMs, record.id);
  job.ready = prepare(world, job);
  plan.onState?.(job);
  if (faults.get('never-ends') === undefined) scheduleRender(world, job, random, atMs);
  else world.scheduler.at(atMs + world.clock.serviceMs(1), () => changeState(job, 'running'));
  return job;
}

function decideEnd(world: World, job: Job, random: Random): void {
  const isUnlucky = random.next() < world.options.failRate;
  const message = random.pick(FAILURES);
  const asked = job.faults.get('end-job');
  if (asked !== undefined) {
    job.endAs = asked.as;
    job.failure = { message: asked.message ?? message };
  } else if (isUnlucky) {
    job.endAs = 'failed';
    job.failure = { message };
  }
}

async function prepare(world: World, job: Job): Promise<void> {
  const { plan, record } = job;
  const failure = await plan.inspect?.();
  if (failure !== undefined && job.failure === undefined) {
    job.failure = failure;
    job.endAs = 'failed';
  }
  if (job.failure !== undefined) return;
  const output = await world.outputs.create(record.id, plan.spec(record.id), Number.POSITIVE_INFINITY);
  job.output = output;
  const { id, contentType, bytes, sha256 } = output;
  record.outputs.push({ id, contentType, bytes, sha256, downloads: 0 });
}

/** Schedules when a job begins to run and when it ends. */
function scheduleRender(world: World, job: Job, random: Random, atMs: number): void {
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
function changeState(job: Job, state: JobState): void {
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
