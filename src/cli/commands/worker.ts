import type { Command } from 'commander';
import type { Cli } from '../io.js';
import { openSession, withSettings } from '../open-session.js';

const EXAMPLES = [
  'TEMPORAL_ADDRESS=temporal:7233 callsheet worker --api-key-file /run/secrets/key --home /mnt/home --shared-folder',
];
const EXITS =
  'Exit codes:\n  0  drained    2  wrong command line    4  settings or API key    5  Temporal cannot be reached';

/** `worker`: serves one account on a shared Temporal. */
export function defineWorker(command: Command, cli: Cli): void {
  command
    .description(
      'A worker of one account for a shared Temporal. SIGTERM or Ctrl-C drains it: what is under way ends first.',
    )
    .option('--shared-folder', 'every worker and client reaches --out and the home by these paths');
  withSettings(command, 'all', EXAMPLES, EXITS).action(async () => {
    const session = await openSession(command, cli);
    const { serveShared } = await import('../machine/serve-shared.js');
    cli.exitCode = await serveShared(session, command.opts<{ sharedFolder?: boolean }>().sharedFolder === true);
  });
}
