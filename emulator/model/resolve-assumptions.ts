/** Which assumptions hold: calm ones, or those of a seed, with the given ones in their place. */
import { type Assumptions, CALM } from './assumptions.js';
import { drawAssumptions } from './drawn-assumptions.js';
import { FAMILIES, type Family } from './families.js';

/** Every assumption, for the ground truth and for the page that lists them. */
export const ASSUMPTION_NAMES = Object.keys(CALM) as (keyof Assumptions)[];

/** What can be chosen: a seed draws every assumption, and any of them can be given. */
export type AssumptionOptions = { seed?: number } & {
  [Name in keyof Assumptions]?: Assumptions[Name] extends Readonly<Record<Family, infer Value>>
    ? Partial<Record<Family, Value>>
    : Assumptions[Name];
};

/** Calm or drawn values with the given ones in their place; throws one sentence that names what is not possible. */
export function resolveAssumptions({ seed, chargeAt, renderSeconds, ...given }: AssumptionOptions): Assumptions {
  const odd = Object.keys(given).find((name) => !ASSUMPTION_NAMES.some((known) => known === name));
  if (odd !== undefined) throw new Error(`unknown assumption '${odd}'; known: seed, ${ASSUMPTION_NAMES.join(', ')}`);
  for (const name of Object.keys({ ...chargeAt, ...renderSeconds })) {
    if (!FAMILIES.some((family) => family === name)) {
      throw new Error(`unknown family '${name}'; known: ${FAMILIES.join(', ')}`);
    }
  }
  const base = seed === undefined ? CALM : drawAssumptions(seed, CALM);
  return {
    ...base,
    ...given,
    chargeAt: { ...base.chargeAt, ...chargeAt },
    renderSeconds: { ...base.renderSeconds, ...renderSeconds },
  };
}
