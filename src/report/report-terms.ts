import type { BatchLimits } from '../domain/batch.js';
import { formatCredits } from '../domain/money.js';
import { orderWords } from '../domain/order-words.js';
import { gateToApprove, quoteInForce, readSampleGate, type SampleGate } from '../home/batch-marks.js';
import { readBatchOptions, readBatchOrder } from '../home/batch-order.js';
import type { Home } from '../home/home.js';
import { fellSinceBegin, readBooks } from '../home/learned.js';
import { productVersion } from '../package-root.js';
import { instant, rowsText } from './html.js';
import { quoteLines } from './quote-lines.js';

/** What a report says beside the rows: versions, settings, and how the balance moved. */
export interface ReportTerms {
  batch: string;
  version: string;
  writtenAtMs: number;
  createdAtMs: number;
  /** What the plan allows, as it was last read. */
  slots: number | undefined;
  rpm: number | undefined;
  /** Sentences about money. */
  spending: string[];
  settings: [string, string][];
  /** A sample was run, and `approve` alone lets the rest go on. */
  awaitsApproval: boolean;
  /** What its sample said of the rest that waits; empty where nothing waits. */
  quote: [name: string, text: string][];
}

export async function readReportTerms(
  home: Home,
  { batch, generation }: { batch: string; generation: string },
  writtenAtMs: number,
): Promise<ReportTerms> {
  const [bound, options, order, reading, books, baseUrl] = await Promise.all([
    ...([home.readBatch(batch), readBatchOptions(home, batch), readBatchOrder(home, batch)] as const),
    ...([home.latestCheckpoint(), readBooks(home, batch), home.baseUrl()] as const),
  ]);
  const gate = await readSampleGate(home, batch);
  const awaitsApproval = (await gateToApprove(home, batch, generation)) !== undefined;
  const quote = await quoteInForce(home, batch, generation);
  const spending =
    books === undefined
      ? []
      : [
          `The balance fell by ${formatCredits(fellSinceBegin(books))} credits while the batch ran, as far as it showed.`,
        ];
  const settings: [string, string | undefined][] = [
    ['callsheet', `${productVersion()}, Node ${process.versions.node}`],
    ['account', home.account],
    ['service', baseUrl],
    ['plan', reading?.plan ?? undefined],
    ['manifest', options.manifest ?? 'standard input, or not known'],
    ['writes to', `${options.out}/${batch}`],
    ['a name that is taken', options.onExists],
    ['answers of synchronous requests', options.responseFormat],
    ['lost answers', order?.policy.ambiguity],
    ['new tries of failed renders', order === undefined ? undefined : String(order.policy.retries)],
    ['budget', order && budgetText(order.limits)],
    ['sample', sampleText(batch, generation, gate)],
  ];
  return {
    ...{ batch, version: productVersion(), writtenAtMs, createdAtMs: bound?.createdAtMs ?? 0, spending },
    ...{ slots: reading?.concurrent ?? undefined, rpm: reading?.rpm ?? undefined },
    ...{ awaitsApproval, quote: quote === undefined ? [] : quoteLines(quote) },
    settings: settings.filter((pair): pair is [string, string] => pair[1] !== undefined),
  };
}

function sampleText(batch: string, generation: string, gate: SampleGate | undefined): string | undefined {
  if (gate === undefined) return undefined;
  const { ids, approved } = gate;
  // What was approved of an earlier manifest says nothing of this one, which asks again.
  const rest =
    approved?.generation === generation
      ? `approved ${instant(approved.atMs)}`
      : `the rest waits for callsheet ${orderWords('approve', batch)}`;
  return `${rowsText(ids.length)}; ${rest}`;
}

function budgetText({ maxCreditsNano }: BatchLimits): string {
  return maxCreditsNano === null ? 'none' : `${formatCredits(maxCreditsNano)} credits`;
}
