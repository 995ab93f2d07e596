import { describe, expect, it } from 'vitest';
import type { Kind } from '../../src/domain/kind.js';
import * as permits from '../../workflows/permits.js';
import { viewOf } from '../../workflows/semaphore-view.js';
import { openPermits } from './support/open-permits.js';

const FILM = 'vendor-f/video';
const AVATAR = 'vendor-b/avatar';
const IMAGE = 'svc/image';
const INTERACTION = 'vendor-f/interaction';

const job = (id: string) => ({ batch: 'b', id });

const withCap = (cap: number) => openPermits(cap);

type State = ReturnType<typeof withCap>;

function ask(state: State, id: string, kind: Kind, apart = true) {
  return permits.acquire(state, { job: job(id), kind, holds: false, ...(apart ? { apart: true as const } : {}) }, 0);
}

const idsOf = (grants: permits.Grant[]) => grants.map((g) => g.job.id);
const grantOf = (state: State, id: string) => state.holders.find((h) => h.job.id === id)?.grant ?? -1;

function lose(state: State, id: string, kind: Kind, atMs: number, n = 1) {
  permits.caseOpened(state, { job: job(id), n, kind, atMs }, atMs);
}

describe('one open asynchronous submit per family with `if-proved`', () => {
  it('grants the next of a family once the first one has its handle, other families at once', () => {
    const state = withCap(5);
    for (const id of ['f1', 'f2', 'f3']) ask(state, id, FILM);
    ask(state, 'a1', AVATAR);
    expect(idsOf(permits.grantNext(state, 0))).toEqual(['f1', 'a1']);
    permits.submitted(state, grantOf(state, 'f1'), 0);
    expect(idsOf(permits.grantNext(state, 1))).toEqual(['f2']);
    expect(state.holders.map((h) => h.phase)).toEqual(['submitted', 'granted', 'granted']);
  });

  it('lets the next one go after 10 s without an answer, and wakes for it', () => {
    const state = withCap(5);
    for (const id of ['f1', 'f2', 'f3']) ask(state, id, FILM);
    permits.grantNext(state, 0);
    expect(permits.nextDueMs(state, 0)).toBe(10_000);
    expect(permits.grantNext(state, 9_999)).toEqual([]);
    expect(idsOf(permits.grantNext(state, 10_000))).toEqual(['f2']);
  });

  it('lets the next one go at once where the answer is known to be lost: nobody waits for it', () => {
    const state = withCap(5);
    for (const id of ['f1', 'f2', 'f3']) ask(state, id, FILM);
    permits.grantNext(state, 0);
    lose(state, 'f1', FILM, 500);
    expect(idsOf(permits.grantNext(state, 500))).toEqual(['f2']);
    // The slot stays held, and the second one still waits for its answer.
    expect(idsOf(permits.grantNext(state, 501))).toEqual([]);
    expect(state.holders).toHaveLength(2);
  });

  it('has no such limit for synchronous kinds, nor with other policies', () => {
    const state = withCap(9);
    for (const id of ['i1', 'i2']) ask(state, id, IMAGE);
    for (const id of ['f1', 'f2']) ask(state, id, FILM, false);
    expect(permits.grantNext(state, 0)).toHaveLength(4);
    ask(state, 'f3', FILM);
    expect(permits.grantNext(state, 0)).toEqual([]);
  });
});

describe('the quiet of a lost answer', () => {
  it('grants nothing of any kind in it, says so, and wakes at its end', () => {
    const state = withCap(5);
    ask(state, 'f1', FILM);
    permits.grantNext(state, 0);
    permits.caseOpened(
      state,
      { job: job('f1'), n: 1, kind: FILM, atMs: 0, quiet: { fromMs: 180_000, untilMs: 300_000 } },
      0,
    );
    ask(state, 'i1', IMAGE);
    expect(idsOf(permits.grantNext(state, 179_999))).toEqual(['i1']);
    ask(state, 'i2', IMAGE);
    expect(permits.grantNext(state, 180_000)).toEqual([]);
    expect(viewOf(state, true, 180_000).curbs).toEqual([{ curb: 'quiet', untilMs: 300_000 }]);
    expect(permits.nextDueMs(state, 180_000)).toBe(300_000);
    permits.releaseDue(state, 300_000);
    expect(idsOf(permits.grantNext(state, 300_000))).toEqual(['i2']);
  });

  it('is lifted when the case ends, and not kept for a policy that does not need it', () => {
    const state = withCap(5);
    const quiet = { fromMs: 0, untilMs: 9_000 };
    ask(state, 'f1', FILM);
    ask(state, 'f2', FILM, false);
    permits.grantNext(state, 0);
    permits.submitted(state, grantOf(state, 'f1'), 0);
    permits.grantNext(state, 0);
    permits.caseOpened(state, { job: job('f2'), n: 1, kind: FILM, atMs: 0, quiet }, 0);
    expect(state.quiets).toEqual([]);
    permits.caseOpened(state, { job: job('f1'), n: 1, kind: FILM, atMs: 0, quiet }, 0);
    expect(state.quiets).toHaveLength(1);
    permits.caseEnded(state, { job: job('f1'), created: false }, 0);
    expect(state.quiets).toEqual([]);
  });
});

describe('the breaker of a family', () => {
  function opened() {
    const state = withCap(9);
    for (const id of ['f1', 'f2', 'f3', 'f4']) ask(state, id, FILM, false);
    permits.grantNext(state, 0);
    lose(state, 'f1', FILM, 1_000);
    lose(state, 'f1', FILM, 1_000);
    expect(state.breakers).toEqual([]);
    lose(state, 'f2', FILM, 2_000);
    for (const id of ['f5', 'f6']) ask(state, id, FILM, false);
    ask(state, 'a1', AVATAR, false);
    return state;
  }

  it('opens with the second lost answer within 10 minutes, for this family alone', () => {
    const state = opened();
    expect(idsOf(permits.grantNext(state, 2_000))).toEqual(['a1']);
    expect(viewOf(state, true, 2_000).curbs).toMatchObject([{ curb: 'breaker', family: 'vendor-f', cause: 'cases' }]);
    const apart = withCap(5);
    lose(apart, 'x', FILM, 0);
    lose(apart, 'y', FILM, 600_001);
    expect(apart.breakers).toEqual([]);
  });

  it('stays closed though the cases of before, still open, are told again at each look', () => {
    const state = opened();
    const [probe] = permits.grantNext(state, 40_000);
    permits.submitted(state, probe?.grant ?? 0, 41_000);
    expect(state.breakers).toEqual([]);
    for (const [id, lostMs] of [
      ['f1', 1_000],
      ['f2', 2_000],
    ] as const) {
      permits.caseOpened(state, { job: job(id), n: 1, kind: FILM, atMs: 0, lostMs }, 60_000);
    }
    expect(state.breakers).toEqual([]);
    for (const [id, lostMs] of [
      ['f7', 61_000],
      ['f8', 62_000],
    ] as const) {
      permits.caseOpened(state, { job: job(id), n: 1, kind: FILM, atMs: 0, lostMs }, lostMs);
    }
    expect(state.breakers).toMatchObject([{ family: 'vendor-f', cause: 'cases' }]);
  });

  it('tries one row after a while, and closes when that one goes through', () => {
    const state = opened();
    permits.grantNext(state, 2_000);
    expect(permits.nextDueMs(state, 2_000)).toBe(32_000);
    expect(idsOf(permits.grantNext(state, 32_000))).toEqual(['f5']);
    expect(permits.grantNext(state, 99_000)).toEqual([]);
    permits.submitted(state, grantOf(state, 'f5'), 0);
    expect(state.breakers).toEqual([]);
    expect(idsOf(permits.grantNext(state, 99_000))).toEqual(['f6']);
  });

  it('doubles the wait when the probe is lost too; a refused row proves nothing and the next one probes', () => {
    const state = opened();
    permits.grantNext(state, 32_000);
    lose(state, 'f5', FILM, 33_000);
    expect(state.breakers[0]).toMatchObject({ failures: 1, nextProbeMs: 93_000 });
    expect(permits.grantNext(state, 92_999)).toEqual([]);
    expect(idsOf(permits.grantNext(state, 93_000))).toEqual(['f6']);
    ask(state, 'f7', FILM, false);
    permits.release(state, { grant: grantOf(state, 'f6') }, 94_000);
    expect(idsOf(permits.grantNext(state, 94_000))).toEqual(['f7']);
  });

  it('doubles the wait as well when the lost probe is of a row that is paid again, whose first slot is still held', () => {
    const state = withCap(9);
    for (const id of ['f1', 'f2']) ask(state, id, FILM, false);
    permits.grantNext(state, 0);
    lose(state, 'f1', FILM, 1_000);
    lose(state, 'f2', FILM, 2_000);
    permits.release(state, { grant: grantOf(state, 'f1'), notBeforeMs: 3_600_000 }, 3_000);
    for (const id of ['f1', 'f3']) ask(state, id, FILM, false);
    const [probe] = permits.grantNext(state, 32_000);
    expect(probe?.job.id).toBe('f1');
    lose(state, 'f1', FILM, 33_000, 2);
    expect(state.breakers[0]).toMatchObject({ failures: 1, nextProbeMs: 93_000 });
    permits.release(state, { grant: probe?.grant ?? -1, notBeforeMs: 3_600_000 }, 34_000);
    expect(permits.grantNext(state, 92_999)).toEqual([]);
    expect(idsOf(permits.grantNext(state, 93_000))).toEqual(['f3']);
  });

  it('waits ten minutes at most for a probe whose answer was told to nobody, and not for a slot that is only held', () => {
    const unheard = opened();
    expect(idsOf(permits.grantNext(unheard, 32_000))).toEqual(['f5', 'a1']);
    expect(permits.nextDueMs(unheard, 40_000)).toBe(632_000);
    expect(permits.grantNext(unheard, 631_999)).toEqual([]);
    expect(idsOf(permits.grantNext(unheard, 632_000))).toEqual(['f6']);

    const held = opened();
    permits.grantNext(held, 32_000);
    permits.release(held, { grant: grantOf(held, 'f5'), notBeforeMs: 3_600_000 }, 40_000);
    expect(idsOf(permits.grantNext(held, 40_000))).toEqual(['f6']);
  });
});

describe('kinds without a slot', () => {
  it('are open at most four at once, beside the full slots', () => {
    const state = withCap(1);
    for (let i = 0; i < 6; i += 1) ask(state, `n${i}`, INTERACTION);
    ask(state, 'i1', IMAGE);
    expect(permits.grantNext(state, 0)).toHaveLength(5);
    permits.release(state, { grant: grantOf(state, 'n0') }, 0);
    expect(idsOf(permits.grantNext(state, 0))).toEqual(['n4']);
  });
});

describe('a stranger on the account (F24)', () => {
  it('is believed at the second refusal, however soon after an own release', () => {
    const state = withCap(5);
    for (const id of ['a', 'b', 'c', 'd']) ask(state, id, IMAGE);
    permits.grantNext(state, 100_000);
    permits.release(state, { grant: grantOf(state, 'a') }, 200_000);
    permits.release(state, { grant: grantOf(state, 'b'), overCap: true }, 201_000);
    expect(state.foreign).toBeNull();
    permits.release(state, { grant: grantOf(state, 'c'), overCap: true }, 201_500);
    expect(viewOf(state, true, 201_500)).toMatchObject({ effectiveCap: 1, curbs: [{ curb: 'foreign', cap: 1 }] });
  });
});
