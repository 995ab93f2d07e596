import { type Command, Option } from 'commander';
import type { OrderedLimits } from '../batch/order-limits.js';
import { type SlotFlags, slotFlags, slotOptions } from '../batch/run-flags.js';
import type { Cli } from '../io.js';
import { openSession, withSettings, yesOption } from '../open-session.js';
import type { Session } from '../session.js';
import { READ_EXIT_HELP, UserError } from '../user-error.js';

interface LimitsFlags extends SlotFlags {
  reset?: boolean;
}

/** `limits`: how much of the plan the account, or a batch, may use while it runs. */
export function defineLimits(command: Command, cli: Cli): void {
  command
    .description(
      'Shows or changes what the account may use of the plan and how its batches share it. Changes act at once, while\n' +
        'work goes on: jobs that run are left alone. Nothing goes above the plan.',
    )
    .argument('[batch]', "the batch's name; without it the whole account");
  command.addOption(yesOption());
  for (const option of [...slotOptions(), new Option('--reset', 'take back what was ordered before')])
    command.addOption(option.helpGroup('Limits:'));
  withSettings(command, 'slots', EXAMPLES, READ_EXIT_HELP).action(async (batch: string | undefined) => {
    const session = await openSession(command, cli);
    const given = givenLimits(session, batch, command.opts<LimitsFlags>());
    const { orderAccount, orderBatch, showLimits } = await import('../batch/order-limits.js');
    if (given === undefined) return showLimits(session, batch);
    await (batch === undefined ? orderAccount(session, given) : orderBatch(session, batch, given));
  });
}

/** Undefined where nothing is to be changed; throws a UserError for what the account or a batch does not have. */
function givenLimits(session: Session, batch: string | undefined, flags: LimitsFlags): OrderedLimits | undefined {
  const { config, origins } = session;
  const own = (name: 'concurrency' | 'rpm') =>
    origins.get(`limits.${name}`)?.name === 'flag' ? { [name]: config.limits[name] } : {};
  const given = { ...own('concurrency'), ...own('rpm'), ...slotFlags(flags) };
  const isReset = flags.reset === true;
  if (batch === undefined && ('weight' in given || 'priority' in given)) {
    throw new UserError('--weight and --priority belong to a batch: name it');
  }
  if (batch !== undefined && 'rpm' in given) {
    throw new UserError('requests per minute are counted for the whole account: give --rpm without a batch');
  }
  return isReset || Object.keys(given).length > 0 ? { isReset, ...given } : undefined;
}

const EXAMPLES = [
  'callsheet limits',
  'callsheet limits shots --concurrency 4 --weight 3',
  'callsheet limits shots --priority 1',
  'callsheet limits --concurrency 10 --rpm 120',
  'callsheet limits --reset',
];
