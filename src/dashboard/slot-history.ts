import type { Attempt } from '../domain/attempt.js';
import { intentOf, ownStates } from '../domain/standing.js';
import type { BalanceCheckpoint } from '../home/home.js';
import type { Pause } from '../home/pauses.js';
import { takesSlot } from '../kinds/facts.js';
import type { PageRow } from './answers.js';
import type { BatchRows } from './batch-rows.js';

/** What was recorded of a batch besides how its rows ended. */
export interface BatchHistory {
  /** By row, of those that `unusualRows` names. */
  attempts: ReadonlyMap<string, readonly Attempt[]>;
  pauses: readonly Pause[];
  /** When requests of the account were sent, ascending epoch ms; empty where another machine or nobody counts them. */
  sentMs: readonly number[];
}

/** Epoch ms, the end excluded. */
export interface Span {
  startMs: number;
  endMs: number;
}

export interface SlotHistory {
  held: readonly Span[];
  /** Of attempts whose answer was lost, until somebody or the balance decided. */
  verdict: readonly Span[];
  /** Of rows that were ready and not yet sent. */
  ready: readonly Span[];
  paused: readonly Span[];
  /** In which the minute was full. */
  full: readonly Span[];
  /** The plan's simultaneous jobs from an instant on, oldest first. */
  caps: readonly { atMs: number; cap: number }[];
}

const UNUSUAL_MAX = 200;
const UNUSUAL = ['review', 'lost_paid', 'checking'];
/** A minute and a second, and one request kept free: the window in which the worker counts what it sends. */
const RPM_WINDOW_MS = 61_000;
const RPM_RESERVE = 1;

/** Rows of which the record alone does not say when they held a slot; of very many the first. */
export function unusualRows({ rows }: BatchRows): string[] {
  const found = rows.filter(({ attempts, status }) => attempts > 1 || UNUSUAL.includes(status));
  return found.slice(0, UNUSUAL_MAX).map(({ id }) => id);
}

export function slotHistory(
  { rows, readAtMs }: BatchRows,
  { attempts, pauses, sentMs }: BatchHistory,
  readings: readonly BalanceCheckpoint[],
  beganAtMs: number,
): SlotHistory {
  const held: Span[] = [];
  const verdict: Span[] = [];
  const ready: Span[] = [];
  const full: Span[] = [];
  const sent: number[] = [];
  const stops: number[] = [];
  const byIndex = new Map(rows.map((row) => [row.index, row]));
  for (const row of rows) {
    if (row.isShared || row.status === 'skipped' || !takesSlot(row.kind)) continue;
    const known = attempts.get(row.id);
    const spans = known === undefined ? ofRecord(row, readAtMs) : ofAttempts(known, readAtMs);
    held.push(...spans.held);
    verdict.push(...spans.verdict);
    full.push(...spans.refusedForRequests);
    stops.push(...spans.stops);
    sent.push(...spans.sentMs);
    const startMs = readyAtMs(row, byIndex, beganAtMs);
    const endMs = Math.min(...spans.sentMs, row.finishedAtMs ?? readAtMs);
    if (startMs !== undefined) ready.push({ startMs, endMs });
  }
  sent.sort((a, b) => a - b);
  const caps = readings.flatMap(({ atMs, concurrent }) => (concurrent === null ? [] : [{ atMs, cap: concurrent }]));
  const rpm = readings.reduce((most, one) => Math.max(most, one.rpm ?? 0), 0);
  // One by one: a batch may have sent more requests than a call takes arguments.
  for (const minute of fullMinutes(sentMs.length > 0 ? sentMs : sent, rpm)) full.push(minute);
  const paused = pauses.map(({ fromMs, toMs }) => ({ startMs: fromMs, endMs: toMs ?? readAtMs }));
  // The account's own pause ends with the next submit.
  for (const atMs of stops) paused.push({ startMs: atMs, endMs: sent.find((one) => one > atMs) ?? readAtMs });
  return { held, verdict, ready, paused, full, caps };
}

interface RowSpans {
  /** When its submits left. */
  sentMs: number[];
  held: Span[];
  verdict: Span[];
  refusedForRequests: Span[];
  /** When an answer of the service paused the account. */
  stops: number[];
}

function ofRecord({ submittedAtMs, renderedAtMs, finishedAtMs }: PageRow, readAtMs: number): RowSpans {
  const none = { sentMs: [], held: [], verdict: [], refusedForRequests: [], stops: [] };
  if (submittedAtMs === null) return none;
  return {
    ...none,
    sentMs: [submittedAtMs],
    held: [{ startMs: submittedAtMs, endMs: renderedAtMs ?? finishedAtMs ?? readAtMs }],
  };
}

const LOST = ['unknown', 'created_lost'];
const OVER = ['refused', 'done', 'rendered', 'ended'];

function ofAttempts(attempts: readonly Attempt[], readAtMs: number): RowSpans {
  const spans: RowSpans = { sentMs: [], held: [], verdict: [], refusedForRequests: [], stops: [] };
  for (const attempt of attempts) {
    const claim = intentOf(attempt);
    if (claim === undefined) continue;
    const states = ownStates(attempt);
    const over = states.find(({ state }) => OVER.includes(state));
    const lost = states.find(({ state }) => LOST.includes(state));
    const decided =
      lost && states.find(({ state, atMs }) => !LOST.includes(state) && state !== 'intent' && atMs >= lost.atMs);
    spans.sentMs.push(claim.atMs);
    spans.held.push({ startMs: claim.atMs, endMs: lost?.atMs ?? over?.atMs ?? readAtMs });
    if (lost !== undefined) spans.verdict.push({ startMs: lost.atMs, endMs: decided?.atMs ?? readAtMs });
    // A lost job that was found after all renders on.
    if (decided?.state === 'created' || decided?.state === 'attached') {
      spans.held.push({ startMs: decided.atMs, endMs: over?.atMs ?? readAtMs });
    }
    if (over?.state !== 'refused') continue;
    if (over.next === 'pause_key' || over.next === 'pause_credits') spans.stops.push(over.atMs);
    if (over.status === 429 && over.retryAfterMs !== undefined) {
      spans.refusedForRequests.push({ startMs: over.atMs, endMs: over.atMs + over.retryAfterMs });
    }
  }
  return spans;
}

/** From when on a row could have been sent; undefined while what feeds it has not ended. */
function readyAtMs(row: PageRow, byIndex: ReadonlyMap<number, PageRow>, beganAtMs: number): number | undefined {
  let atMs = beganAtMs;
  for (const { at } of row.fed) {
    const feeder = byIndex.get(at);
    if (feeder?.finishedAtMs == null) return undefined;
    atMs = Math.max(atMs, feeder.finishedAtMs);
  }
  return atMs;
}

/** When no further request could be sent: as many as a minute takes had just left. */
export function fullMinutes(sentMs: readonly number[], rpm: number): Span[] {
  const most = rpm - RPM_RESERVE;
  if (most < 1) return [];
  return sentMs.flatMap((firstMs, i) => {
    const lastMs = sentMs[i + most - 1];
    return lastMs === undefined || lastMs - firstMs >= RPM_WINDOW_MS
      ? []
      : [{ startMs: lastMs, endMs: firstMs + RPM_WINDOW_MS }];
  });
}
