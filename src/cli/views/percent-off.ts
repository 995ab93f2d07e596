import { formatCredits } from '../../domain/money.js';

/** `800000000` → `20 %`: the multiplier is the part of the list price that is paid, in billionths. */
export function percentOff(multiplierPpb: number): string {
  return `${formatCredits((1_000_000_000 - multiplierPpb) * 100)} %`;
}
