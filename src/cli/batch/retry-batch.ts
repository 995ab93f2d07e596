import type { BatchResult, RetryOrder } from '../../contract/workflows.js';
import { NO_CHAINS } from '../../manifest/references/chains.js';
import { clearCancelled, clearStopped } from '../../store/batch-marks.js';
import type { GenerationFacts } from '../../store/rows-writer.js';
import { sampleInForce } from '../../store/sample-gate.js';
import { readOwnCredits } from '../access/account-reads.js';
import { type HomeAccess, openHomeAccess } from '../access/home-access.js';
import { approvePlan, spentBefore } from '../plan/approve-plan.js';
import { makePlan } from '../plan/make-plan.js';
import { planLines } from '../plan/plan-view.js';
import { type CountedRows, createRowCounter } from '../plan/row-counter.js';
import type { Session } from '../session.js';
import { closeBatch } from './close-batch.js';
import { newJsonEvents } from './json-events.js';
import { knownBatch } from './known-batch.js';
import { refuseOtherHome } from './same-home.js';
import { submitAndFollow } from './submit-and-follow.js';

/** Runs failed and cancelled rows of a batch again, from the rows that the home keeps. */
export async function retryBatch(
  session: Session,
  batch: string,
  order: { retry: RetryOrder; retries: number; isSaidYes: boolean; trustsHome: boolean },
): Promise<number> {
  const { terminal } = session;
  await session.apiKey();
  const access = openHomeAccess(session.config);
  const { generation, out } = await knownBatch(session, access, batch);
  await refuseOtherHome(session, access, batch, order.trustsHome);
  const { retry } = order;
  const sample = await sampleInForce(access.home, batch, generation.generation);
  const counter = await createRowCounter(session, {
    access,
    batch,
    retry,
    takenNames: undefined,
    outputs: undefined,
  });
  for (const part of generation.parts.keys()) {
    for (const { row } of await access.rows.readPart(batch, generation.generation, part)) {
      if (sample?.has(row.id) !== false) await counter.add(row);
    }
  }
  const rows = await counter.finish();
  if (rows.finishedBefore.every((finished) => finished)) {
    const which = retry.classes.length === 0 ? '' : ` of class ${retry.classes.join(', ')}`;
    terminal.note(`'${batch}' has no failed or cancelled row${which}: nothing is run again`);
    return tellEnd(session, { access, batch, generation, out, rows });
  }
  const credits = await readOwnCredits(session);
  const plan = await makePlan(
    session,
    access,
    { batch, manifest: 'retry', rows, costNotes: [], chains: NO_CHAINS },
    credits,
  );
  for (const line of planLines(plan)) terminal.note(line);
  await approvePlan(session, plan, order.isSaidYes, await spentBefore(session, access, batch));
  await clearCancelled(access.home, batch);
  await clearStopped(access.home, batch);
  return submitAndFollow(session, { access, batch, generation, rows, ...order });
}

/** Nothing was run: how the batch stands is told as at its end, with the rows that need a person. */
async function tellEnd(
  session: Session,
  {
    access,
    batch,
    generation,
    out,
    rows,
  }: { access: HomeAccess; batch: string; generation: GenerationFacts; out: string; rows: CountedRows },
): Promise<number> {
  const { ended, endedNano: creditsNano, endedUnknown: creditsUnknown } = rows.tally;
  const events = newJsonEvents(session, access, batch);
  const facts = { generation: generation.generation, out, events, finishedBefore: rows.finishedBefore, lost: [] };
  events?.started({ generation: generation.generation, rows: generation.rows, toRun: 0, out: `${out}/${batch}` });
  const result: BatchResult = { counts: ended, creditsNano, creditsUnknown };
  return closeBatch(session, { access, batch, result, ...facts, tookMs: undefined });
}
