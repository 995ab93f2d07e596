// What a row may cost in all is reserved for it: the follow-up of motion control too (service document 2, Motion control).
import { expect, test } from 'vitest';
import { spentOf } from '../../src/activities/budget.js';
import { upperCredits } from '../../src/activities/prices.js';
import type { PriceRule } from '../../src/domain/price.js';
import { adapterFor } from '../../src/vendors/index.js';
import { intent } from '../store/support/examples.js';
import { accountAtHand, plainRow } from './support/account-at-hand.js';

const DANCE = plainRow('dance', {
  kind: 'vendor-a/motion-control',
  cells: { character_orientation: 'video', input_video_seconds: 4 },
  media: { video: [{ source: 'url', url: 'https://example.com/steps.mp4' }] },
});
const PRICES: PriceRule[] = [{ components: [{ unit: 'input-second', credits: '0.1' }] }];

test('2-D6: the budget reserves the longest driver, and counts it for an attempt that is open', async () => {
  const { deps, clock, generation } = await accountAtHand([DANCE], PRICES);
  expect(await upperCredits(deps, 'b', DANCE, adapterFor(DANCE.kind))).toBe(3_000_000_000);
  const expected = { lo: 400_000_000, hi: 400_000_000 };
  const claim = intent({ atMs: clock.nowMs, rowHash: DANCE.hash, kind: DANCE.kind, generation, index: 0, expected });
  await deps.ledger.claim({ batch: 'b', id: 'dance', n: 1 }, claim);
  expect(await spentOf(deps, 'b')).toEqual({ endedNano: 0, openNano: 3_000_000_000, unbounded: 0 });
});
