// The demo ends well on every machine: what it kills holds no answer that was paid for.
import { expect, test } from 'vitest';
import { openMoment } from '../../scripts/lib/demo-moment.mjs';

const call = (terminalMs?: number) => ({ type: 'call', polls: 0, ...(terminalMs === undefined ? {} : { terminalMs }) });
const job = (polls: number) => ({ type: 'job', polls });

/** What is said after the same jobs were seen for so long. */
function after(jobs: Parameters<ReturnType<typeof openMoment>>[0], forMs: number): number {
  const look = openMoment(3);
  look([], 0);
  let rendering = 0;
  for (let atMs = 50; atMs <= 50 + forMs; atMs += 50) rendering = look(jobs, atMs);
  return rendering;
}

test.each([
  ['a synchronous call is under way', [call(), job(1), job(1)], 60_000],
  ['a job was not polled yet: its handle may be on the way', [job(0), job(1), job(1)], 60_000],
  ['rows are still to be submitted', [job(1), job(1)], 60_000],
  ['the last answer may not be on record yet', [call(40), job(1), job(1)], 900],
])('4-U15: the demo kills no worker while %s', (_, jobs, forMs) => {
  expect(after(jobs, forMs)).toBe(0);
});

test('4-U15: it does while jobs render and nothing else is under way', () => {
  expect(after([call(40), job(1), job(7)], 1_000)).toBe(2);
  expect(after([call(40), call(40), job(1)], 1_000)).toBe(1);
});
