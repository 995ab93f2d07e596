import type { SemaphoreView } from '../../contract/semaphore-view.js';
import { formatDuration } from '../../domain/duration.js';

/** Times as people read them, and when a batch will have ended. Pure. */

/** `12:03:30` in the machine's own zone. */
export function formatClock(atMs: number): string {
  return new Date(atMs).toTimeString().slice(0, 8);
}

/** `2026-01-05 12:03` in the machine's own zone. */
export function formatDate(at: string): string {
  const date = new Date(at);
  const two = (n: number): string => String(n).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** What keeps a batch from ending sooner; `chains`: open rows wait for others that feed them. */
type EtaBound = 'slots' | 'requests' | 'credits' | 'longest_job' | 'chains';

export interface Eta {
  lowSeconds: number;
  highSeconds: number;
  /** Null where it cannot be told. */
  bound: EtaBound | null;
}

export interface EtaFacts {
  batch: string;
  isPaused: boolean;
  /** Rows that ended in `elapsedMs`, and rows that have not. */
  ended: number;
  elapsedMs: number;
  open: number;
  /** Open rows that wait for others. */
  held: number;
  /** What the open rows come to, and what there is for them; undefined where one is not known. */
  restNano?: number | undefined;
  leftNano?: number | undefined;
  slots: SemaphoreView | undefined;
  /** The plan's requests of this minute are used up. */
  isMinuteFull: boolean;
}

/** Fewer rows tell nothing of a rate. */
const ETA_ROWS_MIN = 3;

/**
 * From the rate so far: so many rows say it to about the square root of their number. It takes no less, at the upper
 * end, than one row holds a slot, however few are left. Null where it is not known yet, or the batch is paused.
 */
export function etaOf(facts: EtaFacts): Eta | null {
  const { isPaused, ended, elapsedMs, open, slots } = facts;
  if (open <= 0) return { lowSeconds: 0, highSeconds: 0, bound: null };
  if (isPaused || ended < ETA_ROWS_MIN || elapsedMs <= 0) return null;
  const perRowMs = elapsedMs / ended;
  const spread = 1 / Math.sqrt(ended);
  const slotMs = perRowMs * Math.min(slots?.effectiveCap ?? 1, ended);
  const highMs = Math.max((open * perRowMs) / (1 - spread), slotMs);
  return {
    lowSeconds: Math.floor((open * perRowMs) / (1 + spread) / 1_000),
    highSeconds: Math.ceil(highMs / 1_000),
    bound: boundOf(facts),
  };
}

function boundOf({ batch, open, held, restNano, leftNano, slots, isMinuteFull }: EtaFacts): EtaBound | null {
  if (restNano !== undefined && leftNano !== undefined && restNano > leftNano) return 'credits';
  if (slots === undefined) return null;
  const own = slots.holders.filter(({ job }) => job.batch === batch).length;
  const terms = slots.batches?.find((one) => one.batch === batch);
  if (open - held <= own) return held > 0 ? 'chains' : 'longest_job';
  const isOwnFull = terms?.concurrency != null && own >= terms.concurrency;
  if (isOwnFull || slots.holders.length >= slots.effectiveCap) return isMinuteFull ? 'requests' : 'slots';
  const isPaced = slots.curbs.some((curb) => curb.curb === 'paced' && curb.cause === 'rpm');
  return isMinuteFull || isPaced ? 'requests' : null;
}

const BOUNDS: Record<EtaBound, string> = {
  slots: 'simultaneous jobs',
  requests: 'requests per minute',
  credits: 'credits: they do not suffice for the rest',
  longest_job: 'the longest job',
  chains: 'rows that wait for others',
};

/** `2 min to 5 min, bound by simultaneous jobs`. */
export function etaText({ lowSeconds, highSeconds, bound }: Eta): string {
  const [low, high] = [lowSeconds, highSeconds].map((seconds) => formatDuration(seconds * 1_000));
  const range = low === high ? high : `${low} to ${high}`;
  return bound === null ? `${range}` : `${range}, bound by ${BOUNDS[bound]}`;
}

/** While a batch goes on too shortly for a rate. */
export const ETA_NOT_YET = `not known until ${ETA_ROWS_MIN} rows of this run have ended`;
