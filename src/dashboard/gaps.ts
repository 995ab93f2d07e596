/** Why a batch did not use the slots that it could have had, as far as that was recorded. Pure. */

export const GAP_CAUSES = ['verdict', 'paused', 'requests', 'idle', 'unknown'] as const;
/**
 * `verdict`: kept for a lost answer; `paused`: by a person, or for want of credits or a key; `requests`: the plan's
 * requests per minute were used up; `idle`: no row was ready to be sent; `unknown`: no record says.
 */
export type GapCause = (typeof GAP_CAUSES)[number];

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

export interface Gaps {
  widthMs: number;
  /** Slots on average, by bin. */
  values: Record<GapCause, number[]>;
  /** Slots × ms over all. */
  totals: Record<GapCause, number>;
}

interface Bins {
  fromMs: number;
  toMs: number;
  widthMs: number;
  count: number;
}

type Counted = 'held' | 'verdict' | 'ready' | 'paused' | 'full';
const COUNTED = ['held', 'verdict', 'ready', 'paused', 'full'] as const;

/** Null where no reading of the account says how many jobs its plan allows. */
export function gapsOf(history: SlotHistory, { fromMs, toMs, widthMs, count }: Bins): Gaps | null {
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
