// Grants that reach waiting submits within the process (docs/architecture.md, the life of a row).
import { describe, expect, it } from 'vitest';
import { createStandby } from '../../src/worker/standby.js';

const job = { batch: 'b', id: 'r' };
const granted = { grant: 7, expected: null };

describe('a submit that stands by', () => {
  it('gets its grant, whichever comes first', async () => {
    const standby = createStandby(() => 0);
    const waiting = standby.wait(job, 10_000);
    standby.give(job, granted);
    expect(await waiting).toEqual(granted);
    standby.give(job, { ...granted, grant: 8 });
    expect(await standby.wait(job, 10_000)).toMatchObject({ grant: 8 });
    expect(await standby.wait(job, 1)).toBeUndefined();
  });

  it('ends at once when its job is cancelled; a grant that it did not take goes back', async () => {
    const standby = createStandby(() => 0);
    const waiting = standby.wait(job, 10_000);
    expect(standby.withdraw(job)).toBeNull();
    expect(await waiting).toBe('withdrawn');
    standby.give(job, granted);
    expect(standby.withdraw(job)).toEqual(granted);
    expect(await standby.wait(job, 10_000)).toBe('withdrawn');
  });

  it('never takes a grant of an earlier job of its row (I4)', async () => {
    const standby = createStandby(() => 0);
    standby.give(job, granted);
    standby.begin(job);
    expect(await standby.wait(job, 1)).toBeUndefined();
  });

  it('is one of a bounded number; what nobody fetched gives its place back', () => {
    let nowMs = 0;
    const standby = createStandby(() => nowMs);
    for (let i = 0; standby.hasRoom(); i += 1) standby.give({ batch: 'b', id: `r${i}` }, granted);
    nowMs = 121_000;
    expect(standby.hasRoom()).toBe(true);
  });

  it('counts from when its job begins: of many batches that begin at once not all are let in', async () => {
    let nowMs = 0;
    const standby = createStandby(() => nowMs);
    const jobs = Array.from({ length: 60 }, (_, i) => ({ batch: `b${i}`, id: 'r' }));
    for (const one of jobs) {
      expect(standby.hasRoom()).toBe(true);
      standby.begin(one);
    }
    expect(standby.hasRoom()).toBe(false);
    const [first = job] = jobs;
    const waiting = standby.wait(first, 10_000);
    expect(standby.hasRoom()).toBe(false);
    standby.give(first, granted);
    expect(await waiting).toEqual(granted);
    expect(standby.hasRoom()).toBe(true);
    standby.begin(first);
    expect(standby.hasRoom()).toBe(false);
    nowMs = 121_000;
    expect(standby.hasRoom()).toBe(true);
  });

  it('is handed on a slot that comes back, as the first that stands by of those that were named, once (I4)', async () => {
    const standby = createStandby(() => 0);
    const heir = (id: string, grant: number) => ({ job: { batch: 'b', id }, grant, expected: null });
    const named = { heirs: [heir('gone', 11), heir('r', 12), heir('s', 13)], held: [1, 2] };
    standby.nameHeirs(named);
    expect(standby.takeHeir(1)).toBeUndefined();
    const waiting = standby.wait(job, 10_000);
    // The same slot is back twice, or the word of who is next had been on its way.
    standby.nameHeirs(named);
    expect(standby.takeHeir(1)).toBeUndefined();
    const next = standby.takeHeir(2);
    expect(next).toMatchObject({ job, grant: 12 });
    standby.give(job, { grant: 12, expected: null });
    expect(await waiting).toMatchObject({ grant: 12 });
    const other = standby.wait({ ...job, id: 's' }, 10_000);
    // What was handed on is a slot like the others.
    expect(standby.takeHeir(12)).toMatchObject({ grant: 13 });
    standby.give({ ...job, id: 's' }, { grant: 13, expected: null });
    expect(await other).toMatchObject({ grant: 13 });
    expect(standby.takeHeir(13)).toBeUndefined();
  });

  it('is nobody whom an earlier job of its row was: it stands by, and has not been named', () => {
    const standby = createStandby(() => 0);
    standby.nameHeirs({ heirs: [{ job, grant: 13, expected: null }], held: [1] });
    standby.begin(job);
    void standby.wait(job, 10);
    expect(standby.takeHeir(1)).toBeUndefined();
  });
});
