import type { Random } from '../engine/random.js';

/**
 * The account of a history: how late its balance is, what its families cost and when they charge. All of it is drawn;
 * what the product is told of it are the limits, never where inside them the truth lies.
 */

/** A thing that must hold for the check to be right; each can be broken by itself. */
export const BREAKABLE = ['lambda', 'theta', 'rho', 'price', 'foreign', 'render', 'timing'] as const;
export type Broken = (typeof BREAKABLE)[number];

/** What the product is told, ms and nanocredits. */
export interface Limits {
  lambdaMs: number;
  thetaMs: number;
  rhoMs: number;
  syncMaxMs: number;
  /** How long after the end motion control may charge more. */
  followUpMs: number;
}

export interface Range {
  lo: number;
  hi: number;
}

export interface Family {
  flow: 'sync' | 'async';
  /** When it charges in truth; a call without a handle charges somewhere in it. */
  charges: 'submit' | 'completion' | 'between';
  /** What the product holds of that: what the documents say, what the account has shown, or nothing. */
  believed: 'submit' | 'completion' | 'unknown';
  renderMaxMs: number;
  /** What an attempt costs, as the product knows it beforehand. */
  price: Range;
  /** The most that may be charged once more after the end; 0 for all but motion control. */
  followUpNano: number;
}

export interface Account {
  limits: Limits;
  families: Family[];
  /** The place to which the balance is rounded, and how. */
  decimals: number;
  rounding: 'down' | 'nearest' | 'up';
  startNano: number;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
export const CREDIT_NANO = 1e9;
/** Nothing costs less: a small part of what the smallest published rate asks for a small picture. */
const LEAST_NANO = 10_000;

export function drawAccount(random: Random): Account {
  const isDefault = random.chance(0.5);
  const limits: Limits = {
    lambdaMs: isDefault ? 2 * MINUTE_MS : random.int(5, 600) * SECOND_MS,
    thetaMs: isDefault ? 3 * MINUTE_MS : random.int(5, 900) * SECOND_MS,
    rhoMs: isDefault ? 30 * MINUTE_MS : random.int(1, 90) * MINUTE_MS,
    syncMaxMs: random.pick([150 * SECOND_MS, 15 * MINUTE_MS]),
    followUpMs: 60 * MINUTE_MS,
  };
  const families: Family[] = [];
  const count = random.int(1, 4);
  for (let i = 0; i < count; i += 1) families.push(drawFamily(random, families));
  return {
    limits,
    families,
    decimals: random.int(2, 6),
    rounding: random.pick(['down', 'nearest', 'up'] as const),
    startNano: random.int(20, 90) * CREDIT_NANO + random.int(0, 999_999) * 1_000,
  };
}

function drawFamily(random: Random, others: Family[]): Family {
  const flow = random.chance(0.3) ? 'sync' : 'async';
  const charges = random.pick(['submit', 'completion', 'between'] as const);
  return {
    flow,
    charges: flow === 'sync' ? 'between' : charges,
    // What is believed is true or says nothing: learning is judged by itself.
    believed: flow === 'sync' || charges === 'between' || random.chance(0.4) ? 'unknown' : charges,
    renderMaxMs: random.pick([5, 30, 60, 120]) * MINUTE_MS,
    price: drawPrice(random, others),
    followUpNano: flow === 'async' && random.chance(0.06) ? random.int(1, 40) * 1e7 : 0,
  };
}

/** Prices of their own, and such as can be confused: equal, doubled, a sum, a hair apart, whole credits. */
function drawPrice(random: Random, others: Family[]): Range {
  const own = random.int(10, 2_000) * 10 ** random.int(3, 6);
  const [first, second] = others;
  const lo = first === undefined || random.chance(0.6) ? own : confusable(random, first.price.lo, second?.price.lo);
  const width = random.chance(0.65) ? 0 : random.pick([0.001, 0.02, 0.5, 3]);
  const exact = random.chance(0.05) ? random.int(1, 20) * CREDIT_NANO : lo;
  return { lo: exact, hi: Math.round(exact * (1 + width)) };
}

function confusable(random: Random, first: number, second = first): number {
  const made = random.pick([first, 2 * first, first + second, first + random.int(1, 20_000_000)]);
  return Math.max(LEAST_NANO, made);
}
