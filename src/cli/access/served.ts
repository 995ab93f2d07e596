import { taskQueues } from '../../contract/names.js';
import { commandHint } from '../hints.js';
import type { Session } from '../session.js';
import type { WorkAccess } from './work-access.js';

/** A worker asks for work at least once a minute; the server remembers it for five, also when it is gone. */
const SEEN_WITHIN_MS = 90_000;
const DEADLINE_MS = 4_000;
/** `TASK_QUEUE_TYPE_WORKFLOW` of the API. */
const WORKFLOW_TASKS = 1;

/**
 * On a shared Temporal: says in one sentence that nobody works for the account. Undefined where somebody does, where the
 * engine does, and where the server does not tell.
 */
export async function unservedText(session: Session, work: WorkAccess): Promise<string | undefined> {
  if (!work.isShared) return undefined;
  const account = session.config.account.name;
  const { connection, namespace, address } = work.temporal;
  try {
    const { pollers } = await connection.withDeadline(Date.now() + DEADLINE_MS, () =>
      connection.workflowService.describeTaskQueue({
        namespace,
        taskQueue: { name: taskQueues(account).home },
        taskQueueType: WORKFLOW_TASKS,
      }),
    );
    const isServed = pollers.some(({ lastAccessTime }) => {
      const seenMs = Number(lastAccessTime?.seconds ?? 0) * 1000;
      return Date.now() - seenMs < SEEN_WITHIN_MS;
    });
    if (isServed) return undefined;
    return `no worker serves account '${account}' on ${address}: \`${commandHint(session, 'worker')}\` on a machine that reaches the home starts one`;
  } catch {
    return undefined;
  }
}
