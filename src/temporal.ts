/** How every part of callsheet reaches a Temporal server: by the SDK's own variables and profile, or by an address. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection, type ConnectionOptions, isGrpcServiceError } from '@temporalio/client';
import type { NativeConnection, NativeConnectionOptions } from '@temporalio/worker';
import { callsUntil } from './temporal/calls-until.js';
import type { KeyedCodec } from './temporal/payload-codec.js';
import { readConnection, readProfile, TemporalSettingsError } from './temporal/profile.js';

export interface TemporalOptions {
  /** `host:port`; goes before the SDK's variables and profile. */
  address?: string;
  /** Goes before the SDK's variables and profile; `default` when nobody names one. */
  namespace?: string;
  /** The engine's own server: no variable, no profile, no TLS. */
  embedded?: boolean;
  /** Of what a shared server holds. */
  codec?: KeyedCodec;
  /** How often to try; 3 if not given. */
  tries?: number;
  /** For all tries together; 15 s if not given. */
  withinMs?: number;
}

/** A connected client. Close it when done: an open one keeps the process alive. */
export interface TemporalClient {
  client: Client;
  connection: Connection;
  address: string;
  namespace: string;
  close(): Promise<void>;
}

/** A connected worker's side. */
export interface TemporalWorkerConnection {
  connection: NativeConnection;
  address: string;
  namespace: string;
}

/** What the sentence about a server that does not answer depends on. */
type ServerKind = Pick<TemporalOptions, 'embedded'> & { hasTls?: boolean };

export class TemporalUnreachableError extends Error {
  override readonly name = 'TemporalUnreachableError';
  readonly code = 'temporal_unreachable';
  readonly address: string;

  constructor(address: string, cause: unknown, { embedded = false, hasTls = false }: ServerKind = {}) {
    const why = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
    const said = embedded
      ? `the engine's Temporal server at ${address} does not answer (${why}): it may be starting again or its disk be full; \`callsheet engine status\` shows it and names its log`
      : `no Temporal server answers at ${address}${hasTls ? ' over TLS' : ''} (${why}): check TEMPORAL_ADDRESS${hasTls ? ', TEMPORAL_TLS' : ''} and the network`;
    super(said, { cause });
    this.address = address;
  }
}

/** For a look at a server that may be away: fails after 4 s. */
export function bounded<T>(connection: Pick<Connection, 'withDeadline'>, look: () => Promise<T>): Promise<T> {
  return connection.withDeadline(Date.now() + lookWithinMs, look);
}

const lookWithinMs = 4_000;
const defaultTries = 3;
const defaultWithinMs = 15_000;
const pauseMs = 500;
const GRPC_NOT_FOUND = 5;

/**
 * Connects a client; throws `TemporalUnreachableError` after 3 tries within 15 s, `TemporalSettingsError` where a shared
 * server has no such namespace.
 */
export async function connectTemporal(options: TemporalOptions = {}): Promise<TemporalClient> {
  const { connectionOptions, address, namespace, hasTls } = settings(options);
  let isClosed = false;
  const interceptors = callsUntil(() => isClosed);
  const connection = await withoutDeprecations(() =>
    withTries(address, { ...options, hasTls }, (connectTimeout) =>
      Connection.connect({ ...connectionOptions, connectTimeout, interceptors } as ConnectionOptions),
    ),
  );
  if (options.embedded !== true) await proveNamespace(connection, namespace, address);
  const { codec } = options;
  const client = new Client({
    connection,
    namespace,
    ...(codec === undefined ? {} : { dataConverter: { payloadCodecs: [codec] } }),
  });
  const close = (): Promise<void> => {
    isClosed = true;
    return connection.close();
  };
  return { client, connection, address, namespace, close };
}

const deprecationsAsStarted = process.noDeprecation ?? false;

/** The SDK's gRPC names an IP address to TLS as well (DEP0123), and nobody can tell it not to: it is no news to a user. */
async function withoutDeprecations<T>(connect: () => Promise<T>): Promise<T> {
  process.noDeprecation = true;
  try {
    return await connect();
  } finally {
    process.noDeprecation = deprecationsAsStarted;
  }
}

/** What else is wrong with the namespace tells whoever uses it; a key may be allowed everything but this look. */
async function proveNamespace(connection: Connection, namespace: string, address: string): Promise<void> {
  try {
    await bounded(connection, () => connection.workflowService.describeNamespace({ namespace }));
  } catch (error) {
    if (!isGrpcServiceError(error) || error.code !== GRPC_NOT_FOUND) return;
    await connection.close();
    throw new TemporalSettingsError(
      `the Temporal server at ${address} has no namespace '${namespace}': check TEMPORAL_NAMESPACE, or create it (deploy/create-namespace.sh)`,
    );
  }
}

/** Connects a worker; throws `TemporalUnreachableError` after 3 tries within 15 s. */
export async function connectTemporalWorker(options: TemporalOptions = {}): Promise<TemporalWorkerConnection> {
  const { connectionOptions, address, namespace, hasTls } = settings(options);
  // The native bridge is large: clients never load it.
  const { NativeConnection: native } = await import('@temporalio/worker');
  const connection = await withTries(address, { ...options, hasTls }, () => native.connect(connectionOptions));
  return { connection, address, namespace };
}

function settings(options: TemporalOptions): {
  connectionOptions: NativeConnectionOptions;
  address: string;
  namespace: string;
  hasTls: boolean;
} {
  const profile = options.embedded === true ? {} : readProfile();
  const address = options.address ?? profile.address ?? '127.0.0.1:7233';
  const namespace = options.namespace ?? profile.namespace ?? 'default';
  const connectionOptions = readConnection({ ...profile, address, namespace });
  return { connectionOptions, address, namespace, hasTls: Boolean(connectionOptions.tls) };
}

async function withTries<T extends Closable>(
  address: string,
  options: TemporalOptions & ServerKind,
  connect: (timeoutMs: number) => Promise<T>,
): Promise<T> {
  const { tries = defaultTries, withinMs = defaultWithinMs } = options;
  const perTryMs = Math.floor((withinMs - (tries - 1) * pauseMs) / tries);
  let last: unknown;
  for (let i = 0; i < tries; i++) {
    if (i > 0) await sleep(pauseMs);
    try {
      return await within(perTryMs, connect(perTryMs));
    } catch (error) {
      last = error;
    }
  }
  throw new TemporalUnreachableError(address, last, options);
}

interface Closable {
  close(): Promise<void>;
}

/** The native connection has no time-out of its own; what connects too late is closed again. */
async function within<T extends Closable>(ms: number, work: Promise<T>): Promise<T> {
  let isLate = false;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      isLate = true;
      reject(new Error(`no answer within ${ms} ms`));
    }, ms);
  });
  work.then(
    (connection) => (isLate ? connection.close() : undefined),
    () => undefined,
  );
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
