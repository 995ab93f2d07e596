import type { ActivityOptions } from '../engine/current.js';
import { cloneJson, msOf } from './payloads.js';
import { currentRun, waiting } from './run.js';
import { serverOfSeed } from './server.js';

interface ProxyOptions {
  /** Without one it is a local activity: the worker does it. */
  taskQueue?: string;
  startToCloseTimeout: string | number;
  heartbeatTimeout?: string | number;
  scheduleToCloseTimeout?: string | number;
  retry?: {
    maximumAttempts?: number;
    initialInterval?: string | number;
    backoffCoefficient?: number;
    maximumInterval?: string | number;
  };
  priority?: { priorityKey?: number };
}

export function proxyActivities(options: ProxyOptions): Record<string, (input?: unknown) => Promise<unknown>> {
  const read = readOptions(options);
  return new Proxy({}, { get: (_target, type) => (input?: unknown) => callActivity(String(type), input, read) });
}

function callActivity(type: string, input: unknown, options: ActivityOptions): Promise<unknown> {
  const run = currentRun();
  const copy = cloneJson(input);
  return waiting(run, (resolve, reject) => {
    const send = (): void => serverOfSeed().activities.schedule({ run, type, input: copy, options, resolve, reject });
    run.commands.push({ startsChild: false, send });
    return () => undefined;
  });
}

function readOptions({ retry = {}, ...options }: ProxyOptions): ActivityOptions {
  const intervalMs = msOf(retry.initialInterval ?? '1 s');
  return {
    queue: options.taskQueue ?? 'local',
    startToCloseMs: msOf(options.startToCloseTimeout),
    heartbeatMs: msOf(options.heartbeatTimeout ?? Number.POSITIVE_INFINITY),
    scheduleToCloseMs: msOf(options.scheduleToCloseTimeout ?? Number.POSITIVE_INFINITY),
    attemptsMax: retry.maximumAttempts ?? Number.POSITIVE_INFINITY,
    intervalMs,
    coefficient: retry.backoffCoefficient ?? 2,
    intervalMaxMs: msOf(retry.maximumInterval ?? intervalMs * 100),
    priority: options.priority?.priorityKey ?? 3,
  };
}
