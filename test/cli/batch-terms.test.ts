import { expect, test } from 'vitest';
import { asOrdered, termsOf } from '../../src/cli/batch/batch-terms.js';
import type { Session } from '../../src/cli/session.js';

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

test('a batch of an earlier callsheet, which kept no order, has the terms of the command', () => {
  const session = sessionOf({});
  expect(asOrdered(session, undefined)).toBe(session);
});
