import type { RetryOrder } from '../../contract/workflows.js';
import type { GenerationFacts } from '../../store/rows-writer.js';
import type { HomeAccess } from '../access/home-access.js';
import type { CountedRows } from '../plan/row-counter.js';
import type { Session } from '../session.js';
import { closeBatch } from './close-batch.js';
import { sayEarlyInterrupt } from './early-interrupt.js';
import { newJsonEvents } from './json-events.js';

export interface BatchToRun {
  access: HomeAccess;
  batch: string;
  generation: GenerationFacts;
  rows: CountedRows;
  retry: RetryOrder | null;
  retries: number;
  /** What identical rows save, in words. */
  saving?: string | undefined;
}

/** Hands a batch to its workflow and follows it to its end; gives the exit code. */
export async function submitAndFollow(session: Session, toRun: BatchToRun): Promise<number> {
  const { startWork } = await import('../access/work-access.js');
  const { unservedText } = await import('../access/served.js');
  const { lastEventSeq, submitBatch } = await import('./submit-batch.js');
  const { leaveBatch, watchBatch } = await import('./watch-batch.js');
  const { access, batch, retry, retries } = toRun;
  const { generation, rows } = toRun.generation;
  const out = (await access.home.readBatch(batch))?.out ?? session.config.out;
  const startedAtMs = Date.now();
  const finishedBefore = toRun.rows.finishedBefore.filter((finished) => finished).length;
  const events = newJsonEvents(session, access, batch);
  const early = sayEarlyInterrupt(session, batch);
  const work = await startWork(session);
  const unserved = await unservedText(session, work);
  if (unserved !== undefined) session.terminal.warn(`${unserved}; the batch waits for it`);
  const afterSeq = await lastEventSeq(session, work, batch);
  early.handingOver();
  await submitBatch(session, work, { batch, generation, rows, retry, retries });
  events?.started({ generation, rows, toRun: rows - finishedBefore, out: `${out}/${batch}` });
  early.over();
  const end = await watchBatch(session, { access, work, batch, afterSeq, finishedBefore, events });
  if (end.end !== 'ended') return leaveBatch(session, batch, end, events);
  return closeBatch(session, {
    access,
    batch,
    generation,
    out,
    result: end.result,
    events,
    finishedBefore: toRun.rows.finishedBefore,
    saving: toRun.saving,
    tookMs: Date.now() - startedAtMs,
  });
}
