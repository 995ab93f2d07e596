import type { Log } from '../domain/log.js';

/** Does a task again and again, one at a time, until the returned function is called; that one waits for its end. */
export function repeat(everyMs: number, task: () => Promise<void>, log: Log, failure: string): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined = setTimeout(next, everyMs);
  let running: Promise<void> = Promise.resolve();
  let isEnded = false;
  function next(): void {
    running = task()
      .catch((error) => log.warn({ error: String(error) }, failure))
      .finally(() => {
        if (!isEnded) timer = setTimeout(next, everyMs);
      });
  }
  return () => {
    isEnded = true;
    clearTimeout(timer);
    return running;
  };
}
