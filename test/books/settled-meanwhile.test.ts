// What is recorded while the balance is weighed outdoes the verdict: the ledger is read again before each (design 3).
import { expect, test } from 'vitest';
import type { Row } from '../../src/domain/row.js';
import { filmsAtHand, filmsOf } from './support/films-at-hand.js';

const [A] = filmsOf('a') as [Row];

test('TH: a handle in the cut answer of a worker that was cut off is asked after, though the bill shows', async () => {
  const { deps, clock, lose, readUntil, settle } = await filmsAtHand([A]);
  await readUntil(5);
  await lose(A);
  await readUntil(8, (minute) => (minute > 6 ? 0.2 : 0));
  const { append } = deps.ledger;
  deps.ledger.append = async (ref, state, seen) => {
    deps.ledger.append = append;
    const evidence = { rule: 'TH', status: 502, message: 'a handle was found' };
    await append(ref, { state: 'created_lost', atMs: clock.nowMs, evidence, salvagedHandle: 'task-1' });
    return append(ref, state, seen);
  };
  expect(await settle(A)).toEqual({ outcome: 'wait', delayMs: 100 });
  expect(await settle(A)).toMatchObject({ outcome: 'wait', hinted: true });
});
