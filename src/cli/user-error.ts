import type { Problem } from '../manifest/problem.js';
import { EXIT } from './exit-codes.js';

/** Something the user can mend: one sentence that says what to do, and the exit code. */
export class UserError extends Error {
  override readonly name = 'UserError';
  constructor(
    message: string,
    readonly exitCode: number = EXIT.usage,
    /** What is wrong with the manifest and where, as far as it is shown; absent for other errors. */
    readonly problems?: readonly Problem[],
  ) {
    super(message);
  }
}
