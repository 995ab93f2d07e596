interface Job {
  type: string;
  polls: number;
  terminalMs?: number;
}
/** Looks at the service's jobs; gives how many render once the worker may be killed, until then 0. */
export function openMoment(submits: number): (jobs: readonly Job[], nowMs: number) => number;
