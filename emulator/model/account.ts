/** GET /v1/credits and GET /v1/discounts (service document 1, "Resources and their fields"). */
import { activeDiscounts } from './discounts.js';
import { creditsNumber, roundCredits } from './money.js';
import { type Answer, type Call, ok, type Route } from './world.js';

export const ACCOUNT_ROUTES: readonly Route[] = [
  { method: 'GET', pattern: '/v1/credits', names: ['credits', 'account.credits'], handler: readCredits },
  { method: 'GET', pattern: '/v1/discounts', names: ['discounts', 'account.discounts'], handler: readDiscounts },
];

function readCredits(call: Call): Answer {
  const { account } = call;
  return ok({
    credits_remaining: shownBalance(call),
    plan_level: account.plan,
    rpm_limit: account.caps.rpm,
    concurrent_limit: account.caps.concurrent,
  });
}

/** The balance as of the lag, or what a fault makes of it. */
function shownBalance({ account, faults, world }: Call): unknown {
  const forced = faults.get('show-balance');
  if (forced !== undefined) return forced.value;
  const { clock } = world;
  const { balanceReads, balanceDecimals, rounding } = world.options.assumptions;
  const oldMs = clock.serviceMs(faults.get('show-old-balance')?.serviceSeconds ?? 0);
  const lagMs = clock.serviceMs(world.balanceLagSeconds);
  const shownNano = account.balance.shownNano(clock.nowMs() - oldMs, lagMs, balanceReads);
  const rounded = roundCredits(shownNano, balanceDecimals, rounding);
  return creditsNumber(rounded) + (faults.get('add-balance-noise')?.amount ?? 0);
}

function readDiscounts({ account, faults, world }: Call): Answer {
  const ageSeconds = faults.get('show-old-discounts')?.serviceSeconds ?? 0;
  const atMs = world.clock.nowMs() - world.clock.serviceMs(ageSeconds);
  return ok({ discounts: activeDiscounts(account.discounts, atMs) });
}
