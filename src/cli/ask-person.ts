import type { Io } from './io.js';
import { UserError } from './user-error.js';

/**
 * Asks a person a yes-or-no question; only where one sits there. Ctrl-C, Ctrl-D and an input that ends mean no: the
 * caller then says what was not done, and the cursor is shown again.
 */
export async function askPerson({ stdin, stderr }: Pick<Io, 'stdin' | 'stderr'>, message: string): Promise<boolean> {
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

/** Throws a UserError where a person says no, and where none sits there: `alone` then says what to say instead. */
export async function confirm(
  io: Pick<Io, 'stdin' | 'stderr' | 'isInteractive'>,
  question: string,
  alone: string,
  notYet: 'changed' | 'submitted' = 'changed',
): Promise<void> {
  if (!io.isInteractive) throw new UserError(alone);
  if (!(await askPerson(io, question))) throw new UserError(`not confirmed: nothing was ${notYet}`);
}
