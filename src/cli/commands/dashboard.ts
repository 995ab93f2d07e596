import type { Command } from 'commander';
import { SETTINGS } from '../../config/settings.js';
import type { Cli } from '../io.js';
import { givenSettings, openSession, repeated, withSettings } from '../open-session.js';
import { UserError } from '../user-error.js';

interface DashboardFlags {
  port: number;
  open?: boolean;
  url?: boolean;
  listen?: string;
  secretFile?: string;
  host?: string[];
  config?: string;
  apiKeyFile?: string;
}

/** `dashboard`: every batch in the browser. */
export function defineDashboard(command: Command, cli: Cli): void {
  const described = command
    .description(
      'Serves a page of all batches on 127.0.0.1: rows, attempts, media, time, and the orders of the command line.\n' +
        'It prints one address that is good once and for 10 minutes. Without an engine it shows what the home has.',
    )
    .option('--port <n>', 'listen here (default: a free port)', portNumber, 0)
    .option('--listen <address>', 'serve it on this IP address too, for whoever has the secret')
    .option('--secret-file <file>', 'with --listen: the secret, 32 characters or more, in a file of mode 0600')
    .option('--host <name>', 'with --listen: a name under which browsers open it (repeatable)', repeated)
    .option('--open', 'show it in the browser')
    .option('--url', 'print a new address of the dashboard that runs already');
  withSettings(
    described,
    'run',
    [
      'callsheet dashboard --open',
      'callsheet dashboard --port 8790 --json',
      'callsheet dashboard --url',
      'callsheet dashboard --listen 10.1.2.3 --port 8790 --secret-file dashboard.secret --host films.example.com',
    ],
    'Exit codes:\n  0  ended by Ctrl-C or SIGTERM    2  wrong command line, or no dashboard runs    4  settings, or the port is taken',
  ).action(async () => {
    const session = await openSession(command, cli);
    const { port, open = false, url = false, ...flags } = command.opts<DashboardFlags>();
    const { printNewUrl, serveDashboard } = await import('../dashboard/serve-dashboard.js');
    if (url) await printNewUrl(session);
    else {
      const { otherPlace } = await import('../dashboard/serve-dashboard.js');
      const other = await otherPlace(flags, cli.io.cwd);
      await serveDashboard(session, {
        port,
        isOpened: open,
        settings: repeatedFlags(command, session.isKeyReadOnce),
        other,
      });
    }
  });
}

/** The flags of this command that tell a later one where to look and what to do. */
function repeatedFlags(command: Command, isKeyReadOnce: boolean): string[] {
  const { config, apiKeyFile } = command.opts<DashboardFlags>();
  const given = givenSettings(command);
  const settings = SETTINGS.flatMap(({ path, flag }) => {
    const value = given[path];
    if (value === undefined) return [];
    if (typeof value === 'object') return value.map((one) => `--${flag}=${one}`);
    return typeof value === 'boolean' ? [`--${value ? '' : 'no-'}${flag}`] : [`--${flag}=${value}`];
  });
  return [
    ...settings,
    ...(config === undefined ? [] : [`--config=${config}`]),
    // What can be read once is handed on by itself.
    ...(apiKeyFile === undefined || isKeyReadOnce ? [] : [`--api-key-file=${apiKeyFile}`]),
  ];
}

function portNumber(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new UserError(`--port must be a number from 0 to 65535, got '${text.slice(0, 80)}'`);
}
