// A batch that comes back, or whose priority was changed, shares the slots with others from then on: nobody waits for hours.
import { describe, expect, it } from 'vitest';
import { DEFAULT_SLOT_TERMS } from '../../src/domain/batch.js';
import * as permits from '../../workflows/permits.js';
import { takeTerms, unknownBatches } from '../../workflows/shares.js';

describe('slots between batches that had more and less before', () => {
  it.each([true, undefined] as const)(
    'a batch that comes back beside one that began meanwhile shares with it (%s)',
    (forgives) => {
      const state = { ...permits.newPermits(30_000, 0), shares: {}, planCap: 1, countsHeld: true as const };
      Object.assign(state, { forgives });
      const granted: string[] = [];
      let asked = 0;
      const run = (atMs: number, ...asking: string[]) => {
        for (const batch of asking) {
          asked += 1;
          permits.acquire(state, { job: { batch, id: `r${asked}` }, kind: 'svc/image', holds: false }, atMs);
          if (unknownBatches(state).length > 0) takeTerms(state, [{ batch, ...DEFAULT_SLOT_TERMS }], atMs);
        }
        for (const { grant, job } of permits.grantNext(state, atMs)) {
          granted.push(job.batch);
          permits.release(state, { grant, done: true }, atMs + 60_000);
        }
      };
      for (let n = 0; n < 100; n += 1) run(n * 60_000, 'yesterday');
      run(90_000_000, 'today', 'today');
      for (let n = 1; n < 20; n += 1) run(90_000_000 + n * 60_000, 'today', 'yesterday');
      const back = granted.slice(100).filter((batch) => batch === 'yesterday').length;
      // A run that an earlier build began goes on as that build shared.
      expect(back).toBe(forgives ? 9 : 0);
    },
  );

  it('a batch that had gone before another shares with it once both have the same priority', () => {
    const state = { ...permits.newPermits(30_000, 0), shares: {}, planCap: 1, countsHeld: true as const };
    Object.assign(state, { forgives: true });
    const granted: string[] = [];
    takeTerms(state, [{ batch: 'urgent', ...DEFAULT_SLOT_TERMS, priority: 1 }], 0);
    takeTerms(state, [{ batch: 'other', ...DEFAULT_SLOT_TERMS }], 0);
    const run = (n: number): void => {
      for (const batch of ['urgent', 'other'])
        permits.acquire(state, { job: { batch, id: `r${n}` }, kind: 'svc/image', holds: false }, n * 60_000);
      for (const { grant, job } of permits.grantNext(state, n * 60_000)) {
        granted.push(job.batch);
        permits.release(state, { grant, done: true }, (n + 1) * 60_000);
      }
    };
    for (let n = 0; n < 50; n += 1) run(n);
    expect(granted).not.toContain('other');
    takeTerms(state, [{ batch: 'urgent', ...DEFAULT_SLOT_TERMS }], 3_000_000);
    for (let n = 50; n < 70; n += 1) run(n);
    expect(granted.slice(50).filter((batch) => batch === 'urgent')).toHaveLength(10);
  });

  it('a batch whose rows come one behind the other has no more than its weight beside one that was there all along', () => {
    const state = { ...permits.newPermits(30_000, 0), shares: {}, planCap: 1, countsHeld: true as const };
    Object.assign(state, { forgives: true });
    takeTerms(state, [{ batch: 'chain', ...DEFAULT_SLOT_TERMS }], 0);
    takeTerms(state, [{ batch: 'large', ...DEFAULT_SLOT_TERMS, weight: 4 }], 0);
    const had = { chain: 0, large: 0 };
    let [atMs, asked] = [0, 0];
    const ask = (batch: string): void => {
      asked += 1;
      permits.acquire(state, { job: { batch, id: `r${asked}` }, kind: 'svc/image', holds: false }, atMs);
    };
    ask('chain');
    while (atMs < 60_000_000) {
      ask('large');
      const [next] = permits.grantNext(state, atMs);
      if (next === undefined) throw new Error('nothing was granted');
      const isChain = next.job.batch === 'chain';
      atMs += isChain ? 600_000 : 60_000;
      had[isChain ? 'chain' : 'large'] += isChain ? 600_000 : 60_000;
      permits.release(state, { grant: next.grant, done: true }, atMs);
      // What it made is fetched before the next of its rows can ask: the slot is another's by then.
      if (isChain) ask('large');
      const [meanwhile] = isChain ? permits.grantNext(state, atMs) : [];
      if (meanwhile === undefined) continue;
      ask('chain');
      atMs += 60_000;
      had.large += 60_000;
      permits.release(state, { grant: meanwhile.grant, done: true }, atMs);
    }
    expect(had.large / had.chain).toBeCloseTo(4, 0);
  });
});
