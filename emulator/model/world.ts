/** What every part of the emulator shares: the state of the service, one incoming call, and the shape of an answer. */
import type { IncomingHttpHeaders } from 'node:http';
import type { FaultActions } from '../faults/fault-actions.js';
import type { AppliedFaults, FaultEngine } from '../faults/fault-engine.js';
import type { Outputs } from '../media/outputs.js';
import type { Account, Accounts } from './accounts.js';
import type { Clock, Scheduler } from './clock.js';
import type { JsonObject, ServiceError } from './errors.js';
import type { Job } from './job.js';
import type { Keys } from './keys.js';
import type { ResolvedOptions } from './options.js';
import type { Random } from './random.js';
import type { Recorder, RequestRecord } from './truth.js';

/** The whole state of one running emulator. */
export interface World {
  options: ResolvedOptions;
  clock: Clock;
  scheduler: Scheduler;
  accounts: Accounts;
  keys: Keys;
  faults: FaultEngine;
  recorder: Recorder;
  outputs: Outputs;
  /** Jobs by handle; handles are unique over all families. */
  jobs: Map<string, Job>;
  /** Service seconds; may be changed while the emulator runs. */
  balanceLagSeconds: number;
  restrictedModels: readonly string[];
  /** The last 2xx answer of each route, which a fault may give again. */
  lastAnswers: Map<string, WireAnswer>;
  /** What faults hold back until later. */
  withheld: Set<(atMs: number) => void>;
  baseUrl(): string;
}

/** One request as it arrives. */
export interface Incoming {
  method: string;
  path: string;
  parameters: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** Reads the body; throws a ServiceError where it is too large. */
  body: () => Promise<Buffer>;
}

/** One authenticated request that was let in, as a handler sees it. */
export interface Call {
  world: World;
  account: Account;
  /** Restricted models that the account may use. */
  grants: readonly string[];
  route: Route;
  /** Path parts by name, percent-decoded. */
  params: Readonly<Record<string, string>>;
  headers: IncomingHttpHeaders;
  requestId: string;
  /** The JSON body; empty on GET. */
  body: JsonObject;
  bodyHash: string;
  faults: AppliedFaults;
  record: RequestRecord;
  /** Follows from the seed, the route, the body and how often the same body came before. */
  random: Random;
}

export interface Answer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
  /** The handle, URL or base64 that the body carries, so that a fault can cut the body inside or after it. */
  handle?: string;
}

/** An answer as bytes. */
export interface WireAnswer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  /** Where the handle begins and ends in the body, for `cut-body`. */
  handleSpan?: { start: number; end: number };
}

/** JSON as bytes. */
export function jsonAnswer(status: number, value: unknown, headers: Record<string, string> = {}): WireAnswer {
  const body = Buffer.from(JSON.stringify(value));
  return { status, headers: { 'content-type': 'application/json', ...headers }, body };
}

export interface Route {
  method: 'GET' | 'POST';
  /** `/v1/…/{name}`; a part may end in a literal, as in `{model}:predictLongRunning`. */
  pattern: string;
  /** The names that a fault rule can use; the first one stands in the ground truth. */
  names: readonly [string, ...string[]];
  handler: (call: Call) => Promise<Answer> | Answer;
  /** More names, where they depend on the body of a submit or on the kind of a polled job. */
  namesFor?: (about: { body?: JsonObject; kind?: string | undefined }) => readonly string[];
  /** Turns the body of a refusal into the route's own error form. */
  errorBody?: (body: JsonObject, error: ServiceError, requestId: string) => JsonObject;
  /** True on routes that refuse the default User-Agent of an HTTP client. */
  needsUserAgent?: boolean;
}

/** Thrown when a fault withholds the answer of a submit whose job is made later. */
export class WithheldAnswer extends Error {
  constructor(readonly how: NonNullable<FaultActions['create-late']['answer']>) {
    super(`answer withheld: ${how}`);
    this.name = 'WithheldAnswer';
  }
}

export function ok(body: unknown, handle?: string): Answer {
  return handle === undefined ? { status: 200, body } : { status: 200, body, handle };
}

type Names = Route['names'];
type Handler = Route['handler'];
type Peculiar = Pick<Route, 'namesFor' | 'errorBody' | 'needsUserAgent'>;

export function get(pattern: string, names: Names, handler: Handler, more: Peculiar = {}): Route {
  return { method: 'GET', pattern, names, handler, ...more };
}

export function post(pattern: string, names: Names, handler: Handler, more: Peculiar = {}): Route {
  return { method: 'POST', pattern, names, handler, ...more };
}
