import { resumeBatch, setBudget } from '../../contract/messages.js';
import { batchId } from '../../contract/names.js';
import { clearStopped, stoppedReason } from '../../store/batch-marks.js';
import { type HomeAccess, openHomeAccess } from '../access/home-access.js';
import { resumeWork } from '../access/work-access.js';
import type { Session } from '../session.js';
import { createBatchSource } from './batch-source.js';
import { finalRows } from './final-rows.js';
import { knownBatch } from './known-batch.js';
import { signalRunning } from './signal-batch.js';
import { limitsOf, submitBatch } from './submit-batch.js';

/**
 * Lets a batch go on: one that is paused, one that stopped for its budget or its failures, with new limits, and one that
 * still waits for a paid output.
 */
export async function resumeStopped(session: Session, batch: string): Promise<void> {
  const access = openHomeAccess(session.config);
  const { generation } = await knownBatch(session, access, batch);
  const stopped = await stoppedReason(access.home, batch);
  const work = await resumeWork(session);
  try {
    const source = createBatchSource({ access, batch, work, connect: () => resumeWork(session) });
    const isRunning = (await source.state()).state === 'running';
    await clearStopped(access.home, batch);
    if (!isRunning && (stopped !== undefined || (await waitsForOutput(access, batch, generation.generation)))) {
      const { rows } = generation;
      await submitBatch(session, work, { batch, generation: generation.generation, rows, retry: null, retries: 0 });
      return;
    }
    if (isRunning) {
      const handle = work.temporal.client.workflow.getHandle(batchId(session.config.account.name, batch));
      await handle.signal(setBudget, limitsOf(session));
    }
    await signalRunning(session, work, batch, resumeBatch);
  } finally {
    await work.close();
  }
}

/** True when a paid output is still to be fetched: a server that was wiped knows nothing of it. */
async function waitsForOutput(access: HomeAccess, batch: string, generation: string): Promise<boolean> {
  for await (const { record } of finalRows(access, batch, generation)) {
    if (record?.reasonCode === 'output_pending') return true;
  }
  return false;
}
