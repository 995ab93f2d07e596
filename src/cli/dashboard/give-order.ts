import { Readable, Writable } from 'node:stream';
import { commandOf, type Order, OrderRefused } from '../../dashboard/source.js';
import { safeText } from '../../domain/secret.js';
import type { Cli, Io } from '../io.js';
import { EXIT } from '../user-error.js';

/**
 * Gives an order by the command line itself, with the settings of this process: the same evidence, the same refusals,
 * the same records. Gives what the command said; throws an `OrderRefused` with its sentence.
 */
export async function giveOrder(cli: Cli, settings: readonly string[], batch: string, order: Order): Promise<string> {
  const { words, flags } = commandOf(batch, order);
  const others = settings.filter((setting) => !isAsked(order, setting));
  const { exitCode, stdout, stderr, isTaken } = await runCommand(cli, [...words, ...others, ...flags]);
  const said = words.includes('--json') ? '' : lastLine(stdout);
  if (isTaken && (hasRows(stdout) || exitCode === EXIT.detached)) {
    return `the rows of '${batch}' are handed over: they go on in the background`;
  }
  // Nothing was to be run: that comes first, and how the batch stands behind it, with the exit code of that.
  if (isTaken) return firstNote(stderr) || 'nothing is run';
  // Of lost answers some may have been settled, and the others not.
  if (exitCode === EXIT.done || (exitCode === EXIT.needsPerson && said !== ''))
    return said || lastLine(stderr) || 'done';
  throw new OrderRefused(errorsOf(stderr) || lastLine(stderr) || said || `the order ended with exit code ${exitCode}`);
}

const ASKING: readonly Order['order'][] = ['limits', 'account-limits', 'resume', 'approve'];
const ASKED = ['--concurrency=', '--rpm=', '--max-credits='];

/** What such an order asks for on the page is not as the dashboard was started: an empty field leaves it as it is. */
function isAsked({ order }: Order, setting: string): boolean {
  return ASKING.includes(order) && ASKED.some((flag) => setting.startsWith(flag));
}

interface Told {
  exitCode: number;
  stdout: string;
  stderr: string;
  /** A batch was handed to its workflow, or has nothing to run; the command was then left, as by Ctrl-C. */
  isTaken: boolean;
}

const ERROR = 'error: ';
const TAKEN = '"type":"batch_started"';

/** Rows were left to run when the batch started. */
function hasRows(stdout: string): boolean {
  return stdout.split('\n').some((line) => line.includes(TAKEN) && !line.includes('"toRun":0,'));
}

/** Runs a command line without a terminal; one that would follow a batch is left as soon as the batch has started. */
async function runCommand({ io, run }: Cli, args: string[]): Promise<Told> {
  const told = { stdout: '', stderr: '', isTaken: false };
  const interrupts = new Set<() => void>();
  const leave = (): void => {
    for (const interrupt of interrupts) interrupt();
    interrupts.clear();
  };
  const collect = (name: 'stdout' | 'stderr'): Writable =>
    new Writable({
      write: (chunk, _encoding, done) => {
        told[name] += String(chunk);
        if (!told.isTaken && told.stdout.includes(TAKEN)) {
          told.isTaken = true;
          setImmediate(leave);
        }
        done();
      },
    });
  const quiet: Io = {
    ...io,
    ...{ stdin: Readable.from([]), stdout: collect('stdout'), stderr: collect('stderr') },
    env: { ...io.env, NO_COLOR: '1' },
    isOfPage: true,
    ...{ isInteractive: false, isTerminal: false, isDataTerminal: false, columns: () => 100, rows: () => 30 },
    onInterrupt: (callback) => {
      interrupts.add(callback);
      if (told.isTaken) setImmediate(leave);
      return () => interrupts.delete(callback);
    },
    onTerminate: () => () => undefined,
    onReaderGone: () => undefined,
    quit: (exitCode) => {
      throw new OrderRefused(`ended with exit code ${exitCode}`);
    },
  };
  const exitCode = await run(args, quiet);
  return { exitCode, ...told };
}

function lastLine(text: string): string {
  return safeText(text.trim().split('\n').at(-1) ?? '', 1_000);
}

function firstNote(stderr: string): string {
  return safeText(stderr.split('\n').find((line) => !line.startsWith('warning: ')) ?? '', 1_000);
}

/** What was wrong, without what is said beside it: a hint of how to type it helps nobody on a page. */
function errorsOf(stderr: string): string {
  const errors = stderr.split('\n').filter((line) => line.startsWith(ERROR));
  return safeText(errors.map((line) => line.slice(ERROR.length)).join('; '), 1_000);
}
