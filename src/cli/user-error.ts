import { EXIT } from './exit-codes.js';

/** Something the user can mend: one sentence that says what to do, and the exit code. */
export class UserError extends Error {
  override readonly name = 'UserError';
  constructor(
    message: string,
    readonly exitCode: number = EXIT.usage,
  ) {
    super(message);
  }
}
