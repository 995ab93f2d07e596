import type { Command } from 'commander';
import type { Cli } from '../io.js';
import { openSession, withSettings } from '../open-session.js';
import { READ_EXIT_HELP } from '../user-error.js';

/** `ledger show | verify | repair`: the write-ahead record of every paid request. Only `repair` writes. */
export function defineLedger(command: Command, cli: Cli): void {
  command
    .description(
      'The ledger: before a paid request leaves, its claim is on record here; what became of it is appended.',
    )
    .addHelpText(
      'after',
      `\nExamples:\n  callsheet ledger show shots a1\n  callsheet ledger verify\n\n${READ_EXIT_HELP}`,
    );
  const show = command
    .command('show')
    .description('Shows every record of one row, oldest first.')
    .argument('<batch>', "the batch's name")
    .argument('<row>', "the row's id");
  withSettings(show, 'connection', ['callsheet ledger show shots a1 --json'], READ_EXIT_HELP).action(
    async (batch: string, row: string) => {
      const session = await openSession(show, cli);
      const { showLedger } = await import('../ledger.js');
      await showLedger(session, batch, row);
    },
  );
  const verify = command
    .command('verify')
    .description(
      "Reads every document of the account's home and says what cannot be: a row paid twice without an override,\n" +
        'states without a claim or after an end, documents that cannot be read. Mends nothing.',
    );
  withSettings(
    verify,
    'connection',
    ['callsheet ledger verify', 'callsheet ledger verify --json'],
    'Exit codes:\n  0  the ledger agrees with itself    1  it does not    4  settings, or a home that cannot be read',
  ).action(async () => {
    const session = await openSession(verify, cli);
    const { verifyAll } = await import('../ledger.js');
    cli.exitCode = await verifyAll(session);
  });
  const repair = command
    .command('repair')
    .description(
      'Sets aside every damaged document that can be made anew (it is moved, never deleted) and rebuilds it from the\n' +
        "attempts where that is possible. The attempts' own records are never touched.",
    );
  withSettings(
    repair,
    'connection',
    ['callsheet ledger repair'],
    'Exit codes:\n  0  nothing damaged is left    1  some is    4  settings, or a home that cannot be read',
  ).action(async () => {
    const session = await openSession(repair, cli);
    const { repairAll } = await import('../ledger.js');
    cli.exitCode = await repairAll(session);
  });
}
