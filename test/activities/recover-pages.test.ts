// Every attempt at the service becomes a holder, also where another one ends between two pages of them (I4).
import { expect, test } from 'vitest';
import { slotActivities } from '../../activities/slots.js';
import { intent } from '../home/support/examples.js';
import { accountAtHand, plainRow } from './support/account-at-hand.js';

const KIND = 'vendor-f/video' as const;

test('a render that ends while the holders are read hides no other', async () => {
  const rows = Array.from({ length: 20 }, (_, index) =>
    plainRow(`r${String(index).padStart(2, '0')}`, { index, kind: KIND }),
  );
  const { deps, clock, generation } = await accountAtHand(rows);
  for (const { id, hash: rowHash, index } of rows) {
    const ref = { batch: 'b', id, n: 1 };
    await deps.ledger.claim(ref, intent({ atMs: clock.nowMs, rowHash, kind: KIND, generation, index }));
    await deps.ledger.append(ref, { state: 'created', atMs: clock.nowMs, handle: `h-${id}` });
  }
  const { recoverOpen } = slotActivities(deps);
  const first = await recoverOpen({ from: 0 });
  const ended = first.holders[0]?.job.id ?? '';
  // Another worker of the account polls on: its render ends just now.
  const ref = { batch: 'b', id: ended, n: 1 };
  await deps.ledger.append(ref, { state: 'rendered', atMs: clock.nowMs, outputs: [], facts: {} });
  await deps.ledger.close(ref);
  const found = [...first.holders];
  for (let next = first.next; next !== null; ) {
    const page = await recoverOpen({ from: next });
    found.push(...page.holders);
    next = page.next;
  }
  const ids = new Set(found.map(({ job }) => job.id));
  expect(rows.map(({ id }) => id).filter((id) => id !== ended && !ids.has(id))).toEqual([]);
});
