/** The program: hands the process to the command line and takes its exit code. */
import { setImmediate as oneTurn } from 'node:timers/promises';
import { isPrintingAlone } from './commands.js';
import { processIo } from './io.js';
import { runCli } from './run-cli.js';
import { createTerminal } from './terminal.js';
import { EXIT } from './user-error.js';

const args = process.argv.slice(2);
const isPrinting = isPrintingAlone(args);
let isCutOff = false;

const io = processIo((error) => {
  if (isCutOff) return;
  isCutOff = true;
  const { error: fail, warn } = createTerminal(io);
  (isPrinting ? fail : warn)(`standard output cannot be written (${error.code}): what it should hold is not complete`);
});

// Not awaited here: in the bundle, what a command loads may import from this very file.
void runCli(args, io).then(async (code) => {
  // A write that failed is told in the turn after it.
  await oneTurn();
  process.exitCode = isCutOff && isPrinting && code === EXIT.done ? EXIT.configuration : code;
  // Everything of ours is closed; connections of libraries may still have timers.
  setTimeout(() => process.exit(), 300).unref();
});
