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
