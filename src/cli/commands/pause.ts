import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { READ_EXIT_HELP } from '../exit-codes.js';
import { openSession } from '../open-session.js';
import type { Session } from '../session.js';
import { addSettings } from '../settings-options.js';

/** `pause` and `resume`: whether a batch may submit anything new. */

export function definePause(command: Command, cli: Cli): void {
  define(command, cli, 'Submits nothing new for a batch; jobs that were submitted render on and are fetched.', 'pause');
}

export function defineResume(command: Command, cli: Cli): void {
  define(
    command,
    cli,
    'Lets a batch submit again that was paused, or that stopped for its budget or its failures.',
    'resume',
  );
}

function define(command: Command, cli: Cli, description: string, order: 'pause' | 'resume'): void {
  addSettings(
    command.description(description).argument('<batch>', "the batch's name"),
    order === 'resume' ? 'limits' : 'connection',
  )
    .addHelpText('after', `\nExamples:\n  callsheet ${order} shots\n${MORE_EXAMPLES[order]}\n${READ_EXIT_HELP}`)
    .action(async (batch: string) => send(await openSession(command, cli), batch, order));
}

const MORE_EXAMPLES = { pause: '', resume: '  callsheet resume shots --max-credits 60 --max-failures 10%\n' } as const;

async function send(session: Session, batch: string, order: 'pause' | 'resume'): Promise<void> {
  if (order === 'pause') await pause(session, batch);
  else await (await import('../batch/resume-batch.js')).resumeStopped(session, batch);
  const { terminal } = session;
  if (session.isJson) return terminal.json({ schema: 1, batch, order });
  terminal.data(
    order === 'pause'
      ? `'${batch}' is paused: what was submitted is still fetched; \`callsheet resume ${batch}\` goes on`
      : `'${batch}' goes on; \`callsheet watch ${batch}\` follows it`,
  );
}

async function pause(session: Session, batch: string): Promise<void> {
  const { openHomeAccess } = await import('../access/home-access.js');
  const { knownBatch } = await import('../batch/known-batch.js');
  const { resumeWork } = await import('../access/work-access.js');
  const { signalRunning } = await import('../batch/signal-batch.js');
  const { pauseBatch } = await import('../../contract/messages.js');
  await knownBatch(session, openHomeAccess(session.config), batch);
  const work = await resumeWork(session);
  try {
    await signalRunning(session, work, batch, pauseBatch);
  } finally {
    await work.close();
  }
}
