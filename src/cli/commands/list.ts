import type { Command } from 'commander';
import type { Cli } from '../io.js';
import { openSession, withSettings } from '../open-session.js';
import type { Session } from '../session.js';
import { READ_EXIT_HELP } from '../user-error.js';

/** `list`: every batch of the account. */
export function defineList(command: Command, cli: Cli): void {
  const described = command
    .description('Lists every batch of the account, from its home.')
    .option('--names', 'only the names, one a line: no record is read');
  withSettings(
    described,
    'connection',
    ['callsheet list', 'callsheet list --names', 'callsheet list --json'],
    READ_EXIT_HELP,
  ).action(async () => {
    const session = await openSession(command, cli);
    return command.opts<{ names?: boolean }>().names === true ? listNames(session) : listBatches(session);
  });
}

async function listNames(session: Session): Promise<void> {
  const { openHomeAccess } = await import('../access/home-access.js');
  const batches = await openHomeAccess(session.config).home.batches();
  if (session.isJson) return session.terminal.json({ schema: 1, account: session.config.account.name, batches });
  for (const batch of batches) session.terminal.data(batch);
}

async function listBatches(session: Session): Promise<void> {
  const { openHomeAccess } = await import('../access/home-access.js');
  const { readStates } = await import('../batch/batch-state.js');
  const { listLines, statusJson } = await import('../views/status-lines.js');
  const { terminal, config } = session;
  const access = openHomeAccess(config);
  const { reports, blocked } = await readStates(session, access, await access.home.batches());
  const account = config.account.name;
  if (session.isJson) {
    return terminal.json({ schema: 1, account, blocked, batches: reports.map((one) => statusJson(session, one)) });
  }
  if (reports.length === 0) terminal.note(`account '${account}' has no batch in ${config.home}`);
  else for (const line of listLines(session, reports)) terminal.data(line);
  if (blocked !== null) terminal.warn(blocked);
}
