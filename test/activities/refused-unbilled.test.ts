// "Only 429 and 5xx are retried, never other 4xx" (service document 1, Errors): of a 400 in a form that no document shows
// the balance says that it was not billed, and then it is not sent again.
import { expect, test } from 'vitest';
import { unheardEnd } from '../../activities/row/unheard-end.js';
import { settleActivities } from '../../activities/settle.js';
import type { Evidence } from '../../src/domain/attempt.js';
import { NANO_PER_CREDIT } from '../../src/domain/money.js';
import { reasonText } from '../../src/home/earlier-render.js';
import { firstState, stepAfter } from '../../workflows/job-state.js';
import { intent } from '../home/support/examples.js';
import { accountAtHand, MINUTE_MS, plainRow, readAccount } from './support/account-at-hand.js';

const KIND = 'vendor-d/video' as const;
const ROW = plainRow('r', { kind: KIND, cells: { prompt: 'a' } });
const REF = { batch: 'b', id: 'r', n: 1 };
const REFUSED: Evidence = { rule: 'T10', status: 400, code: '40012', message: 'bad ratio', answer: ' {"code":40012}' };

/** Its case, two hours later: nothing left the balance. */
async function settled(evidence: Evidence) {
  const price = { kind: KIND, components: [{ unit: 'request' as const, credits: '0.2' }] };
  const { deps, clock, refOf, generation } = await accountAtHand([ROW], [price]);
  await readAccount(deps, 20);
  const expected = { lo: 0.2 * NANO_PER_CREDIT, hi: 0.2 * NANO_PER_CREDIT };
  const atMs = clock.nowMs + 1_000;
  await deps.ledger.claim(REF, intent({ atMs, rowHash: ROW.hash, kind: KIND, generation, index: 0, expected }));
  await deps.ledger.append(REF, { state: 'unknown', atMs, evidence });
  for (let minute = 0; minute < 120; minute += 1) {
    clock.nowMs += MINUTE_MS;
    await readAccount(deps, 20);
  }
  const settle = () => settleActivities(deps).settle({ row: refOf(ROW), n: 1, ambiguity: 'if-proved' });
  const policy = { ambiguity: 'if-proved', retries: 0 } as const;
  const input = { row: refOf(ROW), begins: 'case', attempts: 1, policy, account: 'a', timeScale: 1 } as const;
  const next = async () => {
    const result = await settle();
    if (result.outcome === 'wait') throw new Error('the case is still open');
    return stepAfter(firstState(input), { what: 'settled', result }).next;
  };
  return { deps, next };
}

const FAILED = { step: 'finish', status: 'failed', reason: 'invalid_request' };

test('a whole 400 that was not billed fails its row with the words of the service', async () => {
  const { deps, next } = await settled(REFUSED);
  expect(await next()).toEqual(FAILED);
  expect(await next(), 'the activity is tried again').toEqual(FAILED);
  const attempt = await deps.ledger.readAttempt(REF);
  expect(attempt && reasonText(attempt)).toMatch(/^400 40012 bad ratio; /);
  expect(await unheardEnd(deps, REF, ROW.hash, attempt ? [attempt] : [])).toBe('invalid_request');
});

test.each<[string, Partial<Evidence>]>([
  ['with a page as its body', { answer: '<html>' }],
  ['of a gateway', { status: 502 }],
  ['that was cut', { phase: 'body' }],
])('an answer %s proves no refusal: what was not billed is sent again', async (_name, change) => {
  const { next } = await settled({ ...REFUSED, ...change });
  expect(await next()).toEqual({ step: 'submit' });
});
