import { StoreError } from '../store/port.js';
import { EXIT } from './exit-codes.js';
import { UserError } from './user-error.js';

/** What an error of the output place means before anything was submitted (`B54`); other errors stay as they are. */
export function placeRefused(out: string, error: unknown): unknown {
  if (!(error instanceof StoreError)) return error;
  return new UserError(
    `B54 cannot write to ${out} (${error.code}): ${error.message}; nothing was submitted`,
    EXIT.configuration,
  );
}
