import { ActivityFailure, CancellationScope, condition, isCancellation, setHandler } from '@temporalio/workflow';
import * as messages from '../src/contract/messages.js';

/** What callbacks tell a job: there is news of an attempt, so ask now. A hint and nothing more. */
export interface News {
  /** Waits so long, ms; true when news of the attempt ended the wait. */
  within(n: number, ms: number): Promise<boolean>;
  /** Carries on an activity that news of the attempt breaks off; undefined when it did. */
  interrupting<T>(n: number, task: () => Promise<T>): Promise<T | undefined>;
}

/** A provider has a handful of things to say of a job; what goes on beyond that is not listened to. */
const NEWS_MAX = 20;

/** Opens the job's ear for callbacks; a job that hears none has no event of it. */
export function openNews(): News {
  let newsOf: number | undefined;
  let heard = 0;
  let interrupt: () => void = () => undefined;

  setHandler(messages.callbackCame, ({ n }) => {
    if (heard >= NEWS_MAX) return;
    heard += 1;
    newsOf = n;
    interrupt();
  });

  return {
    async within(n, ms) {
      const came = await condition(() => newsOf === n, Math.max(1, ms));
      if (came) newsOf = undefined;
      return came;
    },
    async interrupting(n, task) {
      // What came before is answered by the task itself.
      newsOf = undefined;
      const scope = new CancellationScope();
      interrupt = () => {
        if (newsOf === n) scope.cancel();
      };
      try {
        return await scope.run(task);
      } catch (error) {
        // A try that was under way ends as it would have; only its repetition is broken off.
        const isOurs = newsOf === n && (isCancellation(error) || error instanceof ActivityFailure);
        if (!isOurs) throw error;
        return undefined;
      } finally {
        interrupt = () => undefined;
      }
    },
  };
}
