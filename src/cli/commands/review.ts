import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { READ_EXIT_HELP } from '../exit-codes.js';
import { openSession } from '../open-session.js';
import { addSettings } from '../settings-options.js';

/** `review`: the rows that need a person, the evidence, and the orders that settle them. */
export function defineReview(command: Command, cli: Cli): void {
  command
    .description(
      'Rows that callsheet cannot settle by itself: a lost answer, a handle that is gone, an output that cannot be fetched.',
    )
    .addHelpText(
      'after',
      `\nExamples:\n  callsheet review list\n  callsheet review show shots a1\n  callsheet review resubmit shots a1 --yes\n\n${READ_EXIT_HELP}`,
    );
  defineList(command, cli);
  defineShow(command, cli);
  defineAttachHandle(command, cli);
  defineMarkLost(command, cli);
  defineResubmit(command, cli);
  defineTrust(command, cli);
}

const WHY = '--why <text>';
const WHY_HELP = 'why you decide so; kept in the ledger with your user name and the time';

function defineList(review: Command, cli: Cli): void {
  const list = sub(review, 'list', 'Lists the rows that need a person, with the money at stake.').argument(
    '[batch]',
    'only this batch (default: every batch of the account)',
  );
  finish(list, 'connection', ['callsheet review list', 'callsheet review list shots --json']).action(
    async (batch: string | undefined) => {
      const session = await openSession(list, cli);
      const { listCases } = await import('../review/list-cases.js');
      await listCases(session, batch);
    },
  );
}

function defineShow(review: Command, cli: Cli): void {
  const show = rowCommand(
    review,
    'show',
    'Shows the whole evidence of one row: attempts, verdict, balance, and what each order would do.',
  );
  finish(show, 'connection', ['callsheet review show shots a1']).action(async (batch: string, row: string) => {
    const session = await openSession(show, cli);
    const { showCase } = await import('../review/show-case.js');
    await showCase(session, batch, row);
  });
}

function defineAttachHandle(review: Command, cli: Cli): void {
  const attach = rowCommand(
    review,
    'attach-handle',
    'Gives a row the handle that the service has for it. A free poll must confirm it; else nothing is changed.',
  )
    .argument('<handle>', 'as the service gave it')
    .option(WHY, WHY_HELP);
  finish(attach, 'connection', ['callsheet review attach-handle shots a1 cgt-20260101-x7']).action(
    async (batch: string, row: string, handle: string) => {
      const session = await openSession(attach, cli);
      const { settleByHand } = await import('../review/settle-by-hand.js');
      await settleByHand(session, batch, row, { command: 'attach-handle', handle, ...reasonOf(attach) });
    },
  );
}

function defineMarkLost(review: Command, cli: Cli): void {
  const mark = rowCommand(review, 'mark-lost', 'Gives a row up: it ends as lost_paid, or as failed with --not-billed.')
    .option('--not-billed', 'you know that it was not billed: the row ends as failed, and a retry runs it again')
    .option(WHY, WHY_HELP);
  finish(mark, 'connection', [
    'callsheet review mark-lost shots a1 --why "the invoice shows it"',
    'callsheet review mark-lost shots a1 --not-billed',
  ]).action(async (batch: string, row: string) => {
    const session = await openSession(mark, cli);
    const isBilled = mark.opts<{ notBilled?: boolean }>().notBilled !== true;
    const { settleByHand } = await import('../review/settle-by-hand.js');
    await settleByHand(session, batch, row, { command: 'mark-lost', isBilled, ...reasonOf(mark) });
  });
}

function defineResubmit(review: Command, cli: Cli): void {
  const resubmit = rowCommand(
    review,
    'resubmit',
    'Submits a row again although its earlier request may have been billed: it can be paid twice, and its results say so.',
  )
    .option(WHY, WHY_HELP)
    .option('-y, --yes', 'pay without asking');
  finish(resubmit, 'run', ['callsheet review resubmit shots a1 --why "needed today" --yes']).action(
    async (batch: string, row: string) => {
      const session = await openSession(resubmit, cli);
      const isSaidYes = resubmit.opts<{ yes?: boolean }>().yes === true;
      const { settleByHand } = await import('../review/settle-by-hand.js');
      await settleByHand(session, batch, row, { command: 'resubmit', isSaidYes, ...reasonOf(resubmit) });
    },
  );
}

function reasonOf(command: Command): { why?: string } {
  const { why } = command.opts<{ why?: string }>();
  return why === undefined ? {} : { why };
}

function defineTrust(review: Command, cli: Cli): void {
  const again = sub(
    review,
    'trust',
    'Turns if-proved on again for the account after a verdict of the credits check was contradicted.',
  ).option(WHY, 'why you trust it again; kept with your user name and the time');
  finish(again, 'connection', ['callsheet review trust --why "the price was wrong in the settings"']).action(
    async () => {
      const session = await openSession(again, cli);
      const { trustAgain } = await import('../review/trust-again.js');
      await trustAgain(session, reasonOf(again).why);
    },
  );
}

function rowCommand(review: Command, name: string, description: string): Command {
  return sub(review, name, description).argument('<batch>', "the batch's name").argument('<row>', "the row's id");
}

function sub(review: Command, name: string, description: string): Command {
  return review.command(name).description(description);
}

function finish(command: Command, shown: 'connection' | 'run', examples: string[]): Command {
  const text = examples.map((example) => `  ${example}`).join('\n');
  return addSettings(command, shown).addHelpText('after', `\nExamples:\n${text}\n\n${READ_EXIT_HELP}`);
}
