// A row that a person settled goes on once what feeds it is there, also where its batch goes on for single rows alone.
import { expect, test } from 'vitest';
import { fedRowActivities } from '../../activities/fed-rows.js';
import { intent } from '../home/support/examples.js';
import { editRow, fed } from '../support/chain-rows.js';
import { rowRecord } from '../support/row-record.js';
import { accountAtHand, plainRow } from './support/account-at-hand.js';

const HERO = plainRow('hero');
const EDIT = editRow('edit', fed('hero', 0), { index: 1 });
const FILE = { file: 'media/hero.png', contentType: 'image/png', bytes: 9, sha256: 'aa' };

/** `edit` stood in review and was ordered to be submitted again, or not, while `hero` was rendered again. */
async function opened(isSettled: boolean) {
  const { deps, generation, refOf } = await accountAtHand([HERO, EDIT]);
  Object.assign(deps.messenger, { areOpen: async () => [false] });
  const ref = { batch: 'b', id: 'edit', n: 1 };
  await deps.ledger.claim(ref, intent({ rowHash: EDIT.hash, kind: EDIT.kind, generation, index: 1 }));
  await deps.ledger.append(ref, { state: 'unknown', atMs: 3, evidence: { rule: 'T11', message: 'reset' } });
  await deps.ledger.append(ref, { state: 'verdict', atMs: 4, verdict: 'undecided', sentence: 'either' });
  const stood = { status: 'review', reasonCode: 'answer_lost_undecided', attempts: 1, seenStates: 3 } as const;
  await deps.records.writeRecord(
    'b',
    rowRecord({ id: 'edit', kind: EDIT.kind, rowHash: EDIT.hash, files: [], ...stood }),
  );
  const by = { who: 'ann' };
  if (isSettled) await deps.ledger.append(ref, { state: 'overridden', atMs: 5, cause: 'person', by });
  const hero = { id: 'hero', rowHash: HERO.hash, files: [FILE] };
  await deps.records.writeRecord('b', rowRecord({ ...hero, rerunAtMs: 2 }));
  const { fedRows, reopenRow } = fedRowActivities(deps);
  const before = await reopenRow({ row: refOf(EDIT), cursor: null });
  await deps.records.writeRecord('b', rowRecord(hero));
  const asked = { batch: 'b', generation, limit: 5, retry: null, roomNano: null, cursor: null };
  const { rows } = await fedRows({ ...asked, feeders: [{ index: 0, seen: 0 }], isOrderedOnly: true });
  return [before, rows.map(({ entry }) => [entry.id, entry.begins])];
}

test('what was resubmitted while its feeder was rendered again is begun with the new file', async () => {
  expect(await opened(true)).toEqual([{ outcome: 'nothing', isHeld: true }, [['edit', 'prepare']]]);
});

test('a row that nobody settled stays with its person', async () => {
  expect(await opened(false)).toEqual([{ outcome: 'nothing' }, []]);
});
