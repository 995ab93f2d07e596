import type { Command } from 'commander';
import type { Cli } from '../io.js';
import { openSession, withSettings } from '../open-session.js';

const EXAMPLES = [
  'TEMPORAL_ADDRESS=temporal:7233 callsheet callbacks --listen 0.0.0.0:8790 --home /mnt/home --shared-folder',
  'callsheet run shots.csv --callback-url https://hooks.example.com/callsheet --listen 127.0.0.1:8790',
];
const EXITS =
  'Exit codes:\n  0  ended by SIGTERM or Ctrl-C    2  wrong command line    4  settings, or the place is taken    5  Temporal cannot be reached';

/** `callbacks`: receives vendor-a's status updates for a shared Temporal. */
export function defineCallbacks(command: Command, cli: Cli): void {
  command
    .description(
      'Receives the status updates of vendor-a text2video and image2video for a shared Temporal; needs no API key. An update is a hint: it makes a worker ask the service itself. An engine receives by itself where callbacks.listen is set.',
    )
    .option('--shared-folder', 'every worker and client reaches the home by this path');
  withSettings(command, 'all', EXAMPLES, EXITS).action(async () => {
    const session = await openSession(command, cli);
    const { receiveShared } = await import('../machine/serve-shared.js');
    cli.exitCode = await receiveShared(session, command.opts<{ sharedFolder?: boolean }>().sharedFolder === true);
  });
}
