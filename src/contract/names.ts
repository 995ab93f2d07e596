/** The names by which clients, workers and workflows find each other. Everything hangs below the account. */

/**
 * What every workflow is begun with. A build whose workflows cannot go on with the history of the one before counts on:
 * they are then ended and begun anew from the home (`src/worker/earlier-workflows.ts`).
 */
export const WORKFLOW_MEMO = { format: 5 } as const;

export interface TaskQueues {
  /** Workflows, and the cheap activities that touch only the home. */
  home: string;
  /** One HTTP request to the service per activity attempt; rate-limited by the server. */
  api: string;
  /** Downloads and uploads. */
  io: string;
}

export function taskQueues(account: string): TaskQueues {
  return { home: `callsheet/${account}/home`, api: `callsheet/${account}/api`, io: `callsheet/${account}/io` };
}

/** `TASK_QUEUE_TYPE_WORKFLOW` and `TASK_QUEUE_TYPE_ACTIVITY` of the server's API. */
export const TASK_QUEUE_TYPE = { workflow: 1, activity: 2 } as const;

/**
 * What a worker that can take frames of films ends the identity with under which it asks for downloads and inputs:
 * clients look for it there.
 */
export const FRAMES_MARK = '+ffmpeg';

export function semaphoreId(account: string): string {
  return `callsheet/${account}/semaphore`;
}

export function batchId(account: string, batch: string): string {
  return `callsheet/${account}/batch/${batch}`;
}

/**
 * One workflow id per row: the server itself then refuses a second open job of the same row, and a closed one can be
 * started again.
 */
export function jobId(account: string, batch: string, row: string): string {
  return `callsheet/${account}/job/${batch}/${row}`;
}

/** What a callback says of an attempt whose job has ended is looked into once at a time; of another one beside it. */
export function lateHandleId(account: string, batch: string, row: string, n: number): string {
  return `callsheet/${account}/late/${n}/${batch}/${row}`;
}

/**
 * A paid output is fetched on by one at a time after its row has ended; that of another attempt beside it: who waits for one
 * that was paid again since sees so at its next try alone.
 */
export function lateOutputId(account: string, batch: string, row: string, n: number): string {
  return `callsheet/${account}/output/${n}/${batch}/${row}`;
}

/** The results of a batch that has ended are written anew by one at a time. */
export function lateResultsId(account: string, batch: string): string {
  return `callsheet/${account}/results/${batch}`;
}

/** A read of the account that the command line asks for while an engine runs, so that it counts in the one queue. */
export function readId(account: string, what: string): string {
  return `callsheet/${account}/read/${what}`;
}
