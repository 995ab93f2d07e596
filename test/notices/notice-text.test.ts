// What a notice says in one line: codes and names, and the command that tells more.
import { expect, test } from 'vitest';
import { noticeText } from '../../src/notices/message.js';

test('a pause names its reason and the command that says what to do', () => {
  const notice = {
    schema: 1,
    id: 'n',
    type: 'paused',
    atMs: 1,
    account: 'a',
    batch: 'shots',
    reason: 'outputs',
  } as const;
  expect(noticeText(notice)).toBe(
    'callsheet shots: paused (outputs): `callsheet status shots` says why and what to do',
  );
});

test('a budget that is not spent and has room for no further row is not told as spent', () => {
  const notice = { schema: 1, id: 'n', type: 'budget', atMs: 1, account: 'a', batch: 'shots' } as const;
  const told = (more: object) => noticeText({ ...notice, percent: 100, credits: '1.201', ...more });
  expect(told({})).toBe('callsheet shots: 100 % of the budget is spent; 1.201 credits');
  expect(told({ reason: 'budget_reached' })).toBe(
    'callsheet shots: no further row fits into the budget; 1.201 credits',
  );
});
