// Design 9, "When it runs": --no-dependents holds in a batch that stopped by itself, and for what goes on with it later.
import { expect, test } from 'vitest';
import type { AttemptState } from '../../src/domain/attempt.js';
import { markStopped } from '../../src/home/batch-marks.js';
import { readFollowers } from '../../src/home/row-orders.js';
import { type SeededHome, seededHome, T0 } from './seeded-home.js';

const LOST: AttemptState = { state: 'unknown', atMs: T0 + 5_000, evidence: { rule: 'T11', message: 'reset' } };
const UNDECIDED: AttemptState = { state: 'verdict', atMs: T0 + 6_000, verdict: 'undecided', sentence: 'either' };

/** A portrait that needs a person, and the film that it feeds; its batch has reached its budget. */
async function stoppedStory(): Promise<SeededHome> {
  const media = { image: [{ source: 'row' as const, id: 'one', at: 0 }] };
  const home = await seededHome('b', [
    {
      ...{ id: 'one', row: { kind: 'svc/image' }, states: [LOST, UNDECIDED] },
      record: { status: 'review', reasonCode: 'answer_lost_undecided' },
    },
    { id: 'fed', row: { media } },
  ]);
  home.stopEngine();
  await markStopped(home.home, 'b', 'budget_reached', { atMs: T0 });
  return home;
}

test.each([
  { said: ['--no-dependents'], stays: ['fed'], rows: ['fed'] },
  { said: [], stays: [], rows: [] },
])('what a settled row feeds in a batch that stopped, with $said', async ({ said, stays, rows }) => {
  const home = await stoppedStory();
  const ordered = await home.run('review', 'resubmit', 'b', 'one', '--yes', '--json', ...said);
  expect(ordered.exitCode, ordered.stderr).toBe(0);
  expect(JSON.parse(ordered.stdout).dependents).toMatchObject({ rows, follow: false });
  expect([...(await readFollowers(home.home, 'b')).stays]).toEqual(stays);
});
