// A late answer wins over a policy's word: where the first attempt itself goes on and ends unbilled, its row has failed (design 3, The ledger).

import { expect, it } from 'vitest';
import type { JobInput } from '../../src/contract/workflows.js';
import { endOf, firstState, stepAfter } from '../../workflows/job-state.js';
import type { Finish, Happened, JobState } from '../../workflows/job-steps.js';

const input: JobInput = {
  account: 'a',
  row: { batch: 'b', generation: 'g', part: 0, index: 0, id: 'r', kind: 'vendor-f/video' },
  begins: 'case',
  attempts: 1,
  policy: { ambiguity: 'always', retries: 0, wasteMaxNano: 5 },
  timeScale: 1,
};

it('a row whose only attempt turned out to be rendering, and failed there, is no case for a person', () => {
  const otherwise: Finish = { step: 'finish', status: 'review', reason: 'answer_lost_undecided' };
  const happened: Happened[] = [
    { what: 'settled', result: { outcome: 'verdict', verdict: 'undecided', slotUntilMs: 0 } },
    { what: 'paid again', upToNano: 5, otherwise },
    // While the row waited for its slot the paused process went on: the second attempt was never claimed.
    { what: 'submitted', result: { outcome: 'standing', n: 1, standing: 'created' } },
    { what: 'polled', result: { outcome: 'ended', reason: 'render_failed', renderMs: 60_000 } },
  ];
  let state: JobState = firstState(input);
  let end: Finish | undefined;
  for (const one of happened) {
    const { state: after, next } = stepAfter(state, one);
    state = after;
    if (next.step === 'finish') end = next;
  }
  expect(end && endOf(state, end)).toMatchObject({ status: 'failed', reason: 'render_failed' });
});
