import { expect, test } from 'vitest';
import { asOrdered, givenLimits, goingLimits, termsOf } from '../../src/cli/batch/batch-terms.js';
import { tellUnheld } from '../../src/cli/batch/resume-refusals.js';
import type { Session } from '../../src/cli/session.js';
import type { BatchLimits } from '../../src/domain/batch.js';
import { writeBatchOrder } from '../../src/home/batch-order.js';
import { seededHome } from './seeded-home.js';

const ORDERED = {
  limits: { maxCreditsNano: 40_000_000_000, maxFailures: { rows: 5 } },
  policy: { ambiguity: 'if-proved', retries: 1, wasteMaxNano: 7 },
} as const;

function sessionOf(given: object, flags: string[] = []): Session {
  const budget = { maxCredits: null, maxFailures: null, askAbove: 0 };
  const config = { budget, ambiguity: 'hold', alwaysMaxWaste: 0, ...given };
  return { config, origins: new Map(flags.map((setting) => [setting, { name: 'flag' }])) } as unknown as Session;
}

test('a command that goes on with a batch keeps the limits and the policy that it was run with', () => {
  const { limits, policy } = termsOf(asOrdered(sessionOf({}), ORDERED), 0);
  expect([limits, policy]).toEqual([ORDERED.limits, { ...ORDERED.policy, retries: 0 }]);
});

test('what it says itself goes before', () => {
  const budget = { maxCredits: 60_000_000_000, maxFailures: null, askAbove: 0 };
  const own = sessionOf({ budget, ambiguity: 'always', alwaysMaxWaste: 9 }, ['ambiguity', 'budget.maxCredits']);
  expect(termsOf(asOrdered(own, ORDERED), 0)).toEqual({
    limits: { maxCreditsNano: 60_000_000_000, maxFailures: { rows: 5 } },
    policy: { ambiguity: 'always', retries: 0, wasteMaxNano: 9 },
  });
});

test('what a settings file says for all batches does not', () => {
  const budget = { maxCredits: 60_000_000_000, maxFailures: { rows: 9 }, askAbove: 0 };
  expect(termsOf(asOrdered(sessionOf({ budget, ambiguity: 'always' }), ORDERED), 1)).toEqual(ORDERED);
});

test('resume takes no budget from a settings file for one that the batch was run with', () => {
  const budget = { maxCredits: 60_000_000_000, maxFailures: { rows: 9 }, askAbove: 0 };
  const kept = (flags: string[], limits: BatchLimits) =>
    givenLimits(goingLimits(sessionOf({ budget }, flags), limits), limits);
  expect(kept([], ORDERED.limits)).toEqual(ORDERED.limits);
  const raised = { ...ORDERED.limits, maxCreditsNano: 60_000_000_000 };
  expect(kept(['budget.maxCredits'], ORDERED.limits)).toEqual(raised);
  // One that has none has that of the settings.
  expect(kept([], { maxCreditsNano: null, maxFailures: { rows: 5 } })).toEqual(raised);
});

test('a batch of an earlier callsheet, which kept no order, has the terms of the command', () => {
  const session = sessionOf({});
  expect(asOrdered(session, undefined)).toBe(session);
});

test('flags of a finished batch that say other than what it was run with are told that they change nothing', async () => {
  const home = await seededHome('b', [{ id: 'one', record: {} }]);
  const slots = { concurrency: 4, weight: 2, priority: 0 };
  await writeBatchOrder(home.home, 'b', { ...ORDERED, slots });
  const said: string[] = [];
  const config = { limits: { concurrency: 4 }, budget: {} };
  const origins = new Map([['limits.concurrency', { name: 'flag' }]]);
  const session = { config, origins, terminal: { warn: (text: string) => said.push(text) } } as unknown as Session;
  const at = { session, access: home as never, batch: 'b', generation: { generation: 'g' } as never };
  await tellUnheld(at, { weight: 2 }, false);
  expect(said).toEqual([]);
  Object.assign(config.limits, { concurrency: 5 });
  await tellUnheld(at, { weight: 2, priority: 3 }, false);
  const flags = '--concurrency 5 --priority 3';
  expect(said).toEqual([
    `${flags} changes nothing where no row is run: \`callsheet limits b ${flags}\` sets it for what follows`,
  ]);
});
