import { EPOCH_MS, sim } from '../engine/current.js';

/** What activities use of `@temporalio/activity`. */
export { ApplicationFailure } from '@temporalio/common';

export const Context = {
  current() {
    const { actor } = sim();
    if (actor?.what !== 'activity') throw new Error('no activity is running');
    return {
      heartbeat: (details?: unknown) => actor.heartbeat(details),
      cancellationSignal: { aborted: actor.isGivenUp() },
      info: {
        attempt: actor.attempt,
        heartbeatDetails: actor.heartbeatDetails,
        scheduledTimestampMs: EPOCH_MS + actor.scheduledMs,
      },
    };
  },
};
