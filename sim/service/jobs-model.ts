import type { Sim } from '../engine/current.js';
import type { Random } from '../engine/random.js';
import type { Scenario } from '../scenario.js';
import type { AccountModel } from './account-model.js';
import type { Family } from './family.js';

/** The jobs as they really are at the service: this is the truth that the checks go by. */

export interface Job {
  number: number;
  handle: string;
  /** `batch/id`. */
  row: string;
  /** The POST that made it. */
  post: number;
  family: Family;
  createdAtMs: number;
  endsAtMs: number;
  succeeds: boolean;
  /** What it costs in the end; 0 where it fails. */
  netNano: number;
  seconds: number;
  tokens: number;
  /** When the client was given the handle, and what it polled. */
  answeredAtMs: number | undefined;
  polls: { atMs: number; told: 'running' | 'terminal' | 'trouble' }[];
  /** How often its output was refused as expired: a fresh URL may then be asked for. */
  refusedFetches: number;
  bytes: Uint8Array;
}

export interface JobsModel {
  jobs: Job[];
  create(order: { family: Family; row: string; post: number }): Job;
  /** Jobs that run now, synchronous calls among them. */
  running(): number;
}

const MINUTE_MS = 60_000;
/** The service ends a clip itself after this (service document 1, Errors). */
export const CLIP_END_MS = 120_000;
const SYNC_EDGE_MS = 15 * MINUTE_MS;

export function createJobsModel(sim: Sim, scenario: Scenario, account: AccountModel): JobsModel {
  const random = sim.random.fork('jobs');
  const jobs: Job[] = [];
  return {
    jobs,
    create({ family, row, post }) {
      const nowMs = sim.scheduler.now();
      const number = jobs.length + 1;
      const isLate = scenario.broken === 'dmax' && random.chance(0.3);
      const renderMs =
        renderTime(family, scenario, random) +
        (isLate ? random.between(1, 2) * (longestRender(family, scenario.waits) + SYNC_EDGE_MS) : 0);
      const tokens = family.unit === 'million-tokens' ? random.int(40_000, 300_000) : 0;
      const seconds = family.kind === 'vendor-b/avatar' ? random.int(5, 60) : 5;
      const isEnded =
        family.kind === 'svc/clip' && scenario.isTroubled(nowMs) && random.chance(scenario.faults.endOfCall);
      const job: Job = {
        number,
        handle: family.kind === 'vendor-d/video' ? `cgt-${number}` : `h${number}`,
        row,
        post,
        family,
        createdAtMs: nowMs,
        endsAtMs: nowMs + (isEnded ? CLIP_END_MS : renderMs),
        succeeds: !isEnded && !(scenario.isTroubled(nowMs) && random.chance(scenario.faults.renderFails)),
        netNano: 0,
        seconds,
        tokens,
        answeredAtMs: undefined,
        polls: [],
        refusedFetches: 0,
        bytes: mediaBytes(family, number),
      };
      jobs.push(job);
      charge(job, scenario, account, random);
      return job;
    },
    running: () =>
      jobs.filter((job) => job.createdAtMs <= sim.scheduler.now() && sim.scheduler.now() < job.endsAtMs).length,
  };
}

/** Most renders are short; some last as long as any may in this seed. */
function renderTime(family: Family, { truth, waits }: Scenario, random: Random): number {
  const isLong = random.chance(0.1);
  if (family.charge === 'at-success') {
    const longest = family.kind === 'svc/clip' ? Math.min(truth.imageMaxMs, CLIP_END_MS) : truth.imageMaxMs;
    return isLong ? random.pick([longest, random.between(800, longest)]) : random.between(800, 15_000);
  }
  const longest = longestRender(family, waits) * truth.renderShare;
  return isLong
    ? random.pick([longest, random.between(0, longest)])
    : Math.min(longest, random.between(10_000, 4 * MINUTE_MS));
}

/** The longest asynchronous render that the product is told of. */
export function longestRender({ kind }: Family, { renderMaxMs }: Scenario['waits']): number {
  return renderMaxMs[kind.split('/')[0] ?? ''] ?? renderMaxMs.default ?? 0;
}

/** Every movement that a job will ever cause, planned when it is made. */
function charge(job: Job, scenario: Scenario, account: AccountModel, random: Random): void {
  const { family, createdAtMs, endsAtMs } = job;
  const slack = scenario.broken === 'prices' ? random.between(0.98, 1.02) : 1;
  const priceAt = (atMs: number): number =>
    Math.round(listPrice(scenario, job) * slack * account.multiplier(family.entrypoint, atMs));
  const move = (atMs: number, nano: number): void => {
    account.move(atMs, nano, job.number);
    job.netNano -= nano;
  };
  const time = chargeTime(family, scenario);
  if (time === 'at-completion') {
    const lateMs = scenario.broken === 'timing' && random.chance(0.5) ? 2 * longestRender(family, scenario.waits) : 0;
    if (job.succeeds) move(endsAtMs + lateMs, -priceAt(endsAtMs));
    else if (family.charge === 'at-success' && random.chance(0.5)) chargeAndRefund();
  } else {
    const atMs = time === 'at-submit' ? createdAtMs : random.between(createdAtMs, endsAtMs);
    const price = priceAt(atMs);
    move(atMs, -price);
    if (!job.succeeds) move(endsAtMs + refundLate(), price);
  }
  function chargeAndRefund(): void {
    const atMs = random.between(createdAtMs, endsAtMs);
    const price = priceAt(atMs);
    move(atMs, -price);
    move(endsAtMs + refundLate(), price);
  }
  function refundLate(): number {
    const mostMs = scenario.broken === 'rho' ? 3 * scenario.waits.rhoMs : scenario.truth.refundLateMs;
    return random.pick([0, mostMs, random.between(0, mostMs)]);
  }
  const isFollowed =
    family.kind === 'vendor-a/motion-control' && job.succeeds && random.chance(scenario.faults.followUp);
  if (isFollowed) move(endsAtMs + random.between(0, 30_000), -Math.round(priceAt(endsAtMs) / 4));
}

function chargeTime(family: Family, { chargeTimes }: Scenario): 'at-submit' | 'at-completion' | 'between' {
  if (family.charge === 'at-completion') return 'at-completion';
  return family.charge === 'at-submit' ? 'at-submit' : (chargeTimes[family.kind] ?? 'between');
}

export function listPrice({ unitPrices }: Scenario, { family, seconds, tokens }: Job): number {
  const unit = unitPrices[family.kind] ?? 0;
  if (family.unit === 'million-tokens') return Math.round((unit * tokens) / 1e6);
  return unit * (family.kind === 'vendor-b/avatar' ? seconds : family.units);
}

/** A small file that is whole as its kind's container, and unlike any other. */
function mediaBytes(family: Family, number: number): Uint8Array {
  const own = Buffer.from(`job ${number}`.padEnd(32, '.'));
  if (family.kind === 'svc/image') {
    const chunk = (type: string, data: Buffer): Buffer => {
      const head = Buffer.alloc(4);
      head.writeUInt32BE(data.length);
      return Buffer.concat([head, Buffer.from(type), data, Buffer.alloc(4)]);
    };
    const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    return Buffer.concat([signature, chunk('IDAT', own), chunk('IEND', Buffer.alloc(0))]);
  }
  const box = (type: string, data: Buffer): Buffer => {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(data.length + 8);
    return Buffer.concat([head, Buffer.from(type), data]);
  };
  return Buffer.concat([box('ftyp', Buffer.from('isom0000')), box('moov', own), box('mdat', own)]);
}
