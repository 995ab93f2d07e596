import type { Command } from 'commander';
import type { Notice } from '../../domain/notice.js';
import type { Cli } from '../io.js';
import { addExamples, openSession, withSettings } from '../open-session.js';
import type { Session } from '../session.js';
import { EXIT, UserError } from '../user-error.js';

const EXAMPLES = [
  'callsheet notify test --notify https://hooks.example.com/callsheet',
  "callsheet notify test --notify 'command:jq -r .text | wall'",
];
const EXITS =
  'Exit codes:\n  0  all arrived    2  wrong command line, or no settings name a target    4  settings    5  some did not arrive';

/** `notify test`: whether what is told of batches would arrive. */
export function defineNotify(command: Command, cli: Cli): void {
  command.description('What is told of batches to the webhooks and commands that the settings name.');
  addExamples(command, EXAMPLES, EXITS);
  const test = command
    .command('test')
    .description('Sends a test to every webhook and command of the settings, once and from here. Needs no engine.');
  withSettings(test, 'all', EXAMPLES, EXITS).action(async () => {
    cli.exitCode = await sendTest(await openSession(test, cli));
  });
}

/** Gives the exit code. */
async function sendTest({ config, terminal, isJson, cli: { io } }: Session): Promise<number> {
  const { randomUUID } = await import('node:crypto');
  const { targetLabel } = await import('../../domain/notice.js');
  const { sendNotice } = await import('../../notices/send.js');
  const { notify, account } = config;
  if (notify.length === 0)
    throw new UserError('nobody is told: name a webhook or command with --notify, or as `notify` in the settings');
  const notice: Notice = {
    ...{ schema: 1 as const, id: randomUUID(), type: 'test' as const, atMs: Date.now() },
    ...{ account: account.name, batch: null },
  };
  const ended = new AbortController();
  // A command has a process group of its own, which Ctrl-C does not reach.
  const over = io.onInterrupt(() => {
    ended.abort();
    io.quit(EXIT.detached);
  });
  const sent = await Promise.all(
    notify.map(async (target) => ({
      target: targetLabel(target.to),
      ...(await sendNotice(target, notice, ended.signal)),
    })),
  );
  over();
  if (isJson) terminal.json({ schema: 1, sent });
  else
    for (const one of sent) terminal.data(`${one.target}: ${'why' in one ? `did not arrive: ${one.why}` : 'arrived'}`);
  return sent.every((one) => one.sent === 'delivered') ? EXIT.done : EXIT.unreachable;
}
