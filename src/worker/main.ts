import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import type { JsonObject } from '../domain/json.js';
import { type BatchQuestion, type FromWorker, readToWorker } from '../engine/registration.js';
import { lookAtBatch } from '../temporal/look.js';
import { openPlace } from '../worker.js';
import { createWorkerHost } from './host.js';
import { createLogger } from './logger.js';

/** The engine's worker process: serves the accounts that its supervisor hands it, until the supervisor is gone. */

const REPORT_EVERY_MS = 1_000;
/** For reads, polls and downloads that are under way; all of them can be repeated. */
const DRAIN_MAX_MS = 60_000;

// `address` and `namespace` come from an engine of an earlier build that runs on beside an update.
const { values } = parseArgs({
  options: { data: { type: 'string' }, address: { type: 'string' }, namespace: { type: 'string' } },
});
const log = createLogger('worker');
Runtime.install({
  logger: new DefaultLogger('WARN', ({ level, message, meta }) => log.warn({ level, ...describe(meta) }, message)),
  shutdownSignals: [],
});

let connect: (address: string) => void = () => undefined;
const place = new Promise<string>((resolve) => {
  connect = resolve;
}).then((address) => openPlace({ embedded: true, address, namespace: 'default' }));
place.catch((error) => {
  // The next process tries again: the server may only be starting anew.
  log.error({ error: String(error) }, 'the Temporal server does not answer');
  process.exit(1);
});
if (values.address !== undefined) connect(values.address);
const say = (message: FromWorker): void => {
  // A supervisor that was killed hears nothing any more.
  if (process.connected) process.send?.(message, () => undefined);
};
const own =
  values.data === undefined ? {} : { requests: join(values.data, 'requests'), kept: join(values.data, 'accounts') };
const host = createWorkerHost({ place, log, say, ...own });
let isEnding = false;

process.on('message', (value) => {
  const message = readToWorker(value);
  if (message?.type === 'server') connect(message.address);
  if (message?.type === 'account') void host.serve(message);
  if (message?.type === 'look') void look(message);
});
process.on('disconnect', () => void end());
process.on('SIGTERM', () => void end());
// Of an engine in the foreground: the terminal tells the whole group, and its supervisor then ends it in order.
for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => undefined);
// Its supervisor can be gone before this process has loaded.
if (!process.connected) void end();

/** For a command that only looks. An answer without `seen` says that it cannot be told now. */
async function look({ turn, account, batch }: BatchQuestion): Promise<void> {
  const seen = await place
    .then(({ client }) => lookAtBatch(client, account, batch))
    .then(
      (running) => ({ seen: running ? ({ ...running } as unknown as JsonObject) : null }),
      () => ({}),
    );
  say({ type: 'seen', turn, account, ...seen });
}

/** Claims nothing any more and waits for paid answers as long as they may take; for all else only a while. */
async function end(): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  let awaitedAtMs = performance.now();
  setInterval(() => {
    const calls = host.awaited();
    say({ type: 'awaiting', calls });
    if (calls.length > 0) awaitedAtMs = performance.now();
    if (performance.now() - awaitedAtMs > DRAIN_MAX_MS) process.exit(1);
  }, REPORT_EVERY_MS);
  await host.shutdown();
  process.exit(0);
}

/** Of the SDK's own messages only what names no content. */
function describe(meta: Record<string, unknown> | undefined): Record<string, unknown> {
  const { workflowId, activityType, taskQueue, attempt, error } = meta ?? {};
  return { workflowId, activityType, taskQueue, attempt, ...(error ? { error: String(error).slice(0, 300) } : {}) };
}
