import type { Random } from './engine/random.js';

/**
 * What the service's documents do not show. The product is given limits (its settings); the service keeps inside them,
 * up to the edge, wherever it likes. Both are drawn, and neither is taken from the product.
 */

/** The product's settings: how late things may be, ms. */
export interface Waits {
  lambdaMs: number;
  thetaMs: number;
  rhoMs: number;
  renderMaxMs: Record<string, number>;
}

/** How it really is in a seed. */
export interface Truth {
  /** How late the balance is at most, and whether each read is late by its own (copies) or each movement. */
  lagMs: number;
  isCopied: boolean;
  /** How late a job appears at most after the connection ended. */
  bornLateMs: number;
  /** How late a refund is at most after the end. */
  refundLateMs: number;
  /** The last place of the balance, and how it is rounded to it. */
  decimals: number;
  rounding: 'down' | 'nearest' | 'up';
  /** The longest image or edit, and the longest render as a share of what the product is told. */
  imageMaxMs: number;
  renderShare: number;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** Images have no documented end; the product bears renders up to here. */
const IMAGE_EDGE_MS = 15 * MINUTE_MS;

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

export function drawTruth(random: Random, { lambdaMs, thetaMs, rhoMs }: Waits): Truth {
  const upTo = (limit: number): number => Math.round(limit * random.pick([0, 1, random.next(), random.next() * 0.1]));
  return {
    lagMs: upTo(lambdaMs),
    isCopied: random.chance(0.4),
    bornLateMs: upTo(thetaMs),
    refundLateMs: upTo(rhoMs),
    decimals: random.int(2, 6),
    rounding: random.pick(['down', 'nearest', 'up'] as const),
    imageMaxMs: random.pick([20 * SECOND_MS, 110 * SECOND_MS, IMAGE_EDGE_MS, random.int(20, 900) * SECOND_MS]),
    renderShare: random.pick([0.1, 0.95, 1, random.between(0.1, 1)]),
  };
}

/** Rounds as the account does, nanocredits. */
export function roundedNano({ decimals, rounding }: Truth, nano: number): number {
  const unit = 10 ** (9 - decimals);
  return { down: Math.floor, nearest: Math.round, up: Math.ceil }[rounding](nano / unit) * unit;
}
