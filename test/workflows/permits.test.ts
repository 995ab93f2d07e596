import { describe, expect, it } from 'vitest';
import { effectiveCap, expectedRender } from '../../workflows/cap.js';
import * as permits from '../../workflows/permits.js';
import { nextToSweep } from '../../workflows/semaphore-work.js';
import { openPermits } from './support/open-permits.js';

const job = (id: string, batch = 'b') => ({ batch, id });

const withCap = (cap: number) => openPermits(cap);

function ask(state: ReturnType<typeof withCap>, id: string, batch = 'b') {
  return permits.acquire(state, { job: job(id, batch), kind: 'svc/image', holds: false }, 0);
}

describe('permits', () => {
  it('never grants above the cap, whatever the number of waiting jobs (I4)', () => {
    const state = withCap(2);
    for (let i = 0; i < 9; i += 1) ask(state, `r${i}`);
    expect(permits.grantNext(state, 0)).toHaveLength(2);
    expect(permits.grantNext(state, 0)).toHaveLength(0);
    expect(state.holders).toHaveLength(2);
  });

  it('asks after every holder in turn, however many there are; those that a time frees are left out (I5)', () => {
    const state = withCap(50);
    for (let i = 0; i < 50; i += 1) ask(state, `r${i}`);
    for (const { grant } of permits.grantNext(state, 0).slice(0, 5)) {
      permits.release(state, { grant, notBeforeMs: 9_000 }, 0);
    }
    const swept = [1, 2, 3].flatMap(() => nextToSweep(state).map(({ job: { id } }) => id));
    expect(swept).toHaveLength(60);
    expect(new Set(swept)).toEqual(new Set(state.holders.slice(5).map(({ job: { id } }) => id)));
  });

  it('takes a grant back once: a repeated release frees nothing else (I5)', () => {
    const state = withCap(1);
    ask(state, 'a');
    ask(state, 'b');
    const [first] = permits.grantNext(state, 0);
    permits.release(state, { grant: first?.grant ?? -1 }, 0);
    const [second] = permits.grantNext(state, 0);
    permits.release(state, { grant: first?.grant ?? -1 }, 0);
    expect(state.holders.map((h) => h.grant)).toEqual([second?.grant]);
  });

  it('takes back what a job that leaves has not heard of, and nothing that is at the service (I5)', () => {
    const state = withCap(3);
    for (const id of ['unheard', 'sent', 'lost']) ask(state, id);
    const grants = permits.grantNext(state, 0).map(({ grant }) => grant);
    permits.submitted(state, grants[1] ?? -1, 0);
    permits.release(state, { grant: grants[2] ?? -1, notBeforeMs: 500 }, 0);
    ask(state, 'queued');
    for (const id of ['unheard', 'sent', 'lost', 'queued']) permits.leave(state, job(id), 1);
    expect(state.holders.map(({ job: { id } }) => id)).toEqual(['sent', 'lost']);
    expect(state.waiting).toEqual([]);
  });

  it('tells a holder its grant again instead of queueing it twice (idempotent acquire)', () => {
    const state = withCap(1);
    ask(state, 'a');
    const [granted] = permits.grantNext(state, 0);
    expect(ask(state, 'a')?.grant).toBe(granted?.grant);
    ask(state, 'b');
    ask(state, 'b');
    expect(state.waiting).toHaveLength(1);
  });

  it('lets a row that others feed go before others of its own batch, and takes no turn of another batch', () => {
    const state = withCap(1);
    const fed = (id: string) =>
      permits.acquire(state, { job: job(id), kind: 'svc/image', holds: false, isFed: true }, 0);
    for (const id of ['new1', 'new2', 'new3']) ask(state, id);
    for (const id of ['x', 'y']) ask(state, id, 'b1');
    for (const id of ['film1', 'film2']) fed(id);
    const order: string[] = [];
    for (let at = 1; at <= 7; at += 1) {
      const [granted] = permits.grantNext(state, at * 1_000);
      if (granted === undefined) break;
      order.push(granted.job.id);
      permits.release(state, { grant: granted.grant }, at * 1_000 + 500);
    }
    expect(order).toEqual(['film1', 'x', 'film2', 'y', 'new1', 'new2', 'new3']);
  });

  it('tells a grant within the worker for as long as the submit stands by, then the job itself', () => {
    const state = withCap(1);
    const stands = (id: string) =>
      permits.acquire(state, { job: job(id), kind: 'svc/image', holds: false, standsBy: true }, 0);
    for (const id of ['a', 'b']) stands(id);
    const [first] = permits.grantNext(state, 0);
    expect([first?.standsBy, stands('a')?.standsBy, ask(state, 'a')?.standsBy]).toEqual([true, true, undefined]);
    ask(state, 'b');
    permits.release(state, { grant: first?.grant ?? -1, done: true }, 0);
    expect(permits.grantNext(state, 0).map((one) => [one.job.id, one.standsBy])).toEqual([['b', undefined]]);
  });

  it('gives an attempt that is at the service its slot even above the cap, and grants nothing more', () => {
    const state = withCap(1);
    ask(state, 'a');
    permits.grantNext(state, 0);
    permits.acquire(state, { job: job('old'), kind: 'svc/image', holds: true }, 0);
    ask(state, 'b');
    expect(state.holders).toHaveLength(2);
    expect(permits.grantNext(state, 0)).toHaveLength(0);
  });

  it('serves batches in turn', () => {
    const state = withCap(4);
    for (const id of ['1', '2', '3']) ask(state, id, 'big');
    ask(state, '1', 'small');
    const batches = permits.grantNext(state, 0).map((g) => g.job.batch);
    expect(batches.slice(0, 2).sort()).toEqual(['big', 'small']);
  });

  it('holds the slot of a lost answer until its longest render has passed', () => {
    const state = withCap(1);
    ask(state, 'a');
    const [granted] = permits.grantNext(state, 0);
    permits.release(state, { grant: granted?.grant ?? -1, notBeforeMs: 500 }, 0);
    ask(state, 'b');
    permits.releaseDue(state, 499);
    expect(permits.grantNext(state, 499)).toHaveLength(0);
    expect(permits.nextDueMs(state, 499)).toBe(500);
    permits.releaseDue(state, 500);
    expect(permits.grantNext(state, 500)).toHaveLength(1);
  });

  it('drains to a smaller cap without taking running slots away (F25)', () => {
    const state = withCap(3);
    for (const id of ['a', 'b', 'c', 'd']) ask(state, id);
    const grants = permits.grantNext(state, 0);
    state.planCap = 1;
    for (const { grant } of grants.slice(0, 2)) permits.release(state, { grant }, 0);
    expect(permits.grantNext(state, 0)).toHaveLength(0);
    permits.release(state, { grant: grants[2]?.grant ?? -1 }, 0);
    expect(permits.grantNext(state, 0)).toHaveLength(1);
  });

  it('lowers the cap to its own holders after a foreign refusal and climbs by one per 30 s (F24)', () => {
    const state = withCap(5);
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) ask(state, id);
    const grants = permits.grantNext(state, 100_000).slice(0, 3);
    for (const h of state.holders.slice(3)) permits.release(state, { grant: h.grant }, 100_000);
    permits.release(state, { grant: grants[2]?.grant ?? -1, overCap: true }, 200_000);
    expect(effectiveCap(state, 200_000)).toBe(2);
    expect(effectiveCap(state, 230_000)).toBe(3);
    expect(effectiveCap(state, 999_000)).toBe(5);
  });

  it('does not take a refusal within 2 s of its own release for a stranger (F24)', () => {
    const state = withCap(5);
    ask(state, 'a');
    ask(state, 'b');
    const [a, b] = permits.grantNext(state, 0);
    permits.release(state, { grant: a?.grant ?? -1 }, 10_000);
    permits.release(state, { grant: b?.grant ?? -1, overCap: true }, 11_000);
    expect(effectiveCap(state, 11_000)).toBe(5);
  });

  it('grants nothing while the account is paused (F20, F21), and nothing of a paused batch', () => {
    const state = withCap(3);
    ask(state, 'a', 'one');
    ask(state, 'a', 'two');
    permits.pause(state, { reason: 'key' }, 0);
    expect(permits.grantNext(state, 0)).toHaveLength(0);
    permits.resume(state, { reason: 'key' });
    permits.pause(state, { reason: 'user', batch: 'one' }, 0);
    expect(permits.grantNext(state, 0).map((g) => g.job.batch)).toEqual(['two']);
  });

  it('makes every open attempt of the ledger a holder before the first grant', () => {
    const state = withCap(2);
    permits.recover(state, { job: job('old'), kind: 'svc/image', sinceMs: 0, n: 1 });
    permits.recover(state, { job: job('old'), kind: 'svc/image', sinceMs: 0, n: 1 });
    ask(state, 'a');
    ask(state, 'b');
    expect(permits.grantNext(state, 0)).toHaveLength(1);
  });

  it('expects render times from the third one of a kind on', () => {
    const state = withCap(1);
    for (const renderMs of [10, 30, 20]) {
      ask(state, `r${renderMs}`);
      const [granted] = permits.grantNext(state, 0);
      permits.release(state, { grant: granted?.grant ?? -1, ranMs: renderMs - 1, renderMs }, 0);
    }
    const grant = 1;
    expect(expectedRender(state, { kind: 'svc/image', grant })).toMatchObject({ p5: 10, p50: 20, p95: 30 });
    expect(expectedRender(state, { kind: 'svc/edit', grant })).toBeNull();
  });

  it('learns nothing from an end that says no more than its time: that of a failure, or by an earlier callsheet', () => {
    const state = withCap(1);
    for (const renderMs of [10, 30, 20]) {
      ask(state, `r${renderMs}`);
      const [granted] = permits.grantNext(state, 0);
      permits.release(state, { grant: granted?.grant ?? -1, renderMs }, 0);
    }
    expect(expectedRender(state, { kind: 'svc/image', grant: 1 })).toBeNull();
  });
});
