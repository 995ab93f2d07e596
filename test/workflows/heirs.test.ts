// Slots that are handed on within the worker (docs/architecture.md, the life of a row; docs/figures.md, Where a turnover goes).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_SLOT_TERMS } from '../../src/domain/batch.js';
import type { Kind } from '../../src/domain/kind.js';
import { createStandby } from '../../src/worker/standby.js';
import { slotsInUse } from '../../workflows/cap.js';
import { nameHeirs, takeBack } from '../../workflows/heirs.js';
import * as permits from '../../workflows/permits.js';
import { takeTerms } from '../../workflows/shares.js';
import { openPermits } from './support/open-permits.js';

const job = (id: string, batch = 'b') => ({ batch, id });

function ask(state: ReturnType<typeof openPermits>, id: string, how: Partial<permits.Ask> = {}, batch = 'b') {
  const asked = { job: job(id, batch), kind: 'svc/image' as Kind, holds: false, standsBy: true as const };
  return permits.acquire(state, { ...asked, ...how }, 0);
}

/** Two slots in use, and others that wait. */
function busy(...waiting: string[]) {
  const state = openPermits(2);
  for (const id of ['x', 'y', ...waiting]) ask(state, id);
  const grants = permits.grantNext(state, 0).map(({ grant }) => grant);
  return { state, grants };
}

const idsOf = (named: ReturnType<typeof nameHeirs>) => named?.heirs.map((heir) => heir.job.id);

describe('who is next', () => {
  it('is said before a slot is free, in turn, with the slots that may be handed on', () => {
    const { state, grants } = busy('a', 'b', 'c');
    const named = nameHeirs(state, 0);
    expect(idsOf(named)).toEqual(['a', 'b', 'c']);
    expect(named?.held).toEqual(grants);
  });

  it('is said again only where it has changed, or where few are left', () => {
    const { state, grants } = busy('a', 'b', 'c', 'd', 'e', 'f');
    const [a, b, c] = nameHeirs(state, 0)?.heirs ?? [];
    expect(nameHeirs(state, 0)).toBeUndefined();
    takeBack(state, { grant: grants[0] ?? 0, ...(a && { heir: a }) }, 0);
    takeBack(state, { grant: grants[1] ?? 0, ...(b && { heir: b }) }, 0);
    expect(nameHeirs(state, 0)).toBeUndefined();
    takeBack(state, { grant: a?.grant ?? 0, ...(c && { heir: c }) }, 0);
    expect(idsOf(nameHeirs(state, 0))).toEqual(['d', 'e', 'f']);
  });

  it('is nobody where batches of several priorities wait: what is left to the lower depends on whose slot comes back', () => {
    const { state } = busy('a', 'b');
    nameHeirs(state, 0);
    Object.assign(state.shares.big ?? {}, { priority: 5 });
    ask(state, 'first', {}, 'big');
    expect(nameHeirs(state, 0)?.heirs).toEqual([]);
  });

  it('is nobody while submits are slowed down, more jobs run than may, or whoever is next waits elsewhere', () => {
    const slow: ((state: ReturnType<typeof openPermits>) => void)[] = [
      (state) => permits.pause(state, { reason: 'credits' }, 0),
      (state) => state.quiets.push({ job: job('x'), fromMs: 0, untilMs: 9 }),
      (state) => Object.assign(state, { planCap: 1 }),
      (state) => Object.assign(state, { foreign: { cap: 2, sinceMs: 0 } }),
      (state) => permits.pause(state, { reason: 'user', batch: 'b' }, 0),
    ];
    for (const change of slow) {
      const { state } = busy('a', 'b');
      expect(idsOf(nameHeirs(state, 0))).toEqual(['a', 'b']);
      change(state);
      // Those that were named are taken back.
      expect(nameHeirs(state, 0)?.heirs).toEqual([]);
    }
    const state = openPermits(1);
    ask(state, 'x');
    permits.grantNext(state, 0);
    permits.acquire(state, { job: job('elsewhere'), kind: 'svc/image', holds: false }, 0);
    ask(state, 'a');
    expect(nameHeirs(state, 0)?.heirs).toEqual([]);
    expect(nameHeirs(state, 0)).toBeUndefined();
  });

  it('is judged anew where a batch may have fewer jobs than before', () => {
    const { state } = busy('a', 'b');
    nameHeirs(state, 0);
    takeTerms(state, [{ batch: 'b', ...DEFAULT_SLOT_TERMS, concurrency: 2 }], 0);
    expect(nameHeirs(state, 0)?.heirs).toEqual([]);
  });

  it('has the number that it was named with, whoever gives the grant', () => {
    const { state, grants } = busy('a');
    const [heir] = nameHeirs(state, 0)?.heirs ?? [];
    permits.release(state, { grant: grants[0] ?? 0 }, 0);
    expect(permits.grantNext(state, 0)).toMatchObject([{ job: job('a'), grant: heir?.grant }]);
    // Handed on at the same moment: it has that slot already, and the other one is free.
    takeBack(state, { grant: grants[1] ?? 0, ...(heir && { heir }) }, 0);
    expect(state.holders.map(({ grant }) => grant)).toEqual([heir?.grant]);
  });

  it('alone has its number, also where a task that the server gave up had told it that of another', () => {
    const { state, grants } = busy('a', 'b');
    const [a, b] = nameHeirs(state, 0)?.heirs ?? [];
    takeBack(state, { grant: grants[0] ?? 0, ...(b && a && { heir: { job: b.job, grant: a.grant } }) }, 0);
    permits.release(state, { grant: grants[1] ?? 0 }, 0);
    permits.grantNext(state, 0);
    expect(state.holders.map(({ job: { id } }) => id)).toEqual(['b', 'a']);
    expect(new Set(state.holders.map(({ grant }) => grant)).size).toBe(2);
  });

  it('gets nothing that it does not wait for any more', () => {
    const { state, grants } = busy('a');
    const [heir] = nameHeirs(state, 0)?.heirs ?? [];
    permits.leave(state, job('a'), 0);
    takeBack(state, { grant: grants[0] ?? 0, ...(heir && { heir }) }, 0);
    expect(state.holders).toHaveLength(1);
  });
});

describe('slots that are handed on by a worker, while messages are late, lost and repeated (I4, I5)', () => {
  it('never run more jobs than the cap', async () => {
    const does = fc.constantFrom('ask', 'ask', 'ask', 'end', 'end', 'again', 'hear', 'hear', 'restart');
    const event = fc.record({ does, n: fc.nat(40) });
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 20, maxLength: 150 }), async (events) => {
        const cap = 3;
        const state = openPermits(cap);
        let standby = createStandby(() => 0);
        /** By grant, those whose submits have one and have not ended. */
        const running = new Map<number, string>();
        const ended: number[] = [];
        const onTheirWay: (() => void)[] = [];
        const standing = new Set<string>();
        const stand = (id: string) => {
          const mine = standby;
          standing.add(id);
          void mine.wait(job(id), 60_000).then((word) => {
            if (word === undefined || word === 'withdrawn' || mine !== standby) return;
            standing.delete(id);
            running.set(word.grant, id);
          });
          const told = ask(state, id);
          if (told) standby.give(told.job, { grant: told.grant, expected: null });
        };
        const look = async () => {
          for (const grant of permits.grantNext(state, 0))
            standby.give(grant.job, { grant: grant.grant, expected: null });
          const named = nameHeirs(state, 0);
          if (named) standby.nameHeirs(named);
          for (let i = 0; i < 6; i += 1) await Promise.resolve();
          expect(running.size).toBeLessThanOrEqual(cap);
        };
        const giveBack = (grant: number) => {
          const heir = standby.takeHeir(grant);
          // The server has the message before the heir goes on; the semaphore hears of it later.
          onTheirWay.push(() => takeBack(state, { grant, ...(heir && { heir }) }, 0));
          if (heir) standby.give(heir.job, { grant: heir.grant, expected: null });
        };
        let asked = 0;
        for (const { does, n } of events) {
          const grants = [...running.keys()];
          const grant = grants[n % Math.max(1, grants.length)];
          if (does === 'ask') {
            stand(`r${asked++}`);
          } else if (does === 'end' && grant !== undefined) {
            running.delete(grant);
            ended.push(grant);
            giveBack(grant);
          } else if (does === 'again' && ended.length > 0) giveBack(ended[n % ended.length] ?? 0);
          else if (does === 'hear') onTheirWay.shift()?.();
          else if (does === 'restart') {
            // What the server has taken comes before what a new process does. What ran goes on at the service; who stood by
            // does so again.
            while (onTheirWay.length > 0) onTheirWay.shift()?.();
            standby = createStandby(() => 0);
            for (const id of [...standing]) stand(id);
          }
          await look();
        }
        while (onTheirWay.length > 0) onTheirWay.shift()?.();
        await look();
        expect(slotsInUse(state)).toBeLessThanOrEqual(cap);
      }),
      { numRuns: 300 },
    );
  });
});
