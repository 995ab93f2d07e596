import { condition, sleep } from '@temporalio/workflow';

/** What a workflow does now and then beside its main loop, for as long as its run lasts. */
export interface Routine<Name extends string> {
  /** Does the task again and again while there is something to do; a quiet workflow costs no event. */
  repeat(what: Name, everyMs: number, when: () => boolean, task: () => Promise<void>): void;
  /**
   * Begins nothing from here on; resolves when what is under way has ended. To be called before the first wait of a
   * hand-over: what is due in that very moment would ask for more after the command that ends the run, and the server
   * refuses such a task, each time it is repeated.
   */
  end(): Promise<void>;
}

/** `dueMs` goes from run to run: on a busy account each is shorter than such a wait, and the next waits for what is left. */
export function openRoutine<Name extends string>(dueMs: Partial<Record<Name, number>>): Routine<Name> {
  let isOver = false;
  let underWay = 0;

  async function repeat(what: Name, everyMs: number, when: () => boolean, task: () => Promise<void>): Promise<void> {
    for (;;) {
      await condition(when);
      if (isOver) return;
      const atMs = dueMs[what] ?? Date.now() + everyMs;
      dueMs[what] = atMs;
      await sleep(Math.max(1, atMs - Date.now()));
      // Still due, for the next run.
      if (isOver) return;
      delete dueMs[what];
      if (!when()) continue;
      underWay += 1;
      await task().finally(() => {
        underWay -= 1;
      });
    }
  }

  return {
    repeat: (what, everyMs, when, task) => void repeat(what, everyMs, when, task),
    end() {
      isOver = true;
      return condition(() => underWay === 0);
    },
  };
}
