/** The bill of one job or synchronous call: what is set aside for it, when it is charged, and what is given back. */

import type { AppliedFaults } from '../faults/fault-engine.js';
import type { Account } from './accounts.js';
import type { Family } from './assumptions.js';
import { charge, costNano, refund } from './billing.js';
import type { Bill } from './job.js';
import type { PriceFacts, Quantities } from './prices.js';
import { createRandom } from './random.js';
import type { JobRecord } from './truth.js';
import { holdBack } from './withheld.js';
import type { World } from './world.js';

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
