/** Expected charges, the checks that come before work is accepted, and the bookings when it is charged or given back. */

import type { AppliedFaults } from '../faults/fault-engine.js';
import type { Account } from './accounts.js';
import { multiplierNano, providerOf } from './discounts.js';
import { concurrentLimitExceeded, insufficientCredits, modelNotAvailable } from './errors.js';
import { parseCredits, roundCredits } from './money.js';
import { chargeNano, type PriceFacts, type Quantities } from './prices.js';
import type { JobRecord } from './truth.js';
import type { Call, World } from './world.js';

/** What the quantities cost this account at `atMs`, in 1e-9 credits; 0, and a violation, where no rule has a price. */
export function costNano(world: World, account: Account, facts: PriceFacts, used: Quantities, atMs: number): number {
  const multiplier = multiplierNano(account.discounts, facts.kind, atMs);
  const charge = chargeNano(world.options.prices, facts, used, multiplier);
  const { chargeDecimals, rounding } = world.options.assumptions;
  if (charge !== undefined) return roundCredits(charge, chargeDecimals, rounding);
  const detail = `no price for ${JSON.stringify(facts)}`;
  world.recorder.violate({ atMs, kind: 'no_price', account: account.name, detail });
  return 0;
}

/** Throws 403 where the model is restricted and the account has no grant for it. */
export function checkAccess(call: Call, facts: PriceFacts): void {
  const isRestricted = call.world.restrictedModels.includes(facts.model);
  if (isRestricted && !call.grants.includes(facts.model)) throw modelNotAvailable(facts.model, providerOf(facts.kind));
}

/**
 * Throws 402 where the balance does not cover the expected charge. What running work is expected to cost is set aside,
 * so that accepted work can always be paid.
 */
export function checkCredits(call: Call, expectedNano: number): void {
  const available = call.account.balance.availableNano();
  if (available < expectedNano) throw insufficientCredits(expectedNano, available);
}

/** Throws 429 where every slot of the plan is taken. */
export function checkSlot(call: Call): void {
  const { account, world } = call;
  if (account.slots.used + account.foreignSlots < account.caps.concurrent) return;
  world.recorder.violate({
    atMs: world.clock.nowMs(),
    kind: 'concurrent_refused',
    account: account.name,
    detail: `${call.route.names[0]} with ${account.slots.used + account.foreignSlots} jobs running`,
  });
  throw concurrentLimitExceeded(account.caps.concurrent, world.options.retryAfter ? 30 : undefined);
}

/** Takes a slot; more jobs than the cap (through faults or a smaller plan) are noted as a violation. */
export function takeSlot(world: World, account: Account, atMs: number, jobId: string): void {
  account.slots.take();
  if (account.slots.used > account.caps.concurrent) {
    const detail = `${jobId} made ${account.slots.used} jobs at a cap of ${account.caps.concurrent}`;
    world.recorder.violate({ atMs, kind: 'jobs_over_cap', account: account.name, detail });
  }
}

/** A purchase of credits at the moment that a fault chooses. */
export function topUpByFault(world: World, account: Account, faults: AppliedFaults): void {
  const bought = faults.get('top-up');
  if (bought === undefined) return;
  const amountNano = parseCredits(bought.credits);
  const { clock, scheduler } = world;
  scheduler.at(clock.nowMs() + clock.serviceMs(bought.serviceSeconds ?? 0), (atMs) => {
    account.balance.book({ atMs, kind: 'top_up', amountNano });
  });
}

/** Books a charge (or a reservation) of a job. */
export function charge(
  account: Account,
  record: JobRecord,
  kind: 'charge' | 'reserve' | 'follow_up',
  nano: number,
  atMs: number,
): void {
  if (nano === 0) return;
  account.balance.book({ atMs, kind, amountNano: -nano, jobId: record.id });
  record.chargedNano += nano;
  record.chargedMs ??= atMs;
}

/** Gives back all that a job was charged and not yet refunded. */
export function refund(account: Account, record: JobRecord, atMs: number): void {
  const nano = record.chargedNano - record.refundedNano;
  if (nano === 0) return;
  account.balance.book({ atMs, kind: 'refund', amountNano: nano, jobId: record.id });
  record.refundedNano += nano;
  record.refundedMs = atMs;
}
