/** Money of work: what it is expected to cost, the checks before it is accepted, its bill, and what faults make late. */

import type { AppliedFaults } from '../faults/fault-engine.js';
import type { Account } from './accounts.js';
import type { Family } from './assumptions.js';
import { concurrentLimitExceeded, insufficientCredits, modelNotAvailable } from './errors.js';
import type { Bill } from './job.js';
import { parseCredits, roundCredits } from './money.js';
import { chargeNano, multiplierNano, type PriceFacts, providerOf, type Quantities } from './prices.js';
import { createRandom } from './random.js';
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

interface Billed {
  record: JobRecord;
  account: Account;
  family: Family;
  facts: PriceFacts;
  /** Read when the charge is booked: a family may know them only then. */
  quantities: Quantities;
  faults: AppliedFaults;
}

/** Reserves the expected charge, or sets it aside until it comes. */
export function openBill(world: World, billed: Billed, atMs: number): Bill {
  const { record, account, family, faults } = billed;
  const { clock, scheduler } = world;
  const when = world.options.assumptions.chargeAt[family];
  const late = faults.get('late-charge');
  let isDue = when !== 'submit';
  if (isDue) account.balance.commit(record.expectedNano);
  else charge(account, record, 'reserve', record.expectedNano, atMs);
  const book = (dueMs: number): void => {
    if (!isDue) return;
    isDue = false;
    account.balance.commit(-record.expectedNano);
    charge(account, record, 'charge', costNano(world, account, billed.facts, billed.quantities, dueMs), dueMs);
  };
  return {
    duringRender(startMs, renderMs, isFailingCall = false) {
      const random = createRandom(world.options.seed, `charge ${record.id}`);
      const dueMs = startMs + random.next() * renderMs;
      const { failedCallsDeducted } = world.options.assumptions;
      const isDeducted = when === 'completion' && isFailingCall && random.chance(failedCallsDeducted);
      if ((when === 'between' || isDeducted) && late === undefined) scheduler.at(dueMs, book);
    },
    succeed(endMs) {
      const chargeMs = endMs + clock.serviceMs(late?.serviceSeconds ?? 0);
      if (isDue && chargeMs === endMs) book(endMs);
      else if (isDue) holdBack(world, chargeMs, book);
      const back = faults.get('refund-charge');
      if (back !== undefined) {
        scheduler.at(chargeMs + clock.serviceMs(back.serviceSeconds), (dueMs) => refund(account, record, dueMs));
      }
      return chargeMs;
    },
    fail(endMs) {
      if (isDue) account.balance.commit(-record.expectedNano);
      else giveBack(world, account, record, endMs);
      isDue = false;
    },
  };
}

function giveBack(world: World, account: Account, record: JobRecord, endMs: number): void {
  const { options, clock, scheduler } = world;
  const seconds = createRandom(options.seed, `refund ${record.id}`).within(options.assumptions.refundSeconds);
  // At once where nothing is late, so that the balance of a failed call is right when its answer arrives.
  if (seconds === 0) refund(account, record, endMs);
  else scheduler.at(endMs + clock.serviceMs(seconds), (dueMs) => refund(account, record, dueMs));
}

/** Acts at `dueMs`, or when `hurry` is called before. */
export function holdBack({ scheduler, withheld }: World, dueMs: number, act: (atMs: number) => void): void {
  const once = (atMs: number): void => {
    if (withheld.delete(once)) act(atMs);
  };
  withheld.add(once);
  scheduler.at(dueMs, once);
}

export function hurry({ clock, withheld }: World): void {
  for (const act of [...withheld]) act(clock.nowMs());
}
