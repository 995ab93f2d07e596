import { type Assumptions, FAMILIES, type Family } from '../emulator/model/assumptions.js';
import { drawAssumptions } from '../emulator/model/drawn-assumptions.js';
import type { Random } from './engine/random.js';

/**
 * What the service's documents do not show. The product is told limits (its settings); the emulator draws how it really
 * is, wherever it likes inside them, up to the edge. Neither is taken from the product.
 */

/** Assumptions of docs/guarantees.md that can be broken on purpose. */
export const ASSUMPTIONS = [
  'theta',
  'lambda',
  'rho',
  'dmax',
  'timing',
  'exclusive',
  'prices',
  'resend',
  'clock',
] as const;
export type Assumption = (typeof ASSUMPTIONS)[number];

/** How late things may be by the product's settings, ms: the service keeps inside them, up to the edge. */
export interface Waits {
  lambdaMs: number;
  thetaMs: number;
  rhoMs: number;
  renderMaxMs: { default: number; 'vendor-f': number };
}

const MINUTE_MS = 60_000;

/** What the documents do not show is drawn twice: what the product is told, usual or not, and by the emulator how it is. */
export function drawWaits(random: Random): Waits {
  const isUsual = random.chance(0.7);
  const minutes = (usual: number, low: number, high: number): number =>
    Math.round((isUsual ? usual : random.between(low, high)) * MINUTE_MS);
  return {
    lambdaMs: minutes(2, 0.5, 5),
    thetaMs: minutes(3, 0.5, 10),
    rhoMs: minutes(30, 2, 60),
    renderMaxMs: { default: minutes(60, 20, 90), 'vendor-f': minutes(30, 10, 40) },
  };
}

/** A lag, a refund beyond what the product was told, where that assumption is broken. */
const BROKEN_LAG = 6;
const BROKEN_REFUND = 3;
/** Images, edits and interactions have no documented end; the product is told 15 minutes. */
export const SYNC_MAX_MS = 15 * MINUTE_MS;
const CLIP_SECONDS = 130;

export function assumptionsOf(
  seed: number,
  broken: Assumption | undefined,
  waits: Waits,
  hasFollowUps: boolean,
): Assumptions {
  const { lambdaMs, thetaMs, rhoMs } = waits;
  const longest = (family: Family): number => {
    if (family === 'svc/clip' || family === 'svc/animation') return CLIP_SECONDS;
    return (family.includes('/') ? SYNC_MAX_MS : longestRenderMs(family, waits)) / 1_000;
  };
  const drawn = drawAssumptions(seed, {
    balanceLagSeconds: lambdaMs / 1_000,
    lateCreationSeconds: thetaMs / 1_000,
    refundSeconds: rhoMs / 1_000,
    renderSeconds: Object.fromEntries(FAMILIES.map((family) => [family, longest(family)])) as Record<Family, number>,
  });
  return {
    ...drawn,
    ...(broken === 'lambda' ? { balanceLagSeconds: (BROKEN_LAG * lambdaMs) / 1_000 } : {}),
    ...(broken === 'rho' ? { refundSeconds: [0, (BROKEN_REFUND * rhoMs) / 1_000] as const } : {}),
    // A driver that is longer than declared is charged for afterwards.
    ...(hasFollowUps ? {} : { unseenDriverSeconds: 'declared' as const }),
  };
}

/** The longest asynchronous render that the product is told of. */
export function longestRenderMs(kind: string, { renderMaxMs }: Pick<Waits, 'renderMaxMs'>): number {
  return kind.startsWith('vendor-f') ? renderMaxMs['vendor-f'] : renderMaxMs.default;
}

export function familyOf(kind: string): Family {
  const found = FAMILIES.find((family) => family === kind || family === kind.split('/', 1)[0]);
  if (!found) throw new Error(`no family renders ${kind}`);
  return found;
}
