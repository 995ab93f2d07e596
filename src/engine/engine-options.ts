/** What a client asks of the supervisor that it starts; handed over as one JSON argument, so nothing secret. */

import { join } from 'node:path';
import { isJsonObject } from '../domain/json.js';
import { s3Environment } from '../domain/s3.js';
import { packageRoot } from '../package-root.js';

/** A Node program and how Node is to run it. */
export interface EngineProgram {
  path: string;
  execArgv: string[];
}

export interface SupervisorOptions {
  dataFolder: string;
  buildId: string;
  temporalCli: string;
  worker: EngineProgram;
  /** The engine ends by itself this long after the last open batch. */
  idleMs: number;
  /** Port of the Temporal UI, 0 for a free one, null for no UI. */
  uiPort: number | null;
}

/** The programs of this build; the supervisor loads so little of ours that the bundle would save it nothing. */
export const builtPrograms = {
  supervisor: { path: join(packageRoot, 'dist', 'src', 'engine', 'supervisor-main.js'), execArgv: [] },
  worker: { path: join(packageRoot, 'dist', 'cli', 'worker.js'), execArgv: [] },
} satisfies Record<string, EngineProgram>;

/** What the supervisor tells the client that started it, over IPC; later clients ask by the control socket. */
export type StartReport = { type: 'lost' } | { type: 'failed'; message: string };

export function readStartReport(value: unknown): StartReport | undefined {
  if (!isJsonObject(value)) return undefined;
  if (value.type === 'lost') return { type: 'lost' };
  return value.type === 'failed' ? { type: 'failed', message: String(value.message) } : undefined;
}

/**
 * What server and worker inherit. A client's settings, key and S3 credentials are handed over as registrations: what
 * happened to be in the environment of the client that came first must not decide for all.
 */
export function childEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const handedOver = s3Environment(environment);
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !/^(CALLSHEET|TEMPORAL)_/.test(name) && !(name in handedOver)),
  );
}
