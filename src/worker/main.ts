import { parseArgs } from 'node:util';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { readToWorker } from '../engine/registration.js';
import { openPlace } from '../worker.js';
import { createWorkerHost } from './host.js';
import { createLogger } from './logger.js';

/** The engine's worker process: serves the accounts that its supervisor hands it, until the supervisor is gone. */

const { values } = parseArgs({
  options: { address: { type: 'string' }, namespace: { type: 'string' }, data: { type: 'string' } },
});
const log = createLogger('worker');
Runtime.install({
  logger: new DefaultLogger('WARN', ({ level, message, meta }) => log.warn({ level, ...describe(meta) }, message)),
  shutdownSignals: [],
});

const place = openPlace({
  embedded: true,
  address: values.address ?? '127.0.0.1:7233',
  namespace: values.namespace ?? 'default',
});
const host = createWorkerHost({ place, log, say: (message) => process.send?.(message) });

process.on('message', (value) => {
  const message = readToWorker(value);
  if (message) void host.serve(message);
});
process.on('disconnect', () => void end());
process.on('SIGTERM', () => void end());
process.on('SIGINT', () => undefined);

async function end(): Promise<void> {
  await host.shutdown();
  process.exit(0);
}

/** Of the SDK's own messages only what names no content. */
function describe(meta: Record<string, unknown> | undefined): Record<string, unknown> {
  const { workflowId, activityType, taskQueue, attempt, error } = meta ?? {};
  return { workflowId, activityType, taskQueue, attempt, ...(error ? { error: String(error).slice(0, 300) } : {}) };
}
