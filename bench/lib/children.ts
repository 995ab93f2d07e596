import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Starts a script of `bench/children` and waits for its one message; the caller ends it where it goes on. */
export async function startChild<Message>(
  name: string,
  ...args: string[]
): Promise<{ child: ChildProcess; message: Message }> {
  const script = fileURLToPath(new URL(`../children/${name}.ts`, import.meta.url));
  // As the engine starts its worker.
  const env = { ...process.env, UV_THREADPOOL_SIZE: '24' };
  const child = fork(script, args, { env, execArgv: ['--import', 'tsx'] });
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`${name} ended with ${code} before it said anything`);
  });
  const [message] = await Promise.race([once(child, 'message'), failed]);
  failed.catch(() => undefined);
  return { child, message: message as Message };
}
