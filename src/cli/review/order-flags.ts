import { type Command, Option } from 'commander';
import { addSettings, trustHomeOption } from '../settings-options.js';
import { READ_EXIT_HELP } from '../user-error.js';

/** What the commands of `review` have in common: their arguments, flags and help. */

export const WHY = '--why <text>';
export const WHY_HELP = 'why you decide so; kept in the ledger with your user name and the time';

export interface OrderFlags {
  all?: boolean;
  class?: string;
  why?: string;
  yes?: boolean;
  trustHome?: boolean;
  dependents?: boolean;
}

/** Of the orders that bring an output. */
export function aloneOption(): Option {
  return new Option('--no-dependents', 'what the rows feed does not follow them');
}

/** The flags that every order takes. */
export function orderFlags(command: Command, yesHelp: string): Command {
  return command
    .option('--all', 'every row of the batch that needs a person')
    .option('--class <class>', 'those of them of this class or reason_code; several with commas')
    .option(WHY, WHY_HELP)
    .option('-y, --yes', yesHelp)
    .addOption(trustHomeOption());
}

export function rowsCommand(review: Command, name: string, description: string): Command {
  return sub(review, name, description)
    .argument('<batch>', "the batch's name")
    .argument('[rows...]', "the rows' ids; or --all, or --class");
}

export function rowCommand(review: Command, name: string, description: string): Command {
  return sub(review, name, description).argument('<batch>', "the batch's name").argument('<row>', "the row's id");
}

export function sub(review: Command, name: string, description: string): Command {
  return review.command(name).description(description);
}

export function finish(command: Command, shown: 'connection' | 'run', examples: string[]): Command {
  const text = examples.map((example) => `  ${example}`).join('\n');
  return addSettings(command, shown).addHelpText('after', `\nExamples:\n${text}\n\n${READ_EXIT_HELP}`);
}
