// A row whose answer was found after all takes its place in the window again (design 4, `batch`).
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { JobInput } from '../../src/contract/workflows.js';
import { firstState, stepAfter } from '../../workflows/job-state.js';
import type { JobParts } from '../../workflows/job-steps.js';
import { settleCase } from '../../workflows/settle-case.js';

const noted: unknown[] = [];

vi.mock('@temporalio/workflow', async (original) => ({
  ...(await original<typeof import('@temporalio/workflow')>()),
  sleep: async () => undefined,
}));
const { confirmHandle, fetchSalvaged, settle, readDiscounts } = vi.hoisted(() => ({
  confirmHandle: vi.fn(),
  fetchSalvaged: vi.fn(),
  settle: vi.fn(),
  readDiscounts: vi.fn(),
}));
vi.mock('../../workflows/proxies.js', () => ({
  homeProxy: () => ({ settle }),
  downloadProxy: () => ({ fetchSalvaged }),
  accountProxy: () => ({ readAccount: async () => undefined, confirmHandle }),
  discountsProxy: () => ({ readDiscounts }),
}));

beforeEach(() => {
  noted.splice(0);
  for (const mock of [confirmHandle, fetchSalvaged, settle, readDiscounts]) mock.mockReset();
});

const row = { batch: 'b', generation: 'g', part: 0, index: 0, id: 'r', kind: 'svc/image' as const };
const policy = { ambiguity: 'hold' as const, retries: 0 };
const state = firstState({ row, begins: 'case', attempts: 1, policy, account: 'a', timeScale: 1 } satisfies JobInput);
const news = { within: async () => false };
const parts = { account: 'a', timeScale: 1, looks: () => 0, news } as unknown as JobParts;

it('tells its batch that the case is over', async () => {
  fetchSalvaged.mockResolvedValue('done');
  const happened = await settleCase(parts, state, async (end) => void noted.push(end));
  const { do: effects, next } = stepAfter(state, happened);
  expect([noted, effects, next]).toEqual([[{}], [{ do: 'note case', end: { isOver: true } }], { step: 'download' }]);
});

describe('a verdict that waits for the discounts (service document 1, Discount window)', () => {
  const verdict = { outcome: 'verdict', verdict: 'not_billed', slotUntilMs: 0 } as const;
  const unpriced = { outcome: 'wait', delayMs: 10, discountsSinceMs: 7 } as const;
  const settled = () => settleCase(parts, state, async () => undefined);

  it('comes once they were read as they are since then', async () => {
    fetchSalvaged.mockResolvedValue('nothing');
    settle.mockResolvedValueOnce(unpriced).mockResolvedValueOnce(verdict);
    expect(await settled()).toEqual({ what: 'settled', result: verdict });
    expect(readDiscounts.mock.calls).toEqual([[{ sinceMs: 7 }]]);
  });

  it('goes without them where they cannot be read', async () => {
    fetchSalvaged.mockResolvedValue('nothing');
    readDiscounts.mockRejectedValue(new Error('503'));
    settle.mockImplementation(async ({ withoutDiscounts }) => (withoutDiscounts ? verdict : unpriced));
    expect(await settled()).toEqual({ what: 'settled', result: verdict });
    expect(readDiscounts).toHaveBeenCalledTimes(3);
  });
});

it('TH: a time that the service names for the next poll of a lost handle is heeded, and its case looked at meanwhile', async () => {
  const verdict = { outcome: 'verdict', verdict: 'not_billed', slotUntilMs: 0 } as const;
  confirmHandle.mockResolvedValue({ confirmed: false, more: false, open: true, waitMs: 3_600_000 });
  settle.mockResolvedValueOnce({ outcome: 'wait', delayMs: 10, hinted: true }).mockResolvedValueOnce(verdict);
  const film = { ...state, row: { ...row, kind: 'vendor-f/video' as const } };
  expect(await settleCase(parts, film, async () => undefined)).toEqual({ what: 'settled', result: verdict });
  expect(confirmHandle).toHaveBeenCalledTimes(1);
});
