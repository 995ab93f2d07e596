import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { READ_EXIT_HELP } from '../exit-codes.js';
import { openSession } from '../open-session.js';
import type { Session } from '../session.js';
import { addSettings } from '../settings-options.js';

/** `list`: every batch of the account. */
export function defineList(command: Command, cli: Cli): void {
  const described = command
    .description('Lists every batch of the account, from its home.')
    .option('--names', 'only the names, one a line: no record is read');
  addSettings(described, 'connection')
    .addHelpText(
      'after',
      `\nExamples:\n  callsheet list\n  callsheet list --names\n  callsheet list --json\n\n${READ_EXIT_HELP}`,
    )
    .action(async () => {
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
  const { joinWork } = await import('../access/work-access.js');
  const { readBatchState } = await import('../batch/batch-state.js');
  const { countsText } = await import('../views/counts.js');
  const { formatTable } = await import('../views/table.js');
  const { terminal, config } = session;
  const access = openHomeAccess(config);
  const work = await joinWork(session);
  try {
    const states = [];
    for (const batch of await access.home.batches()) {
      const state = await readBatchState(access, work, batch);
      if (state !== undefined) states.push(state);
    }
    if (session.isJson) {
      const batches = states.map(({ progress: _progress, ...state }) => state);
      return terminal.json({ schema: 1, account: config.account.name, batches });
    }
    if (states.length === 0) return terminal.note(`account '${config.account.name}' has no batch in ${config.home}`);
    const rows = states.map((one) => [one.batch, one.state, String(one.rows), countsText(one.counts), one.out]);
    terminal.data(formatTable(rows, { head: ['batch', 'state', 'rows', 'ended', 'writes to'] }));
  } finally {
    await work?.close();
  }
}
