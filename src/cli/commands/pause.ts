import type { Command } from 'commander';
import type { Cli } from '../io.js';
import { commandHint, openSession, orderWords, trustHomeOption, withSettings, yesOption } from '../open-session.js';
import type { Session } from '../session.js';
import { READ_EXIT_HELP, STATUS_EXIT_HELP } from '../user-error.js';

/** `pause` and `resume`: whether a batch may submit anything new. */

export function definePause(command: Command, cli: Cli): void {
  command
    .description('Submits nothing new for a batch; jobs that were submitted render on and are fetched.')
    .argument('<batch>', "the batch's name")
    .addOption(yesOption());
  withSettings(command, 'connection', ['callsheet pause shots'], STATUS_EXIT_HELP).action(async (batch: string) => {
    const session = await openSession(command, cli);
    const { pauseRunning } = await import('../batch/pause-batch.js');
    await pauseRunning(session, batch);
    sayOrdered(session, batch, 'pause');
  });
}

export function defineResume(command: Command, cli: Cli): void {
  command
    .description(
      'Lets a batch submit again that was paused, that stopped for its budget or its failures, or that nothing works\n' +
        'on since a reboot or `engine stop`. With --all every batch that has open rows and was not paused goes on, as it\n' +
        'was run.',
    )
    .argument('[batch]', "the batch's name")
    .option('--all', 'every batch of the account that has open rows')
    .addOption(yesOption())
    .addOption(trustHomeOption());
  withSettings(command, 'limits', RESUMES, READ_EXIT_HELP).action(async (batch: string | undefined) => {
    const { all = false, trustHome = false } = command.opts<{ all?: boolean; trustHome?: boolean }>();
    if (all === (batch !== undefined)) command.error('error: name one batch, or say --all');
    const session = await openSession(command, cli);
    if (batch === undefined) return sayResumed(session, trustHome);
    const { resumeStopped } = await import('../batch/resume-batch.js');
    if (await resumeStopped(session, batch, trustHome)) return sayOrdered(session, batch, 'resume');
    const { sayLimited } = await import('../batch/batch-terms.js');
    sayLimited(session, batch);
  });
}

const RESUMES = [
  'callsheet resume shots',
  'callsheet resume shots --max-credits 60 --max-failures 10%',
  'callsheet resume --all',
];

async function sayResumed(session: Session, trustsHome: boolean): Promise<void> {
  const { resumeAll } = await import('../batch/resume-batch.js');
  const { terminal, isJson } = session;
  const done = await resumeAll(session, trustsHome);
  if (isJson) return terminal.json({ schema: 1, account: session.config.account.name, ...done });
  for (const batch of [...done.running, ...done.resumed]) terminal.data(`'${batch}' goes on`);
  for (const batch of done.paused) {
    terminal.warn(`'${batch}' stays paused: \`${commandHint(session, orderWords('resume', batch))}\` goes on`);
  }
  for (const batch of done.left) {
    terminal.warn(
      `'${batch}' was run by an older build, or what was ordered of it cannot be read: the \`callsheet run …\` that started it, given again, goes on`,
    );
  }
  for (const batch of done.otherHome) {
    terminal.warn(
      `'${batch}' does not go on: ${session.config.home} is not the home that it was run from, or an earlier state of it; bring that one back, or, if this one is right, \`${commandHint(session, orderWords('resume', batch, '--trust-home'))}\``,
    );
  }
  if (Object.values(done).every((batches) => batches.length === 0)) terminal.note('no batch has open rows');
}

function sayOrdered(session: Session, batch: string, order: 'pause' | 'resume'): void {
  const { terminal } = session;
  const next = commandHint(session, orderWords(order === 'pause' ? 'resume' : 'watch', batch));
  const said =
    order === 'pause'
      ? `'${batch}' is paused: what was submitted is still fetched; \`${next}\` goes on`
      : `'${batch}' goes on; \`${next}\` follows it`;
  if (session.isJson) terminal.json({ schema: 1, batch, order });
  else terminal.data(said);
}
