/** The program: hands the process to the command line and takes its exit code. */
import { processIo } from './io.js';
import { runCli } from './run-cli.js';

// Not awaited here: in the bundle, what a command loads may import from this very file.
void runCli(process.argv.slice(2), processIo()).then((code) => {
  process.exitCode = code;
  // Everything of ours is closed; connections of libraries may still have timers.
  setTimeout(() => process.exit(), 300).unref();
});
