// `resume --all` hands a batch that its server has forgotten over as it was ordered, with the retry that it carried out.
import { beforeEach, expect, test, vi } from 'vitest';
import { resumeAll } from '../../src/cli/batch/resume-batch.js';
import { newRetry } from '../../src/cli/batch/run-flags.js';
import type { Session } from '../../src/cli/session.js';
import { writeBatchOrder } from '../../src/home/batch-order.js';
import { accountAtHand, plainRow } from '../activities/support/account-at-hand.js';

const seen = vi.hoisted(() => ({ access: {} as object, given: [] as unknown[] }));
vi.mock('../../src/cli/access/home-access.js', async (original) => ({
  ...(await original<object>()),
  openHomeAccess: () => seen.access,
}));
vi.mock('../../src/cli/access/work-access.js', () => ({ startWork: async () => ({ close: async () => undefined }) }));
vi.mock('../../src/cli/batch/batch-source.js', () => ({
  createBatchSource: () => ({ state: async () => ({ state: 'absent' }) }),
}));
vi.mock('../../src/cli/batch/known-batch.js', async (original) => ({
  ...(await original<object>()),
  otherHomeText: async () => undefined,
}));
vi.mock('../../src/cli/batch/what-is-left.js', () => ({ hasOpenRows: async () => true }));
vi.mock('../../src/cli/batch/held-account.js', () => ({ tellHeldAccount: async () => undefined }));
vi.mock('../../src/cli/batch/submit-batch.js', () => ({
  submitBatch: async (_at: object, _work: object, given: object) => void seen.given.push(given),
  supplyAgain: async () => undefined,
}));

const TERMS = {
  limits: { maxCreditsNano: null, maxFailures: null },
  policy: { ambiguity: 'hold', retries: 0, wasteMaxNano: 0 },
} as const;
const session = { origins: new Map(), config: {} } as unknown as Session;

beforeEach(() => void seen.given.splice(0));

test.each([
  ['of these rows', true],
  ['of an earlier manifest', false],
])('a retry %s is kept: %s', async (_, isOfThese) => {
  const { deps, generation } = await accountAtHand([plainRow('r')]);
  await deps.home.bindOut('b', '/out', 1);
  await deps.rows.setCurrentGeneration('b', generation);
  seen.access = deps;
  const retry = newRetry(undefined);
  await writeBatchOrder(deps.home, 'b', { ...TERMS, retry, generation: isOfThese ? generation : 'other' });
  expect(await resumeAll(session, false)).toMatchObject({ resumed: ['b'] });
  expect(seen.given).toMatchObject([{ generation, retry: isOfThese ? retry : null }]);
});
