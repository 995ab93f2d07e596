import type { Command } from 'commander';
import type { Cli } from '../io.js';
import { commandHint, openSession, trustHomeOption, withSettings, yesOption } from '../open-session.js';
import type { Session } from '../session.js';
import { EXIT, READ_EXIT_HELP, STATUS_EXIT_HELP, UserError } from '../user-error.js';

/** `pause` and `resume`: whether a batch may submit anything new. */

export function definePause(command: Command, cli: Cli): void {
  command
    .description('Submits nothing new for a batch; jobs that were submitted render on and are fetched.')
    .argument('<batch>', "the batch's name")
    .addOption(yesOption());
  withSettings(command, 'connection', ['callsheet pause shots'], STATUS_EXIT_HELP).action(async (batch: string) => {
    const session = await openSession(command, cli);
    await pause(session, batch);
    sayOrdered(session, batch, 'pause');
  });
}

export function defineResume(command: Command, cli: Cli): void {
  command
    .description(
      'Lets a batch submit again that was paused, that stopped for its budget or its failures, or that nothing works\n' +
        'on since a reboot or `engine stop`. With --all every batch that has open rows goes on, as it was run.',
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
    await resumeStopped(session, batch, trustHome);
    sayOrdered(session, batch, 'resume');
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
  for (const batch of done.left) {
    terminal.warn(
      `'${batch}' was run by an older build: the \`callsheet run …\` that started it, given again, goes on`,
    );
  }
  for (const batch of done.otherHome) {
    terminal.warn(
      `'${batch}' does not go on: ${session.config.home} is not the home that it was run from, or an earlier state of it; bring that one back, or, if this one is right, \`${commandHint(session, `resume ${batch} --trust-home`)}\``,
    );
  }
  if (Object.values(done).every((batches) => batches.length === 0)) terminal.note('no batch has open rows');
}

function sayOrdered(session: Session, batch: string, order: 'pause' | 'resume'): void {
  const { terminal } = session;
  const said =
    order === 'pause'
      ? `'${batch}' is paused: what was submitted is still fetched; \`callsheet resume ${batch}\` goes on`
      : `'${batch}' goes on; \`callsheet watch ${batch}\` follows it`;
  if (session.isJson) terminal.json({ schema: 1, batch, order });
  else terminal.data(said);
}

async function pause(session: Session, batch: string): Promise<void> {
  const { knownBatch, otherHomeText } = await import('../batch/known-batch.js');
  const { joinWork, rejoinWork } = await import('../access/work-access.js');
  const { signalRunning } = await import('../batch/batch-source.js');
  const { orderPause } = await import('../../home/batch-order.js');
  const { pauseBatch } = await import('../../contract/messages.js');
  const known = await knownBatch(session, batch);
  const { home } = known.access;
  const otherHome = await otherHomeText(known.access, batch);
  // On such a home an engine that runs is told to pause, and none is started: it would go on with what it knows.
  const work = otherHome === undefined ? await rejoinWork(session) : await joinWork(session);
  if (work === undefined) {
    throw new UserError(
      `${otherHome}: no engine runs on it and none was started, so nothing is submitted; bring that home back`,
      EXIT.configuration,
    );
  }
  try {
    // The order first: from here on nothing of the batch is submitted, however long the message takes.
    const isNew = await orderPause(home, batch, true);
    try {
      await signalRunning(known, work, pauseBatch);
    } catch (error) {
      // It does not run: an order that was refused must not hold back its next run.
      if (isNew && error instanceof UserError) await orderPause(home, batch, false);
      throw error;
    }
  } finally {
    await work.close();
  }
}
