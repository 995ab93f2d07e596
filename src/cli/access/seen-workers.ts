import { hasFfmpeg } from '../../../activities/files/film-frame.js';
import { FRAMES_MARK, TASK_QUEUE_TYPE, taskQueues } from '../../contract/names.js';
import { TemporalSettingsError } from '../../temporal/profile.js';
import { bounded, TemporalUnreachableError } from '../../temporal.js';
import { commandHint } from '../open-session.js';
import type { Session } from '../session.js';
import { joinWork, startWork, type WorkAccess } from './work-access.js';
import { sharedAddress } from './work-place.js';

/** What the workers of a shared Temporal show of themselves where they ask for work. */

/** A worker asks for work at least once a minute; the server remembers it for five, also when it is gone. */
const SEEN_WITHIN_MS = 90_000;

/** Below the time that an engine stays of which nothing is open, and serves an account of which nothing is. */
const STAYS_MS = 60_000;

/** Connected anew where what was made ready since then took long: the engine may have ended, or let the account go. */
export async function stillThere(session: Session, work: WorkAccess, sinceMs: number): Promise<WorkAccess> {
  if (performance.now() - sinceMs < STAYS_MS) return work;
  const again = await startWork(session);
  await work.close().catch(() => undefined);
  return again;
}

/** Who works on a queue, by identity; undefined where the server does not tell. */
async function seenAt({ temporal }: WorkAccess, queue: string, taskQueueType: number): Promise<string[] | undefined> {
  const { connection, namespace } = temporal;
  try {
    const { pollers } = await bounded(connection, () =>
      connection.workflowService.describeTaskQueue({ namespace, taskQueue: { name: queue }, taskQueueType }),
    );
    return pollers.flatMap(({ identity, lastAccessTime }) => {
      const seenMs = Number(lastAccessTime?.seconds ?? 0) * 1000;
      return Date.now() - seenMs < SEEN_WITHIN_MS ? [identity ?? ''] : [];
    });
  } catch {
    return undefined;
  }
}

/**
 * On a shared Temporal: says in one sentence that nobody works for the account. Undefined where somebody does, where the
 * engine does, and where the server does not tell.
 */
export async function unservedText(session: Session, work: WorkAccess): Promise<string | undefined> {
  if (!work.isShared) return undefined;
  const account = session.config.account.name;
  const seen = await seenAt(work, taskQueues(account).home, TASK_QUEUE_TYPE.workflow);
  if (seen?.length !== 0) return undefined;
  return `no worker serves account '${account}' on ${work.temporal.address}: \`${commandHint(session, 'worker')}\` on a machine that reaches the home starts one`;
}

/**
 * Whether frames of films can be taken where rows run: on this machine, where its engine runs them, else by a worker that
 * says so. `unknown` where none is seen, or Temporal does not tell.
 */
export async function framesTaken(session: Session): Promise<boolean | 'unknown'> {
  if (sharedAddress(session) === undefined) return hasFfmpeg();
  const work = await joinWork(session).catch((error: unknown) => {
    if (error instanceof TemporalUnreachableError || error instanceof TemporalSettingsError) return undefined;
    throw error;
  });
  if (work === undefined) return 'unknown';
  const seen = await seenAt(work, taskQueues(session.config.account.name).io, TASK_QUEUE_TYPE.activity);
  await work.close();
  if (seen === undefined || seen.length === 0) return 'unknown';
  return seen.some((identity) => identity.endsWith(FRAMES_MARK));
}
