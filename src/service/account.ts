/** The account reads: credits and caps, discounts, voices (service document 1, Resources; service document 2). */
import { z } from 'zod';
import { defined } from '../domain/defined.js';
import type { Answer, ServiceRequest } from '../domain/exchange.js';
import { type CreditsNano, creditsFromNumber } from '../domain/money.js';
import { safeText } from '../domain/secret.js';
import { readJsonBody } from './errors.js';

export const CREDITS_REQUEST: ServiceRequest = { method: 'GET', path: '/v1/credits' };
export const DISCOUNTS_REQUEST: ServiceRequest = { method: 'GET', path: '/v1/discounts' };

export interface CreditAccount {
  creditsRemainingNano: CreditsNano;
  /** The service's word for the plan; new words may come. */
  planLevel: string;
  /** Requests per minute. */
  rpmLimit: number;
  /** Simultaneous jobs. */
  concurrentLimit: number;
}

export interface Discount {
  entrypoint: string;
  /** The fraction of the list price that is paid, in billionths: 800,000,000 is 20 % off. */
  multiplierPpb: number;
  effectiveFromMs: number;
  /** Exclusive; null for an open end. */
  effectiveToMs: number | null;
}

export interface Voice {
  voiceId: string;
  language?: string;
  gender?: string;
}

/** A 200 answer that cannot be believed is told apart from one that can; it never throws. */
export type AccountReading<Value> = { reading: 'ok'; value: Value } | { reading: 'unreadable'; why: string };

const PARTS_PER_BILLION = 1_000_000_000;

/** Far above 1, the list price; what is beyond is a defect and no surcharge. */
const MULTIPLIER_MAX = 1_000;

const credits = z.object({
  credits_remaining: z.number().transform((value, context) => {
    const nano = creditsFromNumber(value);
    if (nano !== undefined) return nano;
    context.addIssue('out of range');
    return z.NEVER;
  }),
  plan_level: z.string().catch('unknown'),
  rpm_limit: z.number().min(1),
  concurrent_limit: z.number().min(1),
});

/**
 * ISO 8601 with an offset in any of its forms (`2026-01-01T00:00:00Z`, `20260101T0000+02`, a comma before the fraction): the
 * document names no other rule. A time without one would be read in this machine's zone.
 */
const [EXTENDED, BASIC] = [instantForm('-', ':'), instantForm('', '')];
const instant = z
  .string()
  .transform((text) => {
    const [, year, month, dayAndHour, minute = '00', second = '00', hours = '+00', minutes = '00'] =
      EXTENDED.exec(text) ?? BASIC.exec(text) ?? [];
    if (year === undefined) return Number.NaN;
    return Date.parse(`${year}-${month}-${dayAndHour}:${minute}:${second.replace(',', '.')}${hours}:${minutes}`);
  })
  .pipe(z.number());

function instantForm(inDate: string, inTime: string): RegExp {
  const time = `(?:${inTime}(\\d\\d)(?:${inTime}(\\d\\d(?:[.,]\\d+)?))?)?`;
  return new RegExp(`^(\\d{4})${inDate}(\\d\\d)${inDate}(\\d\\dT\\d\\d)${time}(?:Z|([+-]\\d\\d)(?::?(\\d\\d))?)$`);
}

const discounts = z.object({
  discounts: z.array(
    z.object({
      entrypoint: z.string().min(1),
      multiplier: z.number().positive().max(MULTIPLIER_MAX),
      effective_from: instant,
      effective_to: instant.nullable().optional(),
    }),
  ),
});

const voice = z.object({
  voice_id: z.string().min(1),
  language: z.string().optional().catch(undefined),
  gender: z.string().optional().catch(undefined),
});
const voices = z.object({ data: z.object({ voices: z.array(z.unknown()) }) });

/** Reads the answer to GET /v1/credits. */
export function readCredits(answer: Answer): AccountReading<CreditAccount> {
  return readAs(credits, answer, (read) => ({
    creditsRemainingNano: read.credits_remaining,
    planLevel: safeText(read.plan_level, 60),
    rpmLimit: Math.floor(read.rpm_limit),
    concurrentLimit: Math.floor(read.concurrent_limit),
  }));
}

/** Reads the answer to GET /v1/discounts. One row that cannot be read makes all unreadable: a price would be wrong. */
export function readDiscounts(answer: Answer): AccountReading<Discount[]> {
  return readAs(discounts, answer, (read) =>
    read.discounts.map((row) => ({
      entrypoint: row.entrypoint,
      multiplierPpb: Math.round(row.multiplier * PARTS_PER_BILLION),
      effectiveFromMs: row.effective_from,
      effectiveToMs: row.effective_to ?? null,
    })),
  );
}

/** Reads a list of voices; entries without an id are left out. */
export function readVoices(answer: Answer): AccountReading<Voice[]> {
  return readAs(voices, answer, (read) =>
    read.data.voices.flatMap((entry) => {
      const { data } = voice.safeParse(entry);
      if (data === undefined) return [];
      const { voice_id: voiceId, language, gender } = data;
      return [{ voiceId, ...defined({ language, gender }) }];
    }),
  );
}

/** The discount of an entrypoint at an instant: at most one; its end is exclusive. */
export function activeDiscount(rows: readonly Discount[], entrypoint: string, atMs: number): Discount | undefined {
  return rows.find(
    (row) =>
      row.entrypoint === entrypoint &&
      row.effectiveFromMs <= atMs &&
      (row.effectiveToMs === null || atMs < row.effectiveToMs),
  );
}

/** The multipliers of an entrypoint that hold somewhere between two instants; list price where none does. */
export function multipliersBetween(
  rows: readonly Discount[],
  entrypoint: string,
  fromMs: number,
  toMs: number,
): number[] {
  const turns = rows.flatMap(({ effectiveFromMs, effectiveToMs }) => [effectiveFromMs, effectiveToMs ?? toMs]);
  const instants = [fromMs, ...turns.filter((atMs) => atMs > fromMs && atMs <= toMs)];
  const found = instants.map((atMs) => activeDiscount(rows, entrypoint, atMs)?.multiplierPpb ?? PARTS_PER_BILLION);
  return [...new Set(found)];
}

function readAs<Schema extends z.ZodType, Value>(
  schema: Schema,
  answer: Answer,
  toValue: (read: z.output<Schema>) => Value,
): AccountReading<Value> {
  if (answer.status !== 200) return { reading: 'unreadable', why: `answered ${answer.status}` };
  const read = schema.safeParse(readJsonBody(answer.body));
  if (read.success) return { reading: 'ok', value: toValue(read.data) };
  const place = read.error.issues[0]?.path.join('.') || 'the body';
  return { reading: 'unreadable', why: `${place} is missing or not as documented` };
}
