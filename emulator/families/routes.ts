/** Every route of the service, and the account reads themselves (service document 1, "Resources and their fields"). */

import { creditsNumber, roundCredits } from '../model/money.js';
import { activeDiscounts } from '../model/prices.js';
import { type Answer, type Call, get, ok, type Route } from '../model/world.js';
import { SVC_CLIP_ROUTES } from './svc-clips.js';
import { SVC_EDIT_ROUTES } from './svc-edits.js';
import { SVC_IMAGE_ROUTES } from './svc-images.js';
import { VENDOR_A_ROUTES } from './vendor-a.js';
import { VENDOR_B_ROUTES } from './vendor-b.js';
import { SHARED_ROUTES } from './vendor-c-and-g.js';
import { VENDOR_D_ROUTES } from './vendor-d.js';
import { VENDOR_E_ROUTES } from './vendor-e.js';
import { VENDOR_F_ROUTES } from './vendor-f.js';

const ACCOUNT_ROUTES: readonly Route[] = [
  get('/v1/credits', ['credits', 'account.credits'], readCredits),
  get('/v1/discounts', ['discounts', 'account.discounts'], readDiscounts),
];

/** In the order of the documents. */
export const ROUTES: readonly Route[] = [
  ...ACCOUNT_ROUTES,
  ...SVC_IMAGE_ROUTES,
  ...SVC_EDIT_ROUTES,
  ...SVC_CLIP_ROUTES,
  ...VENDOR_B_ROUTES,
  ...VENDOR_A_ROUTES,
  ...SHARED_ROUTES,
  ...VENDOR_D_ROUTES,
  ...VENDOR_E_ROUTES,
  ...VENDOR_F_ROUTES,
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
