import type { Io } from './io.js';
import { UserError } from './user-error.js';

type Asked = Pick<Io, 'stdin' | 'stderr' | 'isTerminal' | 'onInterrupt'>;

/**
 * Asks a person a yes-or-no question; only where one sits there. Ctrl-C, Ctrl-D and an input that ends mean no: the
 * caller then says what was not done, and the cursor is shown again.
 */
export async function askPerson(io: Asked, message: string): Promise<boolean> {
  if (!io.isTerminal) return askByLine(io, message);
  const { stdin, stderr } = io;
  const { confirm } = await import('@clack/prompts');
  const left = new AbortController();
  const leave = (): void => left.abort();
  // The prompt knows Ctrl-C; at Ctrl-D its input closes without a word to it, and it would wait for ever.
  const onKey = (_text: unknown, key?: { ctrl?: boolean; name?: string }): void => {
    if (key?.ctrl === true && key.name === 'd') leave();
  };
  stdin.on('keypress', onKey).once('end', leave).once('close', leave);
  try {
    return (
      (await confirm({ message, initialValue: false, input: stdin, output: stderr, signal: left.signal })) === true
    );
  } finally {
    stdin.off('keypress', onKey).off('end', leave).off('close', leave);
  }
}

/** For a terminal that knows no cursor movement, or not how wide it is: one line is shown, and one is read. */
async function askByLine({ stdin, stderr, onInterrupt }: Asked, message: string): Promise<boolean> {
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: stdin, output: stderr, terminal: false });
  const left = new AbortController();
  const leave = (): void => left.abort();
  const over = onInterrupt(leave);
  lines.once('close', leave);
  try {
    return /^\s*y(es)?\s*$/i.test(await lines.question(`${message} [y/N] `, { signal: left.signal }));
  } catch (error) {
    if (!left.signal.aborted) throw error;
    stderr.write('\n');
    return false;
  } finally {
    over();
    lines.close();
  }
}

/** Throws a UserError where a person says no, and where none sits there: `alone` then says what to say instead. */
export async function confirm(
  io: Asked & Pick<Io, 'isInteractive'>,
  question: string,
  alone: string,
  notYet: 'changed' | 'submitted' = 'changed',
): Promise<void> {
  if (!io.isInteractive) throw new UserError(alone);
  if (!(await askPerson(io, question))) throw new UserError(`not confirmed: nothing was ${notYet}`);
}
