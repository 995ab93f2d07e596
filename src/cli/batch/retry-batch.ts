import type { BatchResult, RetryOrder } from '../../contract/workflows.js';
import { fedMedia } from '../../domain/row.js';
import { clearCancelled, clearStopped, sampleInForce } from '../../home/batch-marks.js';
import { clearFollowers } from '../../home/row-orders.js';
import type { GenerationFacts } from '../../home/rows-writer.js';
import { readOwnCredits } from '../access/account-reads.js';
import { type HomeAccess, openHomeAccess } from '../access/home-access.js';
import { approvePlan, spentBefore } from '../plan/approve-plan.js';
import { createChainsLeft } from '../plan/chains-left.js';
import { makePlan } from '../plan/make-plan.js';
import { planLines } from '../plan/plan-view.js';
import { type CountedRows, createRowCounter } from '../plan/row-counter.js';
import type { Session } from '../session.js';
import { acceptFiles, type Retouched, retouchedFor } from './accept-inputs.js';
import { closeBatch } from './close-batch.js';
import { newJsonEvents } from './json-events.js';
import { knownBatch } from './known-batch.js';
import { refuseOtherHome } from './same-home.js';
import { submitAndFollow } from './submit-and-follow.js';

/** Runs failed and cancelled rows of a batch again, from the rows that the home keeps. */
export async function retryBatch(
  session: Session,
  batch: string,
  order: {
    retry: RetryOrder;
    retries: number;
    isSaidYes: boolean;
    trustsHome: boolean;
    /** Files that feed rows and were changed since are taken as they lie. */
    acceptsInputs: boolean;
  },
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
  const chains = createChainsLeft();
  const retouched = new Map<string, Retouched>();
  for (const part of generation.parts.keys()) {
    for (const { row } of await access.rows.readPart(batch, generation.generation, part)) {
      if (sample?.has(row.id) === false) continue;
      await counter.add(row);
      chains.add(row);
      if (!order.acceptsInputs || fedMedia(row).length === 0) continue;
      const found = await retouchedFor(access, { batch, generation: generation.generation, out }, row);
      for (const one of found) retouched.set(one.record.id, one);
    }
  }
  const rows = await counter.finish();
  if (rows.finishedBefore.every((finished) => finished)) {
    const which = retry.classes.length === 0 ? '' : ` of class ${retry.classes.join(', ')}`;
    terminal.note(`'${batch}' has no failed or cancelled row${which}: nothing is run again`);
    const held = sample === undefined ? 0 : generation.rows - rows.finishedBefore.filter((isRow) => isRow).length;
    return tellEnd(session, { access, batch, generation, out, rows, held });
  }
  const credits = await readOwnCredits(session);
  const plan = await makePlan(
    session,
    access,
    { batch, manifest: 'retry', rows, costNotes: [], chains: chains.totals(rows.finishedBefore) },
    credits,
  );
  for (const line of planLines(plan)) terminal.note(line);
  await approvePlan(session, plan, order.isSaidYes, await spentBefore(session, access, batch));
  await acceptFiles(access, batch, retouched.values(), (line) => terminal.note(line));
  await clearCancelled(access.home, batch);
  await clearStopped(access.home, batch);
  await clearFollowers(access.home, batch);
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
    held,
  }: {
    access: HomeAccess;
    batch: string;
    generation: GenerationFacts;
    out: string;
    rows: CountedRows;
    /** Rows that a sample holds back. */
    held: number;
  },
): Promise<number> {
  const { ended, endedNano: creditsNano, endedUnknown: creditsUnknown } = rows.tally;
  const events = newJsonEvents(session, access, batch);
  const facts = { generation: generation.generation, out, events, finishedBefore: rows.finishedBefore, lost: [] };
  events?.started({ generation: generation.generation, rows: generation.rows, toRun: 0, out: `${out}/${batch}` });
  const counts = { ...ended, not_started: ended.not_started + held };
  const result: BatchResult = { counts, creditsNano, creditsUnknown };
  return closeBatch(session, { access, batch, result, ...facts, tookMs: undefined });
}
