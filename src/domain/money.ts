/**
 * Money in whole nanocredits (1e-9 credit; one credit is 1.00 USD), so that no sum ever drifts.
 * A safe integer holds nine million credits, far above the largest purchase the service offers (5,000).
 */
export type CreditsNano = number;

export const NANO_PER_CREDIT = 1_000_000_000;

/** How far two balances may differ and still be called equal: the service sends binary floats. */
export const BALANCE_TOLERANCE_NANO: CreditsNano = 1_000;

/** An amount that is known only within bounds; `hi` null means without bound. */
export interface CreditsRange {
  lo: CreditsNano;
  hi: CreditsNano | null;
}

/** Reads a plain decimal (`"0.0006"`, `"12"`); undefined when it is none or has more than nine decimals. */
export function parseCredits(text: string): CreditsNano | undefined {
  const match = /^(-?)(\d+)(?:\.(\d{1,9}))?$/.exec(text);
  if (!match) return undefined;
  const [, sign, whole = '0', fraction = ''] = match;
  const nano = Number(whole) * NANO_PER_CREDIT + Number(fraction.padEnd(9, '0'));
  if (!Number.isSafeInteger(nano)) return undefined;
  return sign === '-' ? -nano : nano;
}

/** Rounds a JSON number of credits to nanocredits; undefined when it is no finite number. */
export function creditsFromNumber(value: unknown): CreditsNano | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  const nano = Math.round(value * NANO_PER_CREDIT);
  return Number.isSafeInteger(nano) ? nano : undefined;
}

/** Writes nanocredits as a plain decimal without trailing zeros: `0.28`, `12`, `-0.5`. */
export function formatCredits(nano: CreditsNano): string {
  const sign = nano < 0 ? '-' : '';
  const absolute = Math.abs(nano);
  const whole = Math.floor(absolute / NANO_PER_CREDIT);
  const fraction = String(absolute % NANO_PER_CREDIT)
    .padStart(9, '0')
    .replace(/0+$/, '');
  return fraction === '' ? `${sign}${whole}` : `${sign}${whole}.${fraction}`;
}
