import { type Command, InvalidArgumentError } from 'commander';
import type { Cli } from '../io.js';
import { openSession, withSettings } from '../open-session.js';

/** `dev`: the engine in the foreground, until Ctrl-C. */
export function defineDev(command: Command, cli: Cli): void {
  command
    .description(
      "Runs the data folder's engine in the foreground with Temporal's web UI, until Ctrl-C. Other commands join it.",
    )
    .option('--ui-port <port>', "port of Temporal's web UI; 0 for a free one", port, 0);
  withSettings(
    command,
    'run',
    ['callsheet dev', 'callsheet dev --ui-port 8233 --data ./.callsheet'],
    'Exit codes:\n  0  ended by Ctrl-C    2  wrong command line    4  settings, or another engine runs    5  it did not start',
  ).action(async () => {
    const session = await openSession(command, cli);
    const { runEngine } = await import('../machine/run-engine.js');
    cli.exitCode = await runEngine(session, command.opts<{ uiPort: number }>().uiPort);
  });
}

function port(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError('it must be a port from 0 to 65535');
}
