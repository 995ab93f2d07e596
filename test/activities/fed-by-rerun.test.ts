// What is being rendered again feeds nothing that was not sent (design 9, `callsheet rerun`).
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { inputActivities } from '../../activities/inputs.js';
import { submitActivities } from '../../activities/submit.js';
import type { RowRecord } from '../../src/domain/outcome.js';
import { editRow, fed } from '../support/chain-rows.js';
import { rowRecord } from '../support/row-record.js';
import { accountAtHand, countSends, plainRow } from './support/account-at-hand.js';

const HERO = plainRow('hero');
const EDIT = editRow('edit', fed('hero', 0), { index: 1 });

/** Row `edit` has its slot, and `hero`, which feeds it, stands as given. */
async function waiting(hero: Partial<RowRecord>) {
  const at = await accountAtHand([HERO, EDIT]);
  const sha256 = await at.deps.home.putBlob(Buffer.from('a picture'));
  const file = { file: 'media/hero.png', contentType: 'image/png', bytes: 9, sha256 };
  await at.deps.records.writeRecord('b', rowRecord({ id: 'hero', files: [file], rowHash: HERO.hash, ...hero }));
  const { deps, sent } = countSends(at.deps);
  const row = at.refOf(EDIT);
  const env = new MockActivityEnvironment();
  return {
    deps,
    sent,
    attempts: () => deps.ledger.read('b', 'edit'),
    submit: () => env.run(submitActivities(deps).submit, { row, n: 1, grant: null, sinceMs: 0 }),
    prepare: () => env.run(inputActivities(deps).fetchInputs, { row }),
  };
}

test('a row that waits for its slot is not sent with the file that is being replaced', async () => {
  const { submit, sent, attempts, prepare } = await waiting({ rerunAtMs: 5 });
  expect(await submit()).toEqual({ outcome: 'needs_inputs' });
  expect([sent(), await attempts()]).toEqual([0, []]);
  const text = 'row hero, which feeds it, is being rendered again';
  expect(await prepare()).toEqual({ reason: 'upstream_failed', text });
});

test('what was ordered with a render that failed is not paid, whatever clock the order was given by', async () => {
  const { prepare, deps } = await waiting({ flags: ['rerun_failed'], finishedAtMs: 1_000 });
  const ordered = { rerunAtMs: 3_000, rerunWith: ['hero'] };
  await deps.records.writeRecord('b', rowRecord({ id: 'edit', rowHash: EDIT.hash, ...ordered }));
  const text = 'row hero, which feeds it, was to be rendered again first';
  expect(await prepare()).toEqual({ reason: 'upstream_failed', text });
});

test('once that is over it is sent, also with the earlier file where the new render failed', async () => {
  const { submit, sent } = await waiting({ flags: ['rerun_failed'] });
  await submit();
  expect(sent()).toBe(1);
});
