import { type Command, Option } from 'commander';
import { defined } from '../../domain/defined.js';
import type { Cli } from '../io.js';
import { addExamples, openSession, trustHomeOption, withSettings } from '../open-session.js';
import type { OrderTerms, ReviewOrder } from '../review/orders.js';
import { READ_EXIT_HELP } from '../user-error.js';

/** `review`: the rows that need a person, the evidence, and the orders that settle them. */
export function defineReview(command: Command, cli: Cli): void {
  command.description(
    'Rows that callsheet cannot settle by itself: a lost answer, a handle that is gone, an output that cannot be fetched.',
  );
  addExamples(
    command,
    ['callsheet review list', 'callsheet review show shots a1', 'callsheet review resubmit shots a1 --yes'],
    READ_EXIT_HELP,
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
  const list = review
    .command('list')
    .description('Lists the rows that need a person, with the money at stake.')
    .argument('[batch]', 'only this batch (default: every batch of the account)');
  finish(list, 'connection', ['list', 'list shots --json']).action(async (batch: string | undefined) => {
    const session = await openSession(list, cli);
    const { listCases } = await import('../review/case-list.js');
    await listCases(session, batch);
  });
}

function defineShow(review: Command, cli: Cli): void {
  const show = ofBatch(
    review,
    'show',
    'Shows the whole evidence of one row: attempts, verdict, balance, and what each order would do.',
  ).argument('<row>', "the row's id");
  finish(show, 'connection', ['show shots a1']).action(async (batch: string, row: string) => {
    const session = await openSession(show, cli);
    const { showCase } = await import('../review/show-case.js');
    await showCase(session, batch, row);
  });
}

function defineAttachHandle(review: Command, cli: Cli): void {
  const attach = ofBatch(
    review,
    'attach-handle',
    'Gives rows the handles that the service has for them. A free poll must confirm each; else nothing is changed.',
  ).argument('[row-and-handle...]', 'a row and its handle as the service gave it, then the next row and its handle');
  orderFlags(attach, 'fetch without asking').addOption(aloneOption());
  finish(attach, 'connection', [
    'attach-handle shots a1 cgt-20260101-x7',
    'attach-handle shots a1 cgt-20260101-x7 a2 cgt-20260101-x8',
    'attach-handle shots --all     with the handles that stood in cut answers',
  ]).action(async (batch: string, words: string[]) => {
    const { handlePairs } = await import('../review/orders.js');
    const handles = handlePairs(words);
    await carryOut(attach, cli, batch, [...handles.keys()], { command: 'attach-handle', handles });
  });
}

function defineMarkLost(review: Command, cli: Cli): void {
  const mark = ofBatch(review, 'mark-lost', 'Gives rows up: they end as lost_paid, or as failed with --not-billed.')
    .argument(...ROWS)
    .option('--not-billed', 'you know that they were not billed: they end as failed, and a retry runs them again');
  orderFlags(mark, 'settle without asking');
  finish(mark, 'connection', [
    'mark-lost shots a1 --why "the invoice shows it"',
    'mark-lost shots a1 a2 a3 --not-billed',
    'mark-lost shots --class answer_lost_billed',
  ]).action(async (batch: string, ids: string[]) => {
    const isBilled = mark.opts<{ notBilled?: boolean }>().notBilled !== true;
    await carryOut(mark, cli, batch, ids, { command: 'mark-lost', isBilled });
  });
}

function defineResubmit(review: Command, cli: Cli): void {
  const resubmit = ofBatch(
    review,
    'resubmit',
    'Submits rows again although their earlier requests may have been billed: they can be paid twice, and the results say so.',
  ).argument(...ROWS);
  orderFlags(resubmit, 'pay without asking').addOption(aloneOption());
  finish(resubmit, 'run', ['resubmit shots a1 --why "needed today" --yes', 'resubmit shots --all']).action(
    (batch: string, ids: string[]) => carryOut(resubmit, cli, batch, ids, { command: 'resubmit' }),
  );
}

function defineSettleGroup(review: Command, cli: Cli): void {
  const group = ofBatch(
    review,
    'settle-group',
    'Settles lost answers of one price together, by how many of them the balance shows: the others are sent again.',
  )
    .option('-y, --yes', 'settle and send again without asking')
    .addOption(aloneOption())
    .addOption(trustHomeOption());
  finish(group, 'run', ['settle-group shots'], GROUP_EXIT_HELP).action(async (batch: string) => {
    const session = await openSession(group, cli);
    const { settleGroup } = await import('../review/settle-group.js');
    cli.exitCode = await settleGroup(session, batch, termsOf(group));
  });
}

function defineTrust(review: Command, cli: Cli): void {
  const again = review
    .command('trust')
    .description('Turns if-proved on again for the account after a verdict of the credits check was contradicted.')
    .option(WHY, 'why you trust it again; kept with your user name and the time');
  finish(again, 'connection', ['trust --why "the price was wrong in the settings"']).action(async () => {
    const session = await openSession(again, cli);
    const { trustAgain } = await import('../review/orders.js');
    await trustAgain(session, again.opts<OrderFlags>().why);
  });
}

interface OrderFlags {
  all?: boolean;
  class?: string;
  why?: string;
  yes?: boolean;
  trustHome?: boolean;
  dependents?: boolean;
}

const WHY = '--why <text>';
const ROWS = ['[rows...]', "the rows' ids; or --all, or --class"] as const;

type WithoutFlags<Order> = Order extends unknown ? Omit<Order, 'why' | keyof OrderTerms> : never;

async function carryOut(
  command: Command,
  cli: Cli,
  batch: string,
  ids: string[],
  order: WithoutFlags<ReviewOrder>,
): Promise<void> {
  const session = await openSession(command, cli);
  const { all = false, class: classes, why } = command.opts<OrderFlags>();
  const { settleByHand } = await import('../review/settle-by-hand.js');
  const whole = { ...order, ...termsOf(command), ...defined({ why }) };
  cli.exitCode = await settleByHand(session, batch, { ids, all, classes }, whole);
}

function termsOf(command: Command): OrderTerms {
  const { yes = false, trustHome = false, dependents = true } = command.opts<OrderFlags>();
  return { isSaidYes: yes, trustsHome: trustHome, follow: dependents };
}

function ofBatch(review: Command, name: string, description: string): Command {
  return review.command(name).description(description).argument('<batch>', "the batch's name");
}

/** The flags that every order takes. */
function orderFlags(command: Command, yesHelp: string): Command {
  return command
    .option('--all', 'every row of the batch that needs a person')
    .option('--class <class>', 'those of them of this class or reason_code; several with commas')
    .option(WHY, 'why you decide so; kept in the ledger with your user name and the time')
    .option('-y, --yes', yesHelp)
    .addOption(trustHomeOption());
}

/** Of the orders that bring an output. */
function aloneOption(): Option {
  return new Option('--no-dependents', 'what the rows feed does not follow them');
}

function finish(
  command: Command,
  shown: 'connection' | 'run',
  examples: string[],
  ending: string = READ_EXIT_HELP,
): Command {
  const whole = examples.map((one) => `callsheet review ${one}`);
  return withSettings(command, shown, whole, ending);
}

const GROUP_EXIT_HELP = `${READ_EXIT_HELP}
  3  some lost answers cannot be settled by their count yet: they still need a person`;
