// While a page is read a row may be let be paid again: what the page brings was chosen for the room before that (I20).
import { beforeEach, expect, it, vi } from 'vitest';
import { newBatchState, supplyRows } from '../../workflows/batch-state.js';
import { reservePayment, roomNano } from '../../workflows/budget.js';
import { openRows } from '../../workflows/open-rows.js';
import { pageEntry, pageOf } from './support/page-entry.js';

const { pageRows } = vi.hoisted(() => ({ pageRows: vi.fn() }));
vi.mock('@temporalio/workflow', async (original) => ({
  ...(await original<typeof import('@temporalio/workflow')>()),
  patched: () => true,
}));
vi.mock('../../workflows/proxies.js', () => ({ homeProxy: () => ({ pageRows }) }));

beforeEach(() => pageRows.mockReset());

it('a row that does not fit any more is left to the next page', async () => {
  const state = newBatchState(0);
  supplyRows(state, { generation: 'g', rows: 2, retry: null, limits: { maxCreditsNano: 25, maxFailures: null } });
  Object.assign(state, { spentNano: 0, window: 20 });
  const next = { part: 0, index: 1 };
  const row = { batch: 'b', generation: 'g', part: 0, index: 0, id: 'lost', kind: 'svc/image' } as const;
  state.open.push({ row, countedIn: 'g', restarts: 0, sinceMs: 0, upToNano: 10 });
  pageRows.mockImplementationOnce(async ({ roomNano: room }: { roomNano: number }) => {
    expect(room).toBe(15);
    expect(reservePayment(state, { id: 'lost', n: 1, nano: 10 })).toBe(true);
    return pageOf({ entries: [pageEntry(1, 'next', 10)], next });
  });
  const started: string[] = [];
  const rows = openRows({ account: 'a', batch: 'b' } as never, state, {
    isWoken: () => false,
    touch: () => undefined,
    start: async (fresh) => void started.push(...fresh.map(({ opened }) => opened.row.id)),
  });
  await rows.more();
  expect({ started, room: roomNano(state), cursor: state.cursor }).toEqual({
    ...{ started: [], room: 5, cursor: { part: 0, index: 0 } },
  });
  expect(rows.hasRoom()).toBe(true);
  pageRows.mockResolvedValueOnce(pageOf({ next, isShort: true }));
  await rows.more();
  expect(pageRows.mock.calls.at(-1)?.[0]).toMatchObject({ roomNano: 5 });
});
