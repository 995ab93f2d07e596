/** What an emulator can be told when it starts, and the values that hold where nothing is told. */

import { type FaultRule, parseEmulatorFaults } from '../faults/faults.js';
import { PLANS, type Plan } from './accounts.js';
import type { Assumptions } from './assumptions.js';
import { DEFAULT_PRICES } from './default-prices.js';
import { type AssumptionOptions, resolveAssumptions } from './drawn-assumptions.js';
import type { KeyOption } from './keys.js';
import { parseCredits } from './money.js';
import { type Discount, type PriceRule, parsePriceRules } from './prices.js';

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
  /** The part of renders that fail, 0 to 1; default 0. */
  failRate?: number;
  /** The part of prompt rewrites (`prompt_expansion` = `standard`) that fail, 0 to 1; default 0. */
  rewriteFailRate?: number;
  /** What the documents do not show: drawn from a `seed`, or given one by one; calm where nothing is said. */
  assumptions?: AssumptionOptions;
  /** Short for the assumptions of these names. */
  renderSeconds?: AssumptionOptions['renderSeconds'];
  balanceLagSeconds?: number;
  chargeAt?: AssumptionOptions['chargeAt'];
  /** Adds `Retry-After` to the emulator's own 429 answers; default false. */
  retryAfter?: boolean;
}

/** The options with every default filled in. */
export type ResolvedOptions = Required<
  Omit<
    EmulatorOptions,
    'balanceCredits' | 'verbose' | 'assumptions' | 'renderSeconds' | 'balanceLagSeconds' | 'chargeAt'
  >
> & {
  balanceNano: number;
  verbose: EmulatorOptions['verbose'];
  assumptions: Assumptions;
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
    assumptions: assumptionsOf(options),
    failRate: options.failRate ?? 0,
    rewriteFailRate: options.rewriteFailRate ?? 0,
    retryAfter: options.retryAfter ?? false,
  };
}

function assumptionsOf({ assumptions, renderSeconds, chargeAt, balanceLagSeconds }: EmulatorOptions): Assumptions {
  return resolveAssumptions({
    ...assumptions,
    renderSeconds: { ...assumptions?.renderSeconds, ...renderSeconds },
    chargeAt: { ...assumptions?.chargeAt, ...chargeAt },
    ...(balanceLagSeconds === undefined ? {} : { balanceLagSeconds }),
  });
}
