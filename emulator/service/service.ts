/** The service without its sockets: takes each request through faults, admission and its handler to what goes on the wire. */
import { ROUTES } from '../families/routes.js';
import { createFaultEngine, type FaultEngine, type FaultSubject, NO_FAULTS } from '../faults/fault-engine.js';
import { answerWithFaults, type Outgoing } from '../faults/faulty-answers.js';
import { createOutputs, type OutputSpec } from '../media/outputs.js';
import { createAccounts } from '../model/accounts.js';
import { createClock, createScheduler, type Time } from '../model/clock.js';
import { ServiceError } from '../model/errors.js';
import { createKeys } from '../model/keys.js';
import { type EmulatorOptions, resolveOptions } from '../model/options.js';
import { ALPHABET_HEX, createRandom } from '../model/random.js';
import { createRecorder, type JobRecord, type OutputRecord, type RequestRecord } from '../model/truth.js';
import {
  type Answer,
  type Call,
  type Incoming,
  jsonAnswer,
  type Route,
  type WireAnswer,
  type World,
} from '../model/world.js';
import { admit } from './admission.js';
import { findOutput, mediaAnswer } from './downloads.js';
import { createRouteCheck, createRouter, type Router } from './router.js';

/** What the service is handed: the time, its own address, and where another world wants them its faults and files. */
export interface Surroundings {
  time: Time;
  /** Asked for at each use: a port may be known only later. */
  baseUrl: () => string;
  /** In place of the fault rules of the options. */
  faults?: FaultEngine;
  /** Makes the bytes of a file in place of a real encoder; equal specs give equal bytes. */
  build?: (spec: OutputSpec) => Promise<Buffer>;
  /** Told of each job and synchronous call when it is entered. */
  onJob?: (record: JobRecord) => void;
}

/** A request that was taken: what the ground truth keeps of it, and what goes on the wire. */
export interface Taken {
  record: RequestRecord;
  outgoing: Promise<Outgoing>;
  /** The file that a download is of, to be counted when it was sent to the end. */
  download?: OutputRecord;
}

export interface Service {
  world: World;
  router: Router;
  /** Throws nothing; `outgoing` rejects for a defect of the emulator or a body that broke off. */
  take(incoming: Incoming): Taken;
}

/** Builds the service. Throws an Error with one sentence where an option is not valid. */
export function createService(options: EmulatorOptions, surroundings: Surroundings): Service {
  const { time, baseUrl, faults, build, onJob } = surroundings;
  const resolved = resolveOptions(options);
  const clock = createClock(time, resolved.speed);
  const router = createRouter(ROUTES);
  const world: World = {
    options: resolved,
    clock,
    scheduler: createScheduler(time),
    accounts: createAccounts(clock, resolved),
    keys: createKeys(clock, resolved.keys),
    faults: faults ?? createFaultEngine(resolved.seed, resolved.faults, createRouteCheck(router)),
    recorder: createRecorder(onJob),
    outputs: createOutputs(clock, resolved.seed, baseUrl, build),
    jobs: new Map(),
    balanceLagSeconds: resolved.assumptions.balanceLagSeconds,
    restrictedModels: resolved.restrictedModels,
    lastAnswers: new Map(),
    withheld: new Set(),
    baseUrl,
  };
  for (const account of ['default', ...world.keys.accounts()]) world.accounts.get(account);
  const occurrences = new Map<string, number>();
  return { world, router, take: (incoming) => take({ world, router, occurrences }, incoming) };
}

interface State {
  world: World;
  router: Router;
  /** How often each body came before, by route and hash. */
  occurrences: Map<string, number>;
}

function take(state: State, incoming: Incoming): Taken {
  const { world, router } = state;
  const { method, path } = incoming;
  world.scheduler.runDue();
  const isMedia = path.startsWith('/media/');
  const output = isMedia ? findOutput(world, path) : undefined;
  const found = router.find(method, path);
  const names = isMedia ? ['media'] : (found?.route.names ?? ['unknown']);
  const record = openRecord(world, incoming, names[0] ?? 'unknown');
  const job =
    output === undefined ? world.jobs.get(found?.params.handle ?? '')?.record : world.recorder.job(output.jobId);
  const more = method === 'GET' ? found?.route.namesFor?.({ kind: job?.kind }) : undefined;
  const subject: FaultSubject = { method, path, names: [...names, ...(more ?? [])], ...aboutJob(job) };
  const unread = world.faults.match('unread', subject);
  if (unread !== NO_FAULTS) {
    record.faults = [...unread.names];
    record.ending = unread.names.includes('reset-unread') ? 'reset' : 'closed';
    return { record, outgoing: Promise.resolve({ as: record.ending }) };
  }
  if (!isMedia) return { record, outgoing: serve(state, incoming, { found, record, subject }) };
  const faults = world.faults.match('read', subject);
  if (faults.names.length > 0) record.faults = [...faults.names];
  if (job !== undefined) record.jobId = job.id;
  const make = (): Promise<WireAnswer> => mediaAnswer(world, output, incoming, faults);
  const outgoing = answerWithFaults({ world, record, faults, isRead: true, make });
  const download = job?.outputs.find((one) => one.id === output?.id);
  return { record, outgoing, ...(download === undefined ? {} : { download }) };
}

async function serve(
  { world, router, occurrences }: State,
  incoming: Incoming,
  { found, record, subject }: { found: ReturnType<Router['find']>; record: RequestRecord; subject: FaultSubject },
): Promise<Outgoing> {
  const requestId = `req_${createRandom(world.options.seed, `request ${record.index}`).text(32, ALPHABET_HEX)}`;
  let call: Call;
  try {
    call = await admit({ world, router, incoming, found, record, subject, requestId, occurrences });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const make = (): WireAnswer => refuse(error, found?.route, requestId);
    return answerWithFaults({ world, record, faults: NO_FAULTS, isRead: true, make });
  }
  return answerWithFaults({
    world,
    record,
    faults: call.faults,
    isRead: incoming.method === 'GET',
    call,
    refuse: (error) => refuse(error, call.route, requestId),
    make: async () => toWire(await call.route.handler(call)),
  });
}

function aboutJob(record: JobRecord | undefined): Partial<FaultSubject> {
  if (record === undefined) return {};
  return { kind: record.kind, jobKeys: record.handle === undefined ? [record.id] : [record.id, record.handle] };
}

function openRecord(world: World, { method, path, headers }: Incoming, route: string): RequestRecord {
  const userAgent = headers['user-agent'];
  const agent = userAgent === undefined ? {} : { userAgent };
  return world.recorder.request({ arrivedMs: world.clock.nowMs(), method, path, route, ...agent });
}

function refuse(error: ServiceError, route: Route | undefined, requestId: string): WireAnswer {
  const plain = error.body(requestId);
  const body = route?.errorBody?.(plain, error, requestId) ?? plain;
  return toWire({ status: error.status, body, headers: error.headers });
}

function toWire(answer: Answer): WireAnswer {
  const wire = jsonAnswer(answer.status, answer.body, answer.headers);
  const start = answer.handle === undefined ? -1 : wire.body.indexOf(answer.handle);
  if (answer.handle !== undefined && start >= 0) {
    wire.handleSpan = { start, end: start + Buffer.byteLength(answer.handle) };
  }
  return wire;
}
