// The index of a large batch says what a walk over all of its rows says, and needs no walk where nothing changed.

import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { HomeAccess } from '../../src/cli/access/home-access.js';
import { batchTally, type HomeTally } from '../../src/cli/batch/batch-tally.js';
import { openAccountRecords } from '../../src/home/account-records.js';
import { markCancelled, writeSampleGate } from '../../src/home/batch-marks.js';
import { noteLate } from '../../src/home/late-outputs.js';
import { resultLines } from '../../src/home/result-lines.js';
import { clearFollowers, noteReruns, orderFollowers } from '../../src/home/row-orders.js';
import { createRowsWriter } from '../../src/home/rows-writer.js';
import { emptyTally, tallyResults } from '../../src/home/upstream.js';
import { createFolderStore } from '../../src/store/folder.js';
import type { Store } from '../../src/store/port.js';
import { temporaryFolder } from '../store/support/temporary.js';
import { age } from './support/age.js';
import { intent, states, storedRow, wholeRecord } from './support/examples.js';

const ROWS = 1_200;

/** Counts what is asked of the store. */
function counted(store: Store, seen: { reads: number; parts: number }): Store {
  return new Proxy(store, {
    get(target, name: keyof Store) {
      const value = target[name];
      if (typeof value !== 'function') return value;
      return (...args: never[]) => {
        if (name === 'get' || name === 'names') seen.reads += 1;
        if (name === 'get' && /\/\d{6}\.jsonl$/.test(args[0] ?? '')) seen.parts += 1;
        return (value as (...args: never[]) => unknown).apply(target, args);
      };
    },
  });
}

async function batch(rowAt = (index: number) => storedRow(index, { hash: `hash ${index}` })) {
  const place = join(temporaryFolder(), 'home');
  const seen = { reads: 0, parts: 0 };
  const store = counted(createFolderStore(place), seen);
  const account = openAccountRecords(store, 'a');
  const writer = createRowsWriter(store, 'a', 'b');
  for (let index = 0; index < ROWS; index += 1) await writer.add(rowAt(index));
  const { generation } = await writer.finish({ columns: [], passthroughColumns: [], createdAtMs: 1 });
  const access = { ...account, config: {} } as unknown as HomeAccess;
  return {
    ...account,
    place,
    seen,
    generation,
    tally: () => batchTally(access, 'b', generation, { sinceMs: 50 }),
    /** What every row says for itself. */
    walk: async () => {
      const tally = emptyTally();
      await tallyResults(resultLines(account, 'b', generation), tally);
      return tally;
    },
    /** Open rows by kind, as a walk over all of them finds them. */
    openByKind: async () => {
      const kinds = new Map<string, number>();
      for await (const { row, record, ended, removed } of resultLines(account, 'b', generation)) {
        const open = removed || record !== undefined || ended !== undefined ? 0 : 1;
        kinds.set(row.kind, (kinds.get(row.kind) ?? 0) + open);
      }
      return kinds;
    },
    /** As if all of it had been written long ago. */
    age: () => age(place),
  };
}

const openOf = ({ kinds }: HomeTally) => new Map([...kinds].map(([kind, { open }]) => [kind, Math.round(open)]));

const ref = (index: number, n = 1) => ({ batch: 'b', id: `row-${index}`, n });
const record = (index: number, over: Parameters<typeof wholeRecord>[1] = {}) =>
  wholeRecord(`row-${index}`, { rowHash: `hash ${index}`, finishedAtMs: index, seenStates: 0, ...over });

test('it says what a walk says, after everything that can become of a row', async () => {
  const home = await batch((index) =>
    storedRow(index, { hash: `hash ${index}`, kind: index % 2 === 0 ? 'svc/image' : 'svc/edit' }),
  );
  const { records, ledger } = home;
  const steps: (() => Promise<unknown>)[] = [
    async () => undefined,
    () => records.writeRecord('b', record(1)),
    () => records.writeRecord('b', record(2, { status: 'failed', creditsNano: 0 })),
    // An attempt is claimed, goes on, and ends; its record comes last.
    () => ledger.claim(ref(3), intent()),
    () => ledger.append(ref(3), states.unknown),
    () => ledger.append(ref(3), states.verdict),
    () => records.writeRecord('b', record(3, { status: 'lost_paid', seenStates: 3 })),
    // The ledger learns more of a row that had ended.
    () => ledger.append(ref(3), states.attached),
    () => records.writeRecord('b', record(3, { seenStates: 4 })),
    // A row that failed is tried again.
    () => ledger.claim(ref(2), intent()),
    // A row that was paid is ordered anew: what it cost stays spent.
    () => records.writeRecord('b', record(5, { creditsNano: 7, rerunAtMs: 1 })),
    () => ledger.claim(ref(5), intent()),
    // What was done for other values needs a person.
    () => records.writeRecord('b', record(1, { rowHash: 'other' })),
    () => records.writeRecord('b', record(4, { status: 'skipped', attempts: 0 })),
    () => records.forgetSkipped('b', 'row-4'),
    // A row that took an earlier render over is a done one that cost nothing, until its values are others.
    () => records.writeRecord('b', record(6, { creditsNano: 0, finishedAtMs: 2, reusedFrom: 'old/row-6' })),
    () => records.writeRecord('b', record(6, { finishedAtMs: 2 })),
    // A record that cannot be read needs a person.
    () => home.home.store.put(home.home.keys.record('b', 'row-1'), Buffer.from('{torn')),
    () => markCancelled(home.home, 'b', 1),
  ];
  for (const [i, step] of steps.entries()) {
    // Folders that look old change their stamps by what is written into them alone.
    if (i % 2 === 1) home.age();
    await step();
    expect(await home.tally(), `step ${i}`).toMatchObject(await home.walk());
    expect(openOf(await home.tally()), `step ${i}`).toEqual(await home.openByKind());
  }
  const { forPerson, endedAtMs, endedSince } = await home.tally();
  expect([forPerson, endedAtMs, endedSince]).toEqual([1, 3, 0]);
}, 60_000);

/** Chains of three. */
function fedRowAt(index: number) {
  const media = { image: [{ source: 'row' as const, id: `row-${index - 1}`, at: index - 1 }] };
  return storedRow(index, { hash: `hash ${index}`, ...(index % 3 === 0 ? {} : { media }) });
}

test('rows that wait for others, and rows whose feeder brought nothing, are what a walk finds them to be', async () => {
  const home = await batch(fedRowAt);
  const { records } = home;
  const { live, heldFor } = await home.tally();
  expect([live, heldFor]).toEqual([{ waiting: ROWS / 3, held: (ROWS / 3) * 2 }, 'row-0']);
  const gate = (ids: string[]) => writeSampleGate(home.home, 'b', { ids, atMs: 1 });
  const steps: (() => Promise<unknown>)[] = [
    () => records.writeRecord('b', record(0)),
    () => records.writeRecord('b', record(3, { status: 'failed', creditsNano: 0 })),
    () => records.writeRecord('b', record(6, { status: 'review' })),
    () => records.writeRecord('b', record(1)),
    () => home.ledger.claim(ref(2), intent()),
    // An output came after what it feeds had ended; a person had one of those rows follow, and left another alone.
    () => records.writeRecord('b', record(9)),
    () => noteLate(home.home, 'b', 'row-9', 1),
    () => orderFollowers(home.home, 'b', ['row-10'], 'starts'),
    // Rows that are to be rendered again wait for what feeds them, which waits for a person.
    async () => {
      await records.writeRecord('b', record(4, { creditsNano: 7, rerunAtMs: 1 }));
      await home.ledger.claim(ref(4), intent());
      await home.ledger.append(ref(4), states.created);
      await home.ledger.append(ref(4), states.rendered);
      await home.ledger.append(ref(4), { state: 'overridden', atMs: 1, cause: 'rerun', by: { who: 'ann' } });
      await noteReruns(home.home, 'b', ['row-4']);
    },
    () => records.writeRecord('b', record(3, { status: 'review' })),
    () => records.writeRecord('b', record(15)),
    () => orderFollowers(home.home, 'b', ['row-16'], 'stays'),
    () => clearFollowers(home.home, 'b'),
    () => gate(['row-2', 'row-10', 'row-12', 'row-13']),
    () => markCancelled(home.home, 'b', 1),
  ];
  for (const [i, step] of steps.entries()) {
    await step();
    expect(await home.tally(), `step ${i}`).toMatchObject(await home.walk());
  }
}, 60_000);

test('what rows of a kind came to is summed of those that the batch rendered itself', async () => {
  const home = await batch();
  await home.records.writeRecord('b', record(0, { creditsNano: 5 }));
  await home.records.writeRecord('b', record(1, { creditsNano: 7 }));
  await home.records.writeRecord('b', record(2, { creditsNano: 0, reusedFrom: 'old/row-2' }));
  const { creditsNano: _, ...unpriced } = record(3, { creditsBasis: 'unknown' });
  await home.records.writeRecord('b', unpriced);
  await home.records.writeRecord('b', record(4, { status: 'lost_paid', creditsNano: 9 }));
  expect([...(await home.tally()).kinds]).toEqual([['svc/image', { open: ROWS - 5, paid: 2, paidNano: 12 }]]);
});

test('rows that wait for others are counted without reading the rows', async () => {
  const home = await batch(fedRowAt);
  const live = { waiting: ROWS / 3, held: (ROWS / 3) * 2 };
  await home.tally();
  home.age();
  await home.tally();
  home.age();
  Object.assign(home.seen, { reads: 0, parts: 0 });
  expect((await home.tally()).live).toEqual(live);
  expect(home.seen.parts).toBe(0);
  expect(home.seen.reads).toBeLessThan(12);
  await home.records.writeRecord('b', record(0));
  const after = await home.tally();
  expect([after.live, after.heldFor]).toEqual([{ waiting: ROWS / 3, held: (ROWS / 3) * 2 - 1 }, 'row-1']);
  expect(home.seen.parts).toBe(0);
  // What feeds what cannot be read: the rows say it.
  await home.home.store.put(home.home.keys.feeds('b', home.generation, 0), Buffer.from('{torn'));
  await home.records.writeRecord('b', record(3));
  const walked = await home.tally();
  expect([walked.live, walked.heldFor]).toEqual([{ waiting: ROWS / 3, held: (ROWS / 3) * 2 - 2 }, 'row-1']);
}, 60_000);

test('6-O12: where nothing changed, no record and no name is read; where one row changed, its shard alone', async () => {
  const home = await batch();
  for (let index = 0; index < ROWS; index += 1) await home.records.writeRecord('b', record(index));
  await home.tally();
  home.age();
  await home.tally();
  home.age();
  home.seen.reads = 0;
  expect((await home.tally()).counts.done).toBe(ROWS);
  expect(home.seen.reads).toBeLessThan(10);
  await home.records.writeRecord('b', record(7, { status: 'failed' }));
  home.seen.reads = 0;
  expect((await home.tally()).counts).toMatchObject({ done: ROWS - 1, failed: 1 });
  expect(home.seen.reads).toBeLessThan(20);
}, 60_000);

test('thrown away, torn or not to be written, it is made again', async () => {
  const home = await batch();
  for (let index = 0; index < 5; index += 1) await home.records.writeRecord('b', record(index));
  const before = await home.tally();
  const folder = join(home.place, home.home.keys.index('b', home.generation));
  for (const damage of [
    () => writeFileSync(join(folder, 'sums.json'), '{'),
    () => writeFileSync(join(folder, readdirSync(folder)[0] ?? ''), '['),
    () => rmSync(folder, { recursive: true }),
  ]) {
    damage();
    expect(await home.tally()).toEqual(before);
  }
  rmSync(folder, { recursive: true });
  writeFileSync(folder, 'in its way');
  expect(await home.tally()).toEqual(before);
}, 60_000);

test('what a row has cost stays spent while it is rendered again', async () => {
  const home = await batch();
  await home.records.writeRecord('b', record(5, { creditsNano: 7, rerunAtMs: 1 }));
  expect([await home.tally(), await home.walk()]).toMatchObject([
    { creditsNano: 7, open: ROWS },
    { creditsNano: 7, open: ROWS },
  ]);
});
