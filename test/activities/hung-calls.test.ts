// Images that hang until their limit, a quarter of an hour, are lost answers of the moment at which that is known.
import { expect, test } from 'vitest';
import { noteUnderWay } from '../../activities/row/claims.js';
import { noteCase } from '../../activities/row/semaphore-notes.js';
import { settleActivities } from '../../activities/settle.js';
import type { OpenedCase } from '../../src/contract/semaphore.js';
import { DEFAULT_SLOT_TERMS } from '../../src/domain/batch.js';
import { acquire, caseOpened, grantNext, newPermits, submitted } from '../../workflows/permits.js';
import { takeTerms } from '../../workflows/shares.js';
import { intent } from '../home/support/examples.js';
import { accountAtHand, MINUTE_MS, plainRow } from './support/account-at-hand.js';

test.each([
  ['T11', 1],
  ['T12', 0],
])(
  'a second one within ten minutes opens its breaker; one found after its process ended (%s) is as old as its claim',
  async (rule, open) => {
    const rows = ['a', 'b'].map((id, index) => plainRow(id, { index }));
    const { deps, clock, generation } = await accountAtHand(rows);
    const told: OpenedCase[] = [];
    deps.messenger.caseOpened = async (opened) => void told.push(opened);
    const claimedAtMs = clock.nowMs;
    clock.nowMs += 15 * MINUTE_MS;
    for (const { id, index, kind, hash } of rows) {
      const ref = { batch: 'b', id, n: 1 };
      await deps.ledger.claim(ref, intent({ atMs: claimedAtMs, rowHash: hash, kind, generation, index }));
      await deps.ledger.append(ref, { state: 'unknown', atMs: clock.nowMs, evidence: { rule, message: 'no answer' } });
      await noteCase(deps, ref, await deps.ledger.readAttempt(ref));
    }
    const state = newPermits(MINUTE_MS, clock.nowMs);
    for (const opened of told) caseOpened(state, opened, clock.nowMs);
    expect(state.breakers).toHaveLength(open);
  },
);

test('a breaker that closed stays closed though cases of a process that ended are told again at each look (T12)', async () => {
  const rows = ['a', 'b'].map((id, index) => plainRow(id, { index }));
  const { deps, clock, generation } = await accountAtHand(rows);
  const state = { ...newPermits(MINUTE_MS, clock.nowMs), planCap: 2 };
  deps.messenger.caseOpened = async (opened) => caseOpened(state, opened, clock.nowMs);
  for (const { id, index, kind, hash } of rows) {
    const ref = { batch: 'b', id, n: 1 };
    await deps.ledger.claim(ref, intent({ atMs: clock.nowMs, rowHash: hash, kind, generation, index }));
    const evidence = { rule: 'T12', message: 'its process ended' };
    await deps.ledger.append(ref, { state: 'unknown', atMs: clock.nowMs, evidence });
  }
  const look = async (): Promise<void> => {
    for (const { id } of rows) {
      const ref = { batch: 'b', id, n: 1 };
      await noteCase(deps, ref, await deps.ledger.readAttempt(ref));
    }
  };
  await look();
  expect(state.breakers).toHaveLength(1);
  clock.nowMs += MINUTE_MS;
  takeTerms(state, [{ batch: 'b', ...DEFAULT_SLOT_TERMS }], clock.nowMs);
  acquire(state, { job: { batch: 'b', id: 'c' }, kind: rows[0]?.kind ?? 'svc/image', holds: false }, clock.nowMs);
  for (const { grant } of grantNext(state, clock.nowMs)) submitted(state, grant, clock.nowMs);
  expect(state.breakers).toEqual([]);
  await look();
  expect(state.breakers).toEqual([]);
});

test('images that the server gave up while their calls still run are in flight: they open no breaker (T12)', async () => {
  const rows = ['a', 'b'].map((id, index) => plainRow(id, { index }));
  const { deps, clock, refOf, generation } = await accountAtHand(rows);
  const told: OpenedCase[] = [];
  deps.messenger.caseOpened = async (opened) => void told.push(opened);
  for (const row of rows) {
    const ref = { batch: 'b', id: row.id, n: 1 };
    const { index, kind, hash: rowHash } = row;
    await deps.ledger.claim(ref, intent({ atMs: clock.nowMs, rowHash, kind, generation, index }));
    noteUnderWay(deps, ref, 1);
    const step = await settleActivities(deps).settle({ row: refOf(row), n: 1, ambiguity: 'hold' });
    expect(step).toMatchObject({ outcome: 'wait' });
  }
  expect(told).toEqual([]);
});
