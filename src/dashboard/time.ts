import type { BalanceCheckpoint } from '../home/home.js';
import { takesSlot } from '../kinds/facts.js';
import { TimeBins } from '../report/tallies.js';

import type { BatchTime, GapCause, Gaps } from './answers.js';
import type { BatchRows } from './batch-rows.js';
import { type BatchHistory, type SlotHistory, slotHistory } from './slot-history.js';

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
    .filter((row) => row.submittedAtMs !== null && !row.isShared)
    .map(({ id, kind, status, credits, submittedAtMs, renderedAtMs, finishedAtMs }) => {
      const startMs = submittedAtMs ?? 0;
      return { id, kind, status, credits, startMs, endMs: renderedAtMs ?? finishedAtMs ?? readAtMs };
    })
    .sort((a, b) => a.startMs - b.startMs);
  const held = sent.filter(({ kind }) => takesSlot(kind));
  const fromMs = sent[0]?.startMs ?? beganAtMs;
  const toMs = sent.reduce((latest, { endMs }) => Math.max(latest, endMs), fromMs + 1_000);
  const slots = new TimeBins(fromMs);
  // Of a shorter stretch no rate per minute can be told.
  const submits = new TimeBins(fromMs, 60_000);
  for (const { startMs, endMs } of held) slots.addSpan(startMs, endMs);
  for (const { startMs } of sent) submits.add(startMs, 1);
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
    ...{ fromMs, toMs, held: held.slice(0, HELD_MAX).map(({ credits: _, ...one }) => one), heldCount: held.length },
    slots: { widthMs: slots.widthMs, values: slots.sums().map((heldMs) => heldMs / slots.widthMs) },
    submits: { widthMs: submits.widthMs, values: submits.sums().map((sum) => (sum * 60_000) / submits.widthMs) },
    ...{ gaps, concurrent: last?.concurrent ?? null, rpm: last?.rpm ?? null },
    charges: chargesOf(rows),
    unpriced: sent.filter(({ credits }) => credits === null).length,
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

/** Why a batch did not use the slots that it could have had, as far as that was recorded. */
type Counted = 'held' | 'verdict' | 'ready' | 'paused' | 'full';
const COUNTED = ['held', 'verdict', 'ready', 'paused', 'full'] as const;

/** Null where no reading of the account says how many jobs its plan allows. */
export function gapsOf(
  history: SlotHistory,
  { fromMs, toMs, widthMs, count }: { fromMs: number; toMs: number; widthMs: number; count: number },
): Gaps | null {
  if (history.caps.length === 0) return null;
  const values = byCause(() => Array.from({ length: count }, () => 0));
  const totals = byCause(() => 0);
  const now: Record<Counted, number> & { cap: number | undefined } = {
    ...{ held: 0, verdict: 0, ready: 0, paused: 0, full: 0 },
    cap: undefined,
  };
  const add = (startMs: number, endMs: number): void => {
    for (const [cause, slots] of Object.entries(splitOf(now)) as [GapCause, number][]) {
      if (slots <= 0) continue;
      totals[cause] += slots * (endMs - startMs);
      const bins = values[cause];
      for (let bin = Math.floor((startMs - fromMs) / widthMs); bin < count; bin += 1) {
        const beginMs = fromMs + bin * widthMs;
        if (beginMs >= endMs) break;
        const insideMs = Math.min(endMs, beginMs + widthMs) - Math.max(startMs, beginMs);
        bins[bin] = (bins[bin] ?? 0) + (slots * insideMs) / widthMs;
      }
    }
  };
  let atMs = fromMs;
  for (const change of changesOf(history)) {
    const nextMs = Math.min(toMs, Math.max(fromMs, change.atMs));
    if (nextMs > atMs) add(atMs, nextMs);
    atMs = Math.max(atMs, nextMs);
    if (change.what === 'cap') now.cap = change.by;
    else now[change.what] += change.by;
  }
  if (toMs > atMs) add(atMs, toMs);
  return { widthMs, values, totals };
}

/** How the slots that are free at one instant divide by their causes. */
function splitOf(now: Record<Counted, number> & { cap: number | undefined }): Partial<Record<GapCause, number>> {
  if (now.cap === undefined) return {};
  const free = Math.max(0, now.cap - now.held);
  const verdict = Math.min(free, now.verdict);
  const wanted = Math.min(free - verdict, now.ready);
  const why: GapCause = now.paused > 0 ? 'paused' : now.full > 0 ? 'requests' : 'unknown';
  return { verdict, idle: free - verdict - wanted, [why]: wanted };
}

interface Change {
  atMs: number;
  what: Counted | 'cap';
  by: number;
}

function changesOf(history: SlotHistory): Change[] {
  const changes: Change[] = history.caps.map(({ atMs, cap }) => ({ atMs, what: 'cap', by: cap }));
  for (const what of COUNTED) {
    for (const { startMs, endMs } of history[what]) {
      if (endMs > startMs) changes.push({ atMs: startMs, what, by: 1 }, { atMs: endMs, what, by: -1 });
    }
  }
  return changes.sort((a, b) => a.atMs - b.atMs);
}

function byCause<T>(make: () => T): Record<GapCause, T> {
  return { verdict: make(), paused: make(), requests: make(), idle: make(), unknown: make() };
}
