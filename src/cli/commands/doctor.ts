import type { Command } from 'commander';
import type { Cli } from '../io.js';
import type { Check } from '../machine/doctor-checks.js';
import { openExplaining, withSettings } from '../open-session.js';
import type { Terminal } from '../terminal.js';
import { EXIT } from '../user-error.js';

const EXITS = 'Exit codes:\n  0  nothing failed    2  wrong command line    4  something failed';

/** `doctor`: checks everything and says what to do. */
export function defineDoctor(command: Command, cli: Cli): void {
  command.description(
    'Checks Node, the Temporal server, ports, disk, settings, API key, base URL, clock, and the folders. Spends nothing.',
  );
  withSettings(command, 'places', ['callsheet doctor', 'callsheet doctor --out s3://films/may'], EXITS).action(
    async () => {
      const session = await openExplaining(command, cli);
      const { runChecks } = await import('../machine/doctor-checks.js');
      const checks = await runChecks(session, (check) => {
        if (!session.isJson) session.terminal.data(checkLine(check, session.terminal));
      });
      if (session.isJson) session.terminal.json({ schema: 1, checks });
      cli.exitCode = checks.some(({ result }) => result === 'fail') ? EXIT.configuration : EXIT.done;
    },
  );
}

function checkLine({ result, name, finding, advice }: Check, { dataColors: colors }: Terminal): string {
  const paint = { ok: colors.green, warn: colors.yellow, fail: colors.red }[result];
  return `${paint(result.padEnd(4))}  ${name.padEnd(12)} ${finding}${advice === undefined ? '' : `: ${advice}`}`;
}
