/** What an emulator can be told when it starts, and the values that hold where nothing is told. */
import { DEFAULT_PRICES } from './default-prices.js';
import type { Discount } from './discounts.js';
import { type FaultRule, parseEmulatorFaults } from './faults.js';
import type { KeyOption } from './keys.js';
import { PLANS, type Plan } from './limits.js';
import { parseCredits } from './money.js';
import { type PriceRule, parsePriceRules } from './prices.js';

/** What renders: each has its own render times and its own instant of charging. */
const FAMILIES = [
  'svc/image',
  'svc/edit',
  'svc/clip',
  'svc/animation',
  'vendor-a',
  'vendor-b',
  'vendor-c',
  'vendor-g',
  'vendor-d',
  'vendor-e',
  'vendor-f',
  'vendor-f/interaction',
] as const;
export type Family = (typeof FAMILIES)[number];
export type ChargeAt = 'submit' | 'completion';

export interface EmulatorOptions {
  /** Default 0: any free port. The host is always 127.0.0.1. */
  port?: number;
  /** Default `pro`. */
  plan?: Plan;
  /** Decimal credits; default `"100"`. */
  balanceCredits?: string;
  /**
   * Default 1. Divides render times, balance lag, expiry and lifetimes; multiplies the plan's requests per minute (as
   * reported and as enforced), never its simultaneous jobs.
   */
  speed?: number;
  /** Default 1: render times, failures, handles and faults by chance follow from it. */
  seed?: number;
  /** Tried before the emulator's own prices. */
  prices?: readonly PriceRule[];
  discounts?: readonly Discount[];
  /** Default: one active key, `sk-svc-emulator`. */
  keys?: readonly KeyOption[];
  /** Model ids that need a grant (for the avatar engines `avatar_iv` and `avatar_v`). */
  restrictedModels?: readonly string[];
  faults?: readonly FaultRule[];
  /** Default false: opens `/_truth` and `/_control`. */
  control?: boolean;
  /** Receives one line per request. */
  verbose?: (line: string) => void;
  /** Service seconds, from and to, per family. */
  renderSeconds?: Partial<Record<Family, readonly [number, number]>>;
  /** The part of renders that fail, 0 to 1; default 0. */
  failRate?: number;
  /** The part of prompt rewrites (`prompt_expansion` = `standard`) that fail, 0 to 1; default 0. */
  rewriteFailRate?: number;
  /** How many service seconds late GET /v1/credits is; default 0. */
  balanceLagSeconds?: number;
  /** Overrides when a family is charged. */
  chargeAt?: Partial<Record<Family, ChargeAt>>;
  /** Adds `Retry-After` to the emulator's own 429 answers; default false. */
  retryAfter?: boolean;
}

export interface ResolvedOptions {
  port: number;
  plan: Plan;
  balanceNano: number;
  speed: number;
  seed: number;
  prices: readonly PriceRule[];
  discounts: readonly Discount[];
  keys: readonly KeyOption[];
  restrictedModels: readonly string[];
  faults: readonly FaultRule[];
  control: boolean;
  verbose: ((line: string) => void) | undefined;
  renderSeconds: Readonly<Record<Family, readonly [number, number]>>;
  failRate: number;
  rewriteFailRate: number;
  balanceLagSeconds: number;
  chargeAt: Readonly<Record<Family, ChargeAt>>;
  retryAfter: boolean;
}

/** Avatar renders last as long as the speech times a factor, unless the options give fixed times: see vendor-b.ts. */
const RENDER_SECONDS: ResolvedOptions['renderSeconds'] = {
  'svc/image': [1, 4],
  'svc/edit': [2, 6],
  'svc/clip': [10, 30],
  'svc/animation': [10, 30],
  'vendor-a': [30, 180],
  'vendor-b': [0, 0],
  'vendor-c': [30, 180],
  'vendor-g': [30, 180],
  'vendor-d': [30, 180],
  'vendor-e': [30, 180],
  'vendor-f': [60, 240],
  'vendor-f/interaction': [2, 6],
};

const CHARGE_AT: ResolvedOptions['chargeAt'] = {
  'svc/image': 'completion',
  'svc/edit': 'completion',
  'svc/clip': 'completion',
  'svc/animation': 'completion',
  'vendor-a': 'completion',
  'vendor-b': 'completion',
  'vendor-c': 'completion',
  'vendor-g': 'completion',
  'vendor-d': 'completion',
  'vendor-e': 'completion',
  // "Reserved at submit; a failed job is refunded automatically" (service document 2, Limits).
  'vendor-f': 'submit',
  'vendor-f/interaction': 'completion',
};

/** Checks the options and fills in the defaults; throws one sentence that names the setting. */
export function resolveOptions(options: EmulatorOptions): ResolvedOptions {
  const speed = options.speed ?? 1;
  if (!(speed > 0 && Number.isFinite(speed))) throw new Error(`speed ${speed} is not a number above 0`);
  const plan = options.plan ?? 'pro';
  if (!PLANS.includes(plan)) throw new Error(`unknown plan '${plan}'; known: ${PLANS.join(', ')}`);
  for (const name of ['failRate', 'rewriteFailRate'] as const) {
    const rate = options[name] ?? 0;
    if (!(rate >= 0 && rate <= 1)) throw new Error(`${name} ${rate} is not between 0 and 1`);
  }
  for (const name of [...Object.keys(options.renderSeconds ?? {}), ...Object.keys(options.chargeAt ?? {})]) {
    if (!FAMILIES.some((family) => family === name)) {
      throw new Error(`unknown family '${name}'; known: ${FAMILIES.join(', ')}`);
    }
  }
  return {
    port: options.port ?? 0,
    plan,
    balanceNano: parseCredits(options.balanceCredits ?? '100'),
    speed,
    seed: options.seed ?? 1,
    prices: [...parsePriceRules(options.prices ?? []), ...DEFAULT_PRICES],
    discounts: options.discounts ?? [],
    keys: options.keys ?? [{ key: 'sk-svc-emulator', state: 'active' }],
    restrictedModels: options.restrictedModels ?? [],
    faults: parseEmulatorFaults(options.faults ?? []),
    control: options.control ?? false,
    verbose: options.verbose,
    renderSeconds: { ...RENDER_SECONDS, ...options.renderSeconds },
    failRate: options.failRate ?? 0,
    rewriteFailRate: options.rewriteFailRate ?? 0,
    balanceLagSeconds: options.balanceLagSeconds ?? 0,
    chargeAt: { ...CHARGE_AT, ...options.chargeAt },
    retryAfter: options.retryAfter ?? false,
  };
}
