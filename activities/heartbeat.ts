import { Context } from '@temporalio/activity';

const HEARTBEAT_MS = 5_000;

/** Says every 5 s that an activity is at work, with what it knows of itself, for as long as `run` takes. */
export async function withHeartbeat<T>(run: () => Promise<T>, details?: unknown): Promise<T> {
  const beat = setInterval(() => Context.current().heartbeat(details), HEARTBEAT_MS);
  try {
    return await run();
  } finally {
    clearInterval(beat);
  }
}
