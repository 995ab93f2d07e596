/** The program: hands the process to the command line and takes its exit code. */
import { processIo } from './io.js';
import { runCli } from './run-cli.js';

// A reader that has seen enough (`callsheet results x | head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

process.exitCode = await runCli(process.argv.slice(2), processIo());
// Everything of ours is closed; connections of libraries may still have timers.
setTimeout(() => process.exit(), 300).unref();
