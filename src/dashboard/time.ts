import type { BalanceCheckpoint } from '../home/home.js';
import { takesSlot } from '../kinds/facts.js';
import { TimeBins } from '../report/tallies.js';

import type { BatchRows } from './batch-rows.js';
import { type Gaps, gapsOf } from './gaps.js';
import { type BatchHistory, slotHistory } from './slot-history.js';

interface Bins {
  widthMs: number;
  values: number[];
}

/** What a batch did when, for the Time view. Times are epoch ms. */
export interface BatchTime {
  fromMs: number;
  toMs: number;
  /** Rows that held a slot, earliest first, the first ones of a large batch. */
  held: { id: string; status: string; startMs: number; endMs: number }[];
  heldCount: number;
  /** Slots held on average, and requests per minute, of each bin. */
  slots: Bins;
  submits: Bins;
  /** The slots that it did not use, by cause; null where the plan's number of them is not known. */
  gaps: Gaps | null;
  /** Of the plan, as it was read last; null where the service did not say. */
  concurrent: number | null;
  rpm: number | null;
  /** Credits as a number: a picture needs no more. */
  balance: [number, number][];
  /** What rows cost, at the end of their renders; those of a large batch are added up. */
  charges: [number, number][];
}

const HELD_MAX = 400;
const READINGS_MAX = 500;
const CHARGES_MAX = 400;

/** What is asked besides the rows; times are epoch ms. */
export interface TimeFacts {
  beganAtMs: number;
  readings: BalanceCheckpoint[];
  history: BatchHistory;
  /** False where nothing is done for it now, so that its time ended with its last row. */
  isRunning: boolean;
}

export function timeOf(batch: BatchRows, { beganAtMs, readings, history, isRunning }: TimeFacts): BatchTime {
  const { rows, readAtMs } = batch;
  const sent = rows
    .filter((row) => row.submittedAtMs !== null && !row.isShared && takesSlot(row.kind))
    .map(({ id, status, submittedAtMs, renderedAtMs, finishedAtMs }) => {
      const startMs = submittedAtMs ?? 0;
      return { id, status, startMs, endMs: renderedAtMs ?? finishedAtMs ?? readAtMs };
    })
    .sort((a, b) => a.startMs - b.startMs);
  const fromMs = sent[0]?.startMs ?? beganAtMs;
  const toMs = sent.reduce((latest, { endMs }) => Math.max(latest, endMs), fromMs + 1_000);
  const slots = new TimeBins(fromMs);
  const submits = new TimeBins(fromMs);
  for (const { startMs, endMs } of sent) {
    slots.addSpan(startMs, endMs);
    submits.add(startMs, 1);
  }
  // A batch that goes on has gaps until now.
  const untilMs = isRunning ? Math.max(toMs, readAtMs) : toMs;
  slots.addSpan(untilMs - 1, untilMs - 1);
  const gaps = gapsOf(slotHistory(batch, history, readings, beganAtMs), {
    ...{ fromMs, toMs: untilMs, widthMs: slots.widthMs, count: slots.sums().length },
  });
  const last = readings.at(-1);
  const during = readings.filter(({ atMs }) => atMs <= toMs + 600_000);
  const step = Math.ceil(during.length / READINGS_MAX) || 1;
  return {
    ...{ fromMs, toMs, held: sent.slice(0, HELD_MAX), heldCount: sent.length },
    slots: { widthMs: slots.widthMs, values: slots.sums().map((heldMs) => heldMs / slots.widthMs) },
    submits: { widthMs: submits.widthMs, values: submits.sums().map((sum) => (sum * 60_000) / submits.widthMs) },
    ...{ gaps, concurrent: last?.concurrent ?? null, rpm: last?.rpm ?? null },
    charges: chargesOf(rows),
    balance: during.filter((_, i) => i % step === 0).map(({ atMs, balanceNano }) => [atMs, balanceNano / 1e9]),
  };
}

function chargesOf(rows: BatchRows['rows']): [number, number][] {
  const charges = rows
    .flatMap(({ credits, renderedAtMs, finishedAtMs }): [number, number][] => {
      const atMs = renderedAtMs ?? finishedAtMs;
      return atMs === null || credits === null || Number(credits) === 0 ? [] : [[atMs, Number(credits)]];
    })
    .sort(([a], [b]) => a - b);
  const step = Math.ceil(charges.length / CHARGES_MAX) || 1;
  return charges.flatMap(([atMs], i): [number, number][] => {
    if (i % step !== 0) return [];
    return [[atMs, charges.slice(i, i + step).reduce((sum, [, credits]) => sum + credits, 0)]];
  });
}
