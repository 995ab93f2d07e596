import { writeBatchReport } from '../../../activities/files/result-files.js';
import type { RetryOrder } from '../../contract/workflows.js';
import { gateToApprove, isCancelledBatch, sampleInForce, writeSampleGate } from '../../home/batch-marks.js';
import { readMeasuredPrices } from '../../home/learned.js';
import type { SampleQuote } from '../../home/sample-quote.js';
import { createPosters } from '../../report/posters.js';
import { quoteJson, quoteLines } from '../../report/quote-lines.js';
import { type BatchPlace, resultSources } from '../access/home-access.js';
import { readOwnCredits } from '../access/read-account.js';
import { commandHint, hintsOf, orderWords } from '../open-session.js';
import { countKeptRows } from '../plan/count-kept-rows.js';
import { makePlan, planJson } from '../plan/make-plan.js';
import { type Plan, planLines } from '../plan/plan-view.js';
import type { CountedRows } from '../plan/row-counter.js';
import type { Session } from '../session.js';
import { EXIT } from '../user-error.js';
import { unlessOutage } from './batch-source.js';
import type { KnownBatch } from './known-batch.js';

/** What a sample says of the rows that it holds back. */

type Kept = BatchPlace & Pick<KnownBatch, 'generation'>;

interface RestOfSample {
  plan: Plan;
  rows: CountedRows;
  quote: SampleQuote;
}

/** What the rows beyond the sample would cost and take, by what is known now, with those that `retry` runs again. */
export async function planRest(
  at: Kept,
  sampleIds: readonly string[],
  retry: RetryOrder | null = null,
): Promise<RestOfSample> {
  const { rows, chains } = await countKeptRows(at, { retry, countsUnfed: true });
  const subject = { manifest: 'the rest', rows, costNotes: [], chains };
  const plan = await makePlan(at, subject, await readOwnCredits(at.session));
  return { plan, rows, quote: await quoteOf(at, plan, sampleIds) };
}

async function quoteOf({ access, batch, generation }: Kept, plan: Plan, ids: readonly string[]): Promise<SampleQuote> {
  const { total, byKind } = plan.costs;
  const records = await access.records.readRecords(batch, ids);
  const statuses = records.flatMap((record) => (record === undefined ? [] : [record.status]));
  const failed = statuses.filter((one) => one === 'failed' || one === 'lost_paid' || one === 'review').length;
  const measured = (await readMeasuredPrices(access.home)).filter(({ kind }) => (byKind.get(kind)?.toSubmit ?? 0) > 0);
  const time = plan.time?.unseen.length === 0 ? plan.time : undefined;
  return {
    generation: generation.generation,
    atMs: Date.now(),
    sample: { ended: failed + statuses.filter((one) => one === 'done').length, failed },
    measured,
    rows: total.toSubmit,
    lowNano: total.unknown > 0 && total.unknown === total.toSubmit ? null : total.lowNano,
    highNano: total.unknown > 0 ? null : total.worstNano,
    lowMs: time?.lowMs ?? null,
    highMs: time?.highMs ?? null,
  };
}

export function tellRest(session: Session, { plan, quote }: RestOfSample): void {
  const { terminal } = session;
  for (const line of planLines(plan, hintsOf(session))) terminal.note(line);
  for (const [name, text] of quoteLines(quote)) terminal.note(`${name.padEnd(9)} ${text}`);
}

/** After a sample has ended: its quote, which is kept and stands in the report. Gives the exit code as it was. */
export async function tellQuote(at: Kept, exitCode: number): Promise<number> {
  const { session, access, batch, generation } = at;
  const { terminal } = session;
  const ids = await sampleInForce(access.home, batch, generation.generation);
  const isAsked = ids !== undefined && !(await isCancelledBatch(access.home, batch));
  if (exitCode !== EXIT.needsPerson || !isAsked) return exitCode;
  const rest = await planRest(at, [...ids]);
  await keepQuote(at, rest.quote);
  tellRest(session, rest);
  if (session.isJson) terminal.json({ type: 'quote', ...planJson(rest.plan), ...quoteJson(rest.quote) });
  terminal.note(`\`${commandHint(session, orderWords('approve', batch))}\` runs the rest`);
  return exitCode;
}

async function keepQuote({ session, access, batch, generation }: Kept, quote: SampleQuote): Promise<void> {
  const gate = await gateToApprove(access.home, batch, generation.generation);
  // Somebody approved meanwhile.
  if (gate === undefined) return;
  await writeSampleGate(access.home, batch, { ...gate, quote });
  const sources = { ...resultSources(access), posters: createPosters() };
  const writing = writeBatchReport(sources, batch, generation.generation, { isPublic: false });
  if ((await unlessOutage(writing)) !== undefined) return;
  session.terminal.warn(
    `report.html has no quote yet: \`${commandHint(session, orderWords('report', batch))}\` writes it`,
  );
}
