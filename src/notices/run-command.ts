import { spawn } from 'node:child_process';
import { homedir } from 'node:os';

const TIMEOUT_MS = 60_000;

/** Runs a command line of the user with a text on its standard input; gives why it failed. Never throws. */
export function runCommand(line: string, input: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(line, {
      shell: true,
      cwd: homedir(),
      env: withoutOurs(process.env),
      stdio: ['pipe', 'ignore', 'ignore'],
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
    });
    child.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.name));
    child.on('close', (code, signal) => resolve(code === 0 ? undefined : `ended with ${signal ?? code}`));
    // A command need not read what it is given.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

/** The key of the service is nobody else's business. */
function withoutOurs(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !/^CALLSHEET_/.test(name)));
}
