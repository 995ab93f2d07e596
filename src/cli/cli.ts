import type { Io } from './io.js';

/** What a command is given besides its own arguments. */
export interface Cli {
  io: Io;
  /** What the process ends with; an action sets it. */
  exitCode: number;
}
