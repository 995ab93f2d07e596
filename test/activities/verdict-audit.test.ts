// Verdicts are compared with every later reading (design 3: contradictions).
import { expect, test } from 'vitest';
import { useReadings } from '../../src/activities/after-reading.js';
import { settleActivities } from '../../src/activities/settle.js';
import { NANO_PER_CREDIT } from '../../src/domain/money.js';
import type { Row } from '../../src/domain/row.js';
import { isTrusted } from '../../src/store/trust.js';
import { intent } from '../store/support/examples.js';
import { accountAtHand, MINUTE_MS, plainRow } from './support/account-at-hand.js';

const STILL = plainRow('still');
const OTHER = plainRow('other', { index: 1 });
const PRICES = [{ kind: STILL.kind, components: [{ unit: 'request' as const, credits: '0.2' }] }];
const PRICE_NANO = 0.2 * NANO_PER_CREDIT;

/** A synchronous call whose answer was lost: it was charged, and given back when the service saw that it had failed. */
async function refunded() {
  const home = await accountAtHand([STILL, OTHER], PRICES);
  const { deps, clock, refOf, generation } = home;
  deps.messenger = { ...deps.messenger, rowFinished: async () => true } as typeof deps.messenger;
  const startMs = clock.nowMs;
  const read = async (minute: number, credits: number) => {
    clock.nowMs = startMs + minute * MINUTE_MS;
    const plan = { rpm: null, concurrent: null, plan: null };
    await deps.home.addCheckpoint({ atMs: clock.nowMs, balanceNano: credits * NANO_PER_CREDIT, ...plan });
    await useReadings(deps);
  };
  const claim = async ({ id, index, kind, hash }: Row) => {
    const expected = { lo: PRICE_NANO, hi: PRICE_NANO };
    const claimed = intent({ atMs: clock.nowMs, rowHash: hash, kind, generation, index, expected });
    await deps.ledger.claim({ batch: 'b', id, n: 1 }, claimed);
  };
  const verdicts = async () => {
    const [attempt] = await deps.ledger.read('b', STILL.id);
    return attempt?.states.flatMap((state) => (state.state === 'verdict' ? [state.verdict] : []));
  };
  await read(-1, 20);
  await claim(STILL);
  const lost = { state: 'unknown', atMs: startMs, evidence: { rule: 'T11', message: 'reset' } } as const;
  await deps.ledger.append({ batch: 'b', id: STILL.id, n: 1 }, lost);
  await read(1, 19.8);
  await settleActivities(deps).settle({ row: refOf(STILL), n: 1 });
  for (let minute = 10; minute <= 14; minute += 1) await read(minute, 20);
  expect(await verdicts()).toEqual(['billed', 'not_billed']);
  return { ...home, read, claim, verdicts };
}

test('the reading that had shown a bill does not contradict that it came back', async () => {
  const { deps, read, claim, verdicts } = await refunded();
  // Another call is under way: what the balance shows from now on may be its charge, or the first one's.
  await claim(OTHER);
  for (const minute of [15, 16, 17]) await read(minute, 19.8);
  expect(await verdicts()).toEqual(['billed', 'not_billed']);
  expect(await isTrusted(deps.home)).toBe(true);
});

test('a later reading that shows it with nothing else under way does', async () => {
  const { deps, read, verdicts } = await refunded();
  for (const minute of [15, 16, 17]) await read(minute, 19.8);
  expect(await verdicts()).toEqual(['billed', 'not_billed', 'billed']);
  expect(await isTrusted(deps.home)).toBe(false);
});
