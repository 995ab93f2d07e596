// A slot goes from the job that ends to the next one within the worker (docs/figures.md, Where a turnover goes).
import { expect, test } from 'vitest';
import { endClaims } from '../../activities/row/claims.js';
import { giveBack } from '../../activities/row/semaphore-notes.js';
import type { Release } from '../../src/contract/semaphore.js';
import { createStandby } from '../../src/worker/standby.js';
import { accountAtHand, plainRow } from './support/account-at-hand.js';

const NEXT = { batch: 'b', id: 'next' };

/** A job with grant 1 ends while another stands by, which was named as the next. */
async function ending(answer: () => Promise<boolean>) {
  const { deps: atHand } = await accountAtHand([plainRow('r')]);
  const standby = createStandby(() => 0);
  const heard: Release[] = [];
  const told: string[] = [];
  const release = async (message: Release) => {
    heard.push(message);
    const isHeard = await answer();
    told.push('answered');
    return isHeard;
  };
  const deps = { ...atHand, standby, messenger: { ...atHand.messenger, release } };
  standby.nameHeirs({ heirs: [{ job: NEXT, grant: 7, expected: null }], held: [1] });
  const word = standby.wait(NEXT, 100).then((granted) => {
    told.push(granted === undefined ? 'waits on' : 'goes on');
    return granted;
  });
  return { deps, heard, told, word };
}

test('I4: the next job goes on once the semaphore is sure to hear of it, and not sooner', async () => {
  const { deps, heard, told, word } = await ending(() => new Promise((resolve) => setTimeout(resolve, 20, true)));
  expect(await giveBack(deps, { grant: 1 }, { done: true })).toEqual({ released: true });
  expect(await word).toEqual({ grant: 7, expected: null });
  expect(heard).toEqual([{ grant: 1, done: true, heir: { job: NEXT, grant: 7 } }]);
  expect(told).toEqual(['answered', 'goes on']);
});

test.each<[string, () => Promise<boolean>]>([
  ['no semaphore runs', async () => false],
  ['the server is away', () => Promise.reject(new Error('away'))],
])('I4: nobody goes on where the semaphore may not have heard of it: %s', async (_why, answer) => {
  const { deps, word } = await ending(answer);
  expect(await giveBack(deps, { grant: 1 }, { done: true })).toEqual({});
  expect(await word).toBeUndefined();
});

test('a worker that claims nothing any more hands nothing on', async () => {
  const { deps, heard, word } = await ending(async () => true);
  endClaims(deps);
  expect(await giveBack(deps, { grant: 1 }, { done: true })).toEqual({ released: true });
  expect(heard).toEqual([{ grant: 1, done: true }]);
  expect(await word).toBeUndefined();
});
