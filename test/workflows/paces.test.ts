// How submits slow down after they were turned away (docs/guarantees.md, T1, T4, T5): by account or by route, no row fails.
import { describe, expect, it } from 'vitest';
import type { SemaphoreState, TurnedAway } from '../../src/contract/semaphore.js';
import type { Kind } from '../../src/domain/kind.js';
import { noteReached } from '../../workflows/curbs.js';
import * as permits from '../../workflows/permits.js';
import { viewOf } from '../../workflows/semaphore-view.js';
import { openPermits } from './support/open-permits.js';

const FILM = 'vendor-f/video';
const SHARED_C = 'vendor-c/video';
const SHARED_G = 'vendor-g/video';
const IMAGE = 'svc/image';

const withCap = (cap: number, timeScale = 1) => openPermits(cap, 1_000, timeScale);

function ask(state: SemaphoreState, id: string, kind: Kind) {
  permits.acquire(state, { job: { batch: 'b', id }, kind, holds: false }, 0);
}

const idsOf = (grants: permits.Grant[]) => grants.map((g) => g.job.id);

function turnAway(state: SemaphoreState, id: string, turnedAway: TurnedAway, nowMs: number) {
  const holder = state.holders.find((h) => h.job.id === id);
  permits.release(state, { grant: holder?.grant ?? -1, turnedAway }, nowMs);
  ask(state, id, holder?.kind ?? 'svc/image');
}

/** One row is turned away again and again; gives the gaps between its grants. */
function gapsOf(state: SemaphoreState, kind: Kind, turnedAway: TurnedAway, times: number): number[] {
  ask(state, 'r', kind);
  const gaps: number[] = [];
  let nowMs = 1_000;
  permits.grantNext(state, nowMs);
  for (let i = 0; i < times; i += 1) {
    turnAway(state, 'r', turnedAway, nowMs);
    expect(permits.grantNext(state, nowMs)).toEqual([]);
    const dueMs = permits.nextDueMs(state, nowMs) ?? Number.NaN;
    expect(permits.grantNext(state, dueMs - 1)).toEqual([]);
    expect(idsOf(permits.grantNext(state, dueMs))).toEqual(['r']);
    gaps.push(dueMs - nowMs);
    nowMs = dueMs;
  }
  return gaps;
}

describe('T4: the requests per minute of an account', () => {
  it('T4: waits 1, 2, 4, 8 s, then 30 s, doubling to 5 min, and never ends (1-D7)', () => {
    expect(gapsOf(withCap(1), IMAGE, { cause: 'rpm' }, 10)).toEqual(
      [1, 2, 4, 8, 30, 60, 120, 240, 300, 300].map((s) => s * 1_000),
    );
  });

  it('is never sooner than Retry-After, which no rehearsal shortens', () => {
    const gaps = gapsOf(withCap(1, 60), IMAGE, { cause: 'rpm', retryAfterMs: 7_000 }, 6);
    expect(gaps).toEqual(Array(6).fill(7_000));
  });

  it('a wait that the service asked for is told while it lasts, a short one is not', () => {
    const seen = (retryAfterMs: number, nowMs: number) => {
      const state = withCap(5);
      ask(state, 'r', IMAGE);
      permits.grantNext(state, 1_000);
      turnAway(state, 'r', { cause: 'rpm', retryAfterMs }, 1_000);
      return viewOf(state, true, nowMs).curbs;
    };
    expect(seen(120_000, 1_000)).toMatchObject([{ curb: 'paced', cause: 'rpm', untilMs: 121_000 }]);
    expect(seen(120_000, 121_000)).toEqual([]);
    expect(seen(7_000, 1_000)).toEqual([]);
  });

  it('holds all kinds of the account back, and says so once it pauses', () => {
    const state = withCap(5);
    gapsOf(state, IMAGE, { cause: 'rpm' }, 4);
    ask(state, 'f', FILM);
    expect(viewOf(state, true, 0).curbs).toEqual([]);
    turnAway(state, 'r', { cause: 'rpm' }, 16_000);
    expect(permits.grantNext(state, 45_999)).toEqual([]);
    expect(viewOf(state, true, 20_000).curbs).toMatchObject([
      { curb: 'paced', cause: 'rpm', route: null, untilMs: 46_000 },
    ]);
    expect(permits.grantNext(state, 46_000)).toHaveLength(1);
  });

  it('a burst that left together counts once', () => {
    const state = withCap(10);
    for (let i = 0; i < 10; i += 1) ask(state, `r${i}`, IMAGE);
    permits.grantNext(state, 1_000);
    for (let i = 0; i < 10; i += 1) turnAway(state, `r${i}`, { cause: 'rpm' }, 1_100 + i);
    expect(state.paces).toMatchObject([{ refusals: 1 }]);
  });

  it('one submit tries; its answer lets all others go', () => {
    const state = withCap(3);
    for (const id of ['a', 'b', 'c']) ask(state, id, FILM);
    permits.grantNext(state, 1_000);
    for (const id of ['a', 'b', 'c']) turnAway(state, id, { cause: 'rpm' }, 1_100);
    const [probe] = permits.grantNext(state, 2_100);
    expect(permits.grantNext(state, 3_000)).toEqual([]);
    permits.submitted(state, probe?.grant ?? -1, 3_000);
    expect(state.paces).toEqual([]);
    expect(permits.grantNext(state, 3_000)).toHaveLength(2);
  });

  it('an unrelated release, or an answer to what left before, does not end it', () => {
    const state = withCap(4);
    for (const id of ['a', 'b', 'c', 'd']) ask(state, id, FILM);
    const [, b, c, d] = permits.grantNext(state, 1_000);
    permits.submitted(state, b?.grant ?? -1, 1_050);
    turnAway(state, 'a', { cause: 'rpm' }, 1_100);
    permits.release(state, { grant: b?.grant ?? -1, renderMs: 60 }, 1_110);
    permits.release(state, { grant: c?.grant ?? -1 }, 1_110);
    permits.submitted(state, d?.grant ?? -1, 1_110);
    expect(state.paces).toMatchObject([{ cause: 'rpm', refusals: 1 }]);
    expect(permits.grantNext(state, 1_500)).toEqual([]);
    const [probe] = permits.grantNext(state, 2_100);
    permits.release(state, { grant: probe?.grant ?? -1 }, 2_200);
    expect(state.paces).toHaveLength(1);
    ask(state, 'e', FILM);
    const [next] = permits.grantNext(state, 2_300);
    permits.release(state, { grant: next?.grant ?? -1, answered: true }, 2_400);
    expect(state.paces).toEqual([]);
  });

  it('no answer ends it before Retry-After', () => {
    const state = withCap(4);
    for (const id of ['a', 'b']) ask(state, id, FILM);
    permits.grantNext(state, 1_000);
    turnAway(state, 'a', { cause: 'rpm' }, 1_100);
    const [probe] = permits.grantNext(state, 2_100);
    turnAway(state, 'b', { cause: 'rpm', retryAfterMs: 30_000 }, 2_150);
    permits.submitted(state, probe?.grant ?? -1, 2_200);
    ask(state, 'c', FILM);
    expect(permits.grantNext(state, 32_149)).toEqual([]);
    const [late] = permits.grantNext(state, 32_150);
    permits.submitted(state, late?.grant ?? -1, 32_200);
    expect(state.paces).toEqual([]);
  });

  it('a probe that renders on without an answer keeps the others back for 10 s alone', () => {
    const state = withCap(3);
    for (const id of ['a', 'b']) ask(state, id, IMAGE);
    permits.grantNext(state, 1_000);
    for (const id of ['a', 'b']) turnAway(state, id, { cause: 'rpm' }, 1_100);
    expect(permits.grantNext(state, 2_100)).toHaveLength(1);
    expect(permits.nextDueMs(state, 2_100)).toBe(12_100);
    expect(permits.grantNext(state, 12_100)).toHaveLength(1);
  });
});

describe('T4 and T5: one route', () => {
  it.each(['gateway', 'provider'] as const)(
    'T4, T5: %s waits 1, 2, 4, 8 s, then one row tries every 5 min',
    (cause) => {
      expect(gapsOf(withCap(1), FILM, { cause }, 7)).toEqual([1, 2, 4, 8, 300, 300, 300].map((s) => s * 1_000));
    },
  );

  it('F11: leaves other routes alone; the shared route is one', () => {
    const state = withCap(9);
    gapsOf(state, SHARED_C, { cause: 'gateway' }, 4);
    turnAway(state, 'r', { cause: 'gateway' }, 20_000);
    for (const [id, kind] of [
      ['c', SHARED_C],
      ['g', SHARED_G],
      ['f', FILM],
      ['i', IMAGE],
    ] as const)
      ask(state, id, kind);
    expect(idsOf(permits.grantNext(state, 20_000))).toEqual(['f', 'i']);
    expect(viewOf(state, true, 20_000).curbs).toMatchObject([{ curb: 'paced', route: 'vendor-c/video' }]);
  });
});

describe('what a watcher is told of a pace', () => {
  it('F11: nothing once no row of its route is left, however late the next one comes', () => {
    const state = withCap(9);
    gapsOf(state, FILM, { cause: 'provider' }, 4);
    turnAway(state, 'r', { cause: 'provider' }, 20_000);
    expect(viewOf(state, true, 20_000).curbs).toMatchObject([{ curb: 'paced', route: FILM }]);
    permits.leave(state, { batch: 'b', id: 'r' }, 21_000);
    ask(state, 'i', IMAGE);
    const [image] = permits.grantNext(state, 21_000);
    permits.release(state, { grant: image?.grant ?? -1, done: true }, 30_000);
    ask(state, 'j', IMAGE);
    expect(viewOf(state, true, 9_000_000).curbs).toEqual([]);
    ask(state, 'f', FILM);
    expect(viewOf(state, true, 9_000_000).curbs).toMatchObject([{ curb: 'paced', route: FILM }]);
  });

  it('ends with its run once it is over and no row of its route is left', () => {
    const state = withCap(9);
    ask(state, 'r', FILM);
    permits.grantNext(state, 1_000);
    turnAway(state, 'r', { cause: 'provider' }, 1_000);
    permits.dropOver(state, 5_000);
    expect(state.paces).toHaveLength(1);
    permits.leave(state, { batch: 'b', id: 'r' }, 5_000);
    permits.dropOver(state, 1_999);
    expect(state.paces).toHaveLength(1);
    permits.dropOver(state, 2_000);
    expect(state.paces).toEqual([]);
  });
});

describe('T1: nothing can be sent', () => {
  it('T1: after five in a row nothing is claimed until a free read was answered', () => {
    const state = withCap(10);
    for (let i = 0; i < 30; i += 1) ask(state, `r${i}`, IMAGE);
    const claimed = permits.grantNext(state, 1_000).length;
    for (let i = 0; i < 4; i += 1) turnAway(state, `r${i}`, { cause: 'network' }, 1_010 + i);
    expect(state.pauses).toEqual([]);
    for (let i = 4; i < 10; i += 1) turnAway(state, `r${i}`, { cause: 'network' }, 1_010 + i);
    expect(state.pauses).toMatchObject([{ reason: 'network' }]);
    expect(permits.grantNext(state, 9_000_000)).toEqual([]);
    expect(claimed).toBe(10);
    noteReached(state);
    expect(permits.grantNext(state, 9_000_000)).toHaveLength(10);
  });

  it('before that it backs off', () => {
    expect(gapsOf(withCap(1), IMAGE, { cause: 'network' }, 4)).toEqual([1, 2, 4, 8].map((s) => s * 1_000));
  });
});
