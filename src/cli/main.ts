/** The program: hands the process to the command line and takes its exit code. */
import { processIo } from './io.js';
import { runCli } from './run-cli.js';

process.exitCode = await runCli(process.argv.slice(2), processIo());
// Everything of ours is closed; connections of libraries may still have timers.
setTimeout(() => process.exit(), 300).unref();
