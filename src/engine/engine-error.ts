/** Why there is no engine to work with, in one sentence that says what to do. */
export type EngineErrorCode =
  /** No usable Temporal program, and none could be got. */
  | 'temporal_cli_missing'
  /** An engine of another build runs on the data folder. */
  | 'other_build'
  /** The engine began and ended again. */
  | 'start_failed'
  /** The engine was not ready in time. */
  | 'start_timeout'
  /** An engine is there but does not answer. */
  | 'not_responding'
  /** A person ended the engine, and whoever asks only follows. */
  | 'stopped_by_order'
  /** The engine that was joined is gone. */
  | 'engine_gone'
  /** The worker could not take the account; `reason` is its code. */
  | 'registration_failed'
  /** The data folder, or the folder for the control socket, cannot be used. */
  | 'bad_folder';

export class EngineError extends Error {
  override readonly name = 'EngineError';
  readonly code: EngineErrorCode;
  /** For `registration_failed`: the worker's own code. */
  readonly reason: string | undefined;

  constructor(code: EngineErrorCode, message: string, options: { cause?: unknown; reason?: string } = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.reason = options.reason;
  }
}

/** What ends the engine of a folder, to be pasted into a shell. */
export function stopCommand(dataFolder: string): string {
  return `callsheet engine stop --data '${dataFolder.replaceAll("'", "'\\''")}'`;
}
