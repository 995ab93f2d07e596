import type { Command } from 'commander';
import type { Cli } from '../io.js';
import { openSession } from '../open-session.js';
import {
  aloneOption,
  finish,
  type OrderFlags,
  orderFlags,
  rowCommand,
  rowsCommand,
  sub,
  WHY,
} from '../review/order-flags.js';
import type { ReviewOrder } from '../review/orders.js';
import { trustHomeOption } from '../settings-options.js';
import { READ_EXIT_HELP } from '../user-error.js';

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
  defineSettleGroup(command, cli);
  defineTrust(command, cli);
}

function defineList(review: Command, cli: Cli): void {
  const list = sub(review, 'list', 'Lists the rows that need a person, with the money at stake.').argument(
    '[batch]',
    'only this batch (default: every batch of the account)',
  );
  finish(list, 'connection', ['callsheet review list', 'callsheet review list shots --json']).action(
    async (batch: string | undefined) => {
      const session = await openSession(list, cli);
      const { listCases } = await import('../review/case-list.js');
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
  const attach = sub(
    review,
    'attach-handle',
    'Gives rows the handles that the service has for them. A free poll must confirm each; else nothing is changed.',
  )
    .argument('<batch>', "the batch's name")
    .argument('[row-and-handle...]', 'a row and its handle as the service gave it, then the next row and its handle');
  orderFlags(attach, 'fetch without asking').addOption(aloneOption());
  finish(attach, 'connection', [
    'callsheet review attach-handle shots a1 cgt-20260101-x7',
    'callsheet review attach-handle shots a1 cgt-20260101-x7 a2 cgt-20260101-x8',
    'callsheet review attach-handle shots --all     with the handles that stood in cut answers',
  ]).action(async (batch: string, words: string[]) => {
    const { handlePairs } = await import('../review/orders.js');
    const handles = handlePairs(words);
    await carryOut(attach, cli, batch, [...handles.keys()], { command: 'attach-handle', handles });
  });
}

function defineMarkLost(review: Command, cli: Cli): void {
  const mark = rowsCommand(
    review,
    'mark-lost',
    'Gives rows up: they end as lost_paid, or as failed with --not-billed.',
  ).option('--not-billed', 'you know that they were not billed: they end as failed, and a retry runs them again');
  orderFlags(mark, 'settle without asking');
  finish(mark, 'connection', [
    'callsheet review mark-lost shots a1 --why "the invoice shows it"',
    'callsheet review mark-lost shots a1 a2 a3 --not-billed',
    'callsheet review mark-lost shots --class answer_lost_billed',
  ]).action(async (batch: string, ids: string[]) => {
    const isBilled = mark.opts<{ notBilled?: boolean }>().notBilled !== true;
    await carryOut(mark, cli, batch, ids, { command: 'mark-lost', isBilled });
  });
}

function defineResubmit(review: Command, cli: Cli): void {
  const resubmit = rowsCommand(
    review,
    'resubmit',
    'Submits rows again although their earlier requests may have been billed: they can be paid twice, and the results say so.',
  );
  orderFlags(resubmit, 'pay without asking').addOption(aloneOption());
  finish(resubmit, 'run', [
    'callsheet review resubmit shots a1 --why "needed today" --yes',
    'callsheet review resubmit shots --all',
  ]).action((batch: string, ids: string[]) => carryOut(resubmit, cli, batch, ids, { command: 'resubmit' }));
}

type WithoutFlags<Order> = Order extends unknown ? Omit<Order, 'why' | 'isSaidYes' | 'trustsHome' | 'follow'> : never;

async function carryOut(
  command: Command,
  cli: Cli,
  batch: string,
  ids: string[],
  order: WithoutFlags<ReviewOrder>,
): Promise<void> {
  const session = await openSession(command, cli);
  const {
    all = false,
    class: classes,
    why,
    yes = false,
    trustHome = false,
    dependents: follow = true,
  } = command.opts<OrderFlags>();
  const { settleByHand } = await import('../review/settle-by-hand.js');
  const whole = { ...order, follow, isSaidYes: yes, trustsHome: trustHome, ...(why === undefined ? {} : { why }) };
  cli.exitCode = await settleByHand(session, batch, { ids, all, classes }, whole);
}

function defineSettleGroup(review: Command, cli: Cli): void {
  const group = sub(
    review,
    'settle-group',
    'Settles lost answers of one price together, by how many of them the balance shows: the others are sent again.',
  )
    .argument('<batch>', "the batch's name")
    .option('-y, --yes', 'settle and send again without asking')
    .addOption(aloneOption())
    .addOption(trustHomeOption());
  finish(group, 'run', ['callsheet review settle-group shots']).action(async (batch: string) => {
    const session = await openSession(group, cli);
    const { settleGroup } = await import('../review/settle-group.js');
    const { yes = false, trustHome = false, dependents: follow = true } = group.opts<OrderFlags>();
    cli.exitCode = await settleGroup(session, batch, { isSaidYes: yes, trustsHome: trustHome, follow });
  });
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
      const { trustAgain } = await import('../review/orders.js');
      await trustAgain(session, reasonOf(again).why);
    },
  );
}
