import type { Sim, Worker } from '../engine/current.js';
import type { Ending, WorkflowRun } from './run.js';

/** What the server of a seed is made of, and what it keeps of the payloads that pass through it. */

const PAYLOAD_BYTES_MAX = 4_096;

type WorkflowFunction = (input: never) => Promise<unknown>;

export interface ServerOptions {
  sim: Sim;
  workflows: Record<string, WorkflowFunction>;
  workers: () => readonly Worker[];
  /** Told of every signal that is heard. */
  onSignal: (id: string, name: string, inputs: unknown[]) => void;
  /** Told of every run that ends. */
  onEnd: (run: WorkflowRun, ending: Ending) => void;
  trace: (who: string, what: string) => void;
  report: (rule: string, what: string) => void;
  /** How likely a message of a workflow is delivered twice, or a completion is never heard of. */
  faults: { duplicate: number; lostCompletion: number };
}

export class ContinueAsNewRequest extends Error {
  constructor(readonly input: unknown) {
    super('continue as new');
  }
}

/** What the server keeps of a payload: JSON, and never more than a reference's worth. */
export function cloneJson<T>(value: T): T {
  return value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T);
}

/** I17: payloads are references. */
export function weigh({ report }: ServerOptions, what: string, value: unknown, most = PAYLOAD_BYTES_MAX): void {
  const bytes = value === undefined ? 0 : JSON.stringify(value).length;
  if (bytes >= most) report('I17', `${what} carries ${bytes} bytes`);
}

const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a duration as the SDK takes one: a number of them, or a text such as `60 s`. */
export function msOf(duration: number | string): number {
  if (typeof duration === 'number') return duration;
  const [, amount, unit = ''] = /^(\d+) ?(ms|s|m|h|d)/.exec(duration) ?? [];
  const factor = UNITS[unit];
  if (amount === undefined || factor === undefined) throw new Error(`not a duration: ${duration}`);
  return Number(amount) * factor;
}
