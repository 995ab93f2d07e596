// Before all tests: finds the Temporal program once, so that no test looks for it again.
import { findTemporalCli } from '../../scripts/lib/temporal-cli.mjs';

/** The workers of the test run inherit the variable. */
export function setup(): void {
  const found = findTemporalCli(process.env);
  if ('path' in found) process.env.CALLSHEET_TEMPORAL_CLI = found.path;
}
