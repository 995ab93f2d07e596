// How a row ends that is being paid again: an earlier attempt of it may have been billed (docs/guarantees.md, G1).
import { expect, it } from 'vitest';
import type { Finish } from '../../workflows/job-work.js';
import { endOf } from '../../workflows/next-step.js';

const otherwise: Finish = { step: 'finish', status: 'review', reason: 'answer_lost_undecided' };
const again = { upToNano: 5, otherwise };
const end = (status: Finish['status'], rest: Partial<Finish> = {}): Finish => ({ step: 'finish', status, ...rest });

it('R2: no unbilled end of the new attempt makes a row fail that may have been billed', () => {
  for (const status of ['failed', 'cancelled', 'not_started'] as const) {
    expect(endOf({ again }, end(status))).toBe(otherwise);
    expect(endOf({}, end(status))).toEqual(end(status));
  }
});

it('what was billed, had or recorded stands', () => {
  for (const said of [end('lost_paid'), end('done', { recorded: true }), end('failed', { recorded: true })]) {
    expect(endOf({ again }, said)).toBe(said);
  }
});
