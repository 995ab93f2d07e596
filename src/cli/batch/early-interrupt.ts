import type { BatchPlace } from '../access/home-access.js';
import { commandHint, orderWords } from '../open-session.js';
import { EXIT } from '../user-error.js';

/** Ctrl-C while the engine starts: ends at once, and says whether the batch was handed to it already. */
export function sayEarlyInterrupt({ session, batch }: Pick<BatchPlace, 'session' | 'batch'>): {
  handingOver(): void;
  over(): void;
} {
  const { terminal, cli } = session;
  let line = `interrupted before '${batch}' was submitted: nothing of this run was sent; the same command again goes on`;
  const over = cli.io.onInterrupt(() => {
    terminal.say(line);
    cli.io.quit(EXIT.detached);
  });
  return {
    handingOver: () => {
      line = `detached: batch '${batch}' goes on in the background; \`${commandHint(session, orderWords('watch', batch))}\` follows it`;
    },
    over,
  };
}
