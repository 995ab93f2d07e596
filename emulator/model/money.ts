/** Money as whole numbers of 1e-9 credit: exact decimals in and out, and the balance of one account with its history. */
import type { Assumptions } from './assumptions.js';
import type { Random } from './random.js';

const NANO_DIGITS = 9;
const NANO_PER_CREDIT = 1_000_000_000;

/** Reads a decimal string (`"0.0006"`, `"-2"`) as whole 1e-9 credits. Throws on any other form or on more than 9 decimals. */
export function parseCredits(text: string): number {
  const match = /^(-?)(\d{1,7})(?:\.(\d{1,9}))?$/.exec(text);
  if (match === null) {
    throw new Error(`'${text}' is not an amount of credits: up to 7 digits, a point, up to ${NANO_DIGITS} decimals`);
  }
  const [, sign, whole, fraction] = match;
  const nano = Number(whole) * NANO_PER_CREDIT + Number((fraction ?? '').padEnd(NANO_DIGITS, '0'));
  return sign === '-' ? -nano : nano;
}

/** The JSON number of an amount, as `credits_remaining` shows it. */
export function creditsNumber(nano: number): number {
  return nano / NANO_PER_CREDIT;
}

/** The exact decimal of an amount (`"0.0006"`). */
export function formatCredits(nano: number): string {
  const sign = nano < 0 ? '-' : '';
  const digits = String(Math.abs(nano)).padStart(NANO_DIGITS + 1, '0');
  const fraction = digits.slice(-NANO_DIGITS).replace(/0+$/, '');
  return `${sign}${digits.slice(0, -NANO_DIGITS)}${fraction === '' ? '' : `.${fraction}`}`;
}

/** An amount with fewer decimals. */
export function roundCredits(nano: number, decimals: number, rounding: Assumptions['rounding']): number {
  const unit = 10 ** (NANO_DIGITS - decimals);
  const round = { nearest: Math.round, down: Math.floor, up: Math.ceil }[rounding];
  return round(nano / unit) * unit;
}

type MoneyEventKind = 'start' | 'charge' | 'reserve' | 'refund' | 'follow_up' | 'top_up' | 'foreign_spend';

/** One change of a balance. `amountNano` is signed: spending is negative. */
export interface MoneyEvent {
  atMs: number;
  kind: MoneyEventKind;
  amountNano: number;
  /** The job or synchronous call it belongs to. */
  jobId?: string;
  /** When its lateness is its own: the part of the lag after which it shows. */
  lagPart?: number;
}

/** The balance of one account. */
export interface Balance {
  nowNano(): number;
  /** What GET /v1/credits shows of the balance when the service books up to `lagMs` late. */
  shownNano(nowMs: number, lagMs: number, reads: Assumptions['balanceReads']): number;
  book(event: MoneyEvent): void;
  /** Sets expected charges of running work aside (positive) or gives them back (negative); no money moves. */
  commit(amountNano: number): void;
  /** What new work may still spend: the balance less the expected charges of running work. */
  availableNano(): number;
  readonly events: readonly MoneyEvent[];
}

export function createBalance(startNano: number, startMs: number, random: Random): Balance {
  const events: MoneyEvent[] = [{ atMs: startMs, kind: 'start', amountNano: startNano }];
  let totalNano = startNano;
  let committedNano = 0;
  const lagPartOf = new Map<string, number>();
  return {
    events,
    nowNano: () => totalNano,
    shownNano(nowMs, lagMs, reads) {
      const copyAgeMs = reads === 'stale' ? random.next() * lagMs : lagMs;
      const shownFromMs = ({ atMs, lagPart = 0 }: MoneyEvent): number =>
        atMs + (reads === 'scattered' ? lagPart * lagMs : copyAgeMs);
      let shown = totalNano;
      // The opening balance is never hidden by the lag, so the walk back ends before it.
      for (let index = events.length - 1; index > 0; index -= 1) {
        const event = events[index];
        if (event === undefined || event.atMs + lagMs <= nowMs) break;
        if (shownFromMs(event) > nowMs) shown -= event.amountNano;
      }
      return shown;
    },
    book(event) {
      totalNano += event.amountNano;
      // Late charges carry their own instant; keeping the list in time order makes the walk back exact.
      let index = events.length;
      while (index > 1 && (events[index - 1]?.atMs ?? 0) > event.atMs) index -= 1;
      // What belongs to one job shows in its order: no refund before the charge that it gives back.
      const lagPart = Math.max(random.next(), lagPartOf.get(event.jobId ?? '') ?? 0);
      if (event.jobId !== undefined) lagPartOf.set(event.jobId, lagPart);
      events.splice(index, 0, { ...event, lagPart });
    },
    commit(amountNano) {
      committedNano += amountNano;
    },
    availableNano: () => totalNano - committedNano,
  };
}
