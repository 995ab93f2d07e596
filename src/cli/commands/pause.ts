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
  define(command, cli, 'Lets a paused batch submit again.', 'resume');
}

function define(command: Command, cli: Cli, description: string, order: 'pause' | 'resume'): void {
  addSettings(command.description(description).argument('<batch>', "the batch's name"), 'connection')
    .addHelpText('after', `\nExamples:\n  callsheet ${order} shots\n\n${READ_EXIT_HELP}`)
    .action(async (batch: string) => send(await openSession(command, cli), batch, order));
}

async function send(session: Session, batch: string, order: 'pause' | 'resume'): Promise<void> {
  const { openHomeAccess } = await import('../access/home-access.js');
  const { knownBatch } = await import('../batch/known-batch.js');
  const { resumeWork } = await import('../access/work-access.js');
  const { signalRunning } = await import('../batch/signal-batch.js');
  const { pauseBatch, resumeBatch } = await import('../../contract/messages.js');
  await knownBatch(session, openHomeAccess(session.config), batch);
  const work = await resumeWork(session);
  try {
    await signalRunning(session, work, batch, order === 'pause' ? pauseBatch : resumeBatch);
  } finally {
    await work.close();
  }
  const { terminal } = session;
  if (session.isJson) return terminal.json({ schema: 1, batch, order });
  terminal.data(
    order === 'pause'
      ? `'${batch}' is paused: what was submitted is still fetched; \`callsheet resume ${batch}\` goes on`
      : `'${batch}' goes on; \`callsheet watch ${batch}\` follows it`,
  );
}
