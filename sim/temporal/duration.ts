const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a duration as the SDK takes one: a number of them, or a text such as `60 s`. */
export function msOf(duration: number | string): number {
  if (typeof duration === 'number') return duration;
  const [, amount, unit = ''] = /^(\d+) ?(ms|s|m|h|d)/.exec(duration) ?? [];
  const factor = UNITS[unit];
  if (amount === undefined || factor === undefined) throw new Error(`not a duration: ${duration}`);
  return Number(amount) * factor;
}
