import { readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AttemptState } from '../../src/domain/attempt.js';
import { allowsAnother, handleOf, standingOf } from '../../src/domain/standing.js';
import { createLedger, LedgerError } from '../../src/home/ledger.js';
import { createFolderStore } from '../../src/store/folder.js';
import { collect, temporaryFolder } from '../store/support/temporary.js';
import { intent, states } from './support/examples.js';

const ref = { batch: 'b', id: 'row.1', n: 1 };

function openLedger() {
  const root = temporaryFolder();
  const store = createFolderStore(root);
  const ledger = createLedger(store, 'default');
  const statesOf = async () => (await ledger.readAttempt(ref))?.states ?? [];
  const folder = async () => {
    const [shard = ''] = await store.names('default/batches/b/attempts');
    return join(root, 'default/batches/b/attempts', shard, 'row.1');
  };
  return { root, store, ledger, statesOf, folder };
}

describe('claims', () => {
  test('one claim per attempt; it is listed as open with what is needed to hold its slot', async () => {
    const { ledger } = openLedger();
    expect(await ledger.claim(ref, intent())).toBe(true);
    expect(await ledger.claim(ref, intent({ nonce: 'f'.repeat(64) }))).toBe(false);
    expect(await ledger.read('b', 'row.1')).toEqual([{ n: 1, states: [intent()], torn: false }]);
    const { kind, generation, part, index, atMs } = intent();
    expect(await collect(ledger.open())).toEqual([{ ...ref, kind, generation, part, index, atMs }]);
  });

  test('attempts are read by number, not by name', async () => {
    const { ledger } = openLedger();
    for (const n of [10_000, 2, 1, 9_999]) await ledger.claim({ ...ref, n }, intent());
    const attempts = await ledger.read('b', 'row.1');
    expect(attempts.map(({ n }) => n)).toEqual([1, 2, 9_999, 10_000]);
    expect((await collect(ledger.open())).map(({ n }) => n).sort((a, b) => a - b)).toEqual([1, 2, 9_999, 10_000]);
  });

  test('ids that look like parts of other names stay apart', async () => {
    const { ledger } = openLedger();
    const ids = ['a', 'a.0001', 'a.0001.json', 'A_-.9'];
    for (const id of ids) await ledger.claim({ batch: 'b.0001', id, n: 1 }, intent());
    const open = await collect(ledger.open());
    expect(open.map(({ id }) => id).sort()).toEqual([...ids].sort());
    for (const id of ids) expect(await ledger.read('b.0001', id)).toHaveLength(1);
  });

  test('close takes it out of the index and keeps the records', async () => {
    const { ledger, statesOf } = openLedger();
    await ledger.claim(ref, intent());
    await ledger.close(ref);
    await ledger.close(ref);
    expect(await collect(ledger.open())).toEqual([]);
    expect(await statesOf()).toEqual([intent()]);
  });

  test('a claim that comes too late leaves no entry for an attempt that was closed', async () => {
    const { ledger } = openLedger();
    await ledger.claim(ref, intent());
    await ledger.append(ref, states.refused);
    await ledger.close(ref);
    expect(await ledger.claim(ref, intent())).toBe(false);
    expect(await collect(ledger.open())).toEqual([]);
  });

  test('a claim that comes too late leaves the entry of an attempt that still runs', async () => {
    const { ledger } = openLedger();
    await ledger.claim(ref, intent());
    await ledger.close(ref); // as if the winner had not listed itself yet
    expect(await ledger.claim(ref, intent())).toBe(false);
    expect(await collect(ledger.open())).toHaveLength(1);
  });
});

describe('T2: void', () => {
  test('succeeds where there is no claim, and then nobody can claim', async () => {
    const { ledger, statesOf } = openLedger();
    expect(await ledger.voidClaim(ref, 'the activity never started', { atMs: 5 })).toBe(true);
    expect(await ledger.claim(ref, intent())).toBe(false);
    expect(await statesOf()).toEqual([{ state: 'void', atMs: 5, why: 'the activity never started' }]);
    expect(await collect(ledger.open())).toEqual([]);
  });

  test('T12: a claim is never voided', async () => {
    const { ledger, statesOf } = openLedger();
    await ledger.claim(ref, intent());
    expect(await ledger.voidClaim(ref, 'timed out', { atMs: 5 })).toBe(false);
    expect(await statesOf()).toEqual([intent()]);
  });

  test('takes away the index entry of a claimer that died between its two writes', async () => {
    const { ledger, store } = openLedger();
    const { kind, generation, part, index, atMs } = intent();
    const facts = JSON.stringify({ kind, generation, part, index, atMs });
    await store.put('default/open/b/row.1.0001.json', Buffer.from(facts));
    expect(await collect(ledger.open())).toHaveLength(1);
    expect(await ledger.readAttempt(ref)).toBeUndefined();
    expect(await ledger.voidClaim(ref, 'no claim', { atMs: 5 })).toBe(true);
    expect(await collect(ledger.open())).toEqual([]);
  });

  test('nothing follows a void', async () => {
    const { ledger } = openLedger();
    await ledger.voidClaim(ref, 'never started', { atMs: 5 });
    await expect(ledger.append(ref, states.created)).rejects.toMatchObject({ code: 'CONTRADICTION' });
  });
});

describe('I3: states only ever extend', () => {
  test('each state is a further record; the last one stands', async () => {
    const { ledger, statesOf, folder } = openLedger();
    const path: AttemptState[] = [states.unknown, states.verdict, states.created, states.rendered];
    await ledger.claim(ref, intent());
    for (const state of path) expect(await ledger.append(ref, state)).toBe(true);
    expect(await statesOf()).toEqual([intent(), ...path]);
    expect(readdirSync(await folder())).toHaveLength(5);
  });

  test('every state comes back as it was written', async () => {
    const { ledger } = openLedger();
    const chains: AttemptState[][] = [
      [{ ...states.refused, code: 'c', requestId: 'r', retryAfterMs: 3 }],
      [{ ...states.done, facts: { usage: { a: [1, null] }, warnings: ['w'], revisedPrompt: 'p' } }],
      [{ ...states.created_lost, salvagedHandle: 'h' }, states.verdict],
      [{ ...states.created, warning: 'odd' }, states.ended],
    ];
    for (const [i, chain] of chains.entries()) {
      const place = { ...ref, n: i + 1 };
      await ledger.claim(place, intent({ balance: { nano: -5, atMs: 3 }, expected: null }));
      for (const state of chain) await ledger.append(place, state);
      expect((await ledger.readAttempt(place))?.states.slice(1)).toEqual(chain);
    }
  });

  test('F51: a handle that comes late, after unknown or after a verdict, wins', async () => {
    const { ledger } = openLedger();
    await ledger.claim(ref, intent());
    await ledger.append(ref, states.unknown);
    await ledger.append(ref, { ...states.verdict, verdict: 'not_billed' });
    expect(await ledger.append(ref, states.created)).toBe(true);
    const attempt = await ledger.readAttempt(ref);
    expect(attempt && standingOf(attempt)).toBe('created');
    expect(attempt && handleOf(attempt)).toBe('job/1');
  });

  test('unknown or a verdict that comes after the handle changes nothing', async () => {
    const { ledger, statesOf } = openLedger();
    await ledger.claim(ref, intent());
    await ledger.append(ref, states.created);
    expect(await ledger.append(ref, states.unknown)).toBe(false);
    expect(await ledger.append(ref, states.verdict)).toBe(false);
    expect(await statesOf()).toEqual([intent(), states.created]);
  });

  test.each(['attached', 'ruled', 'overridden'] as const)(
    'an attempt that may be paid again is %s by a person only until the next one is claimed',
    async (word) => {
      const { ledger, statesOf } = openLedger();
      const decided = { ...states[word], atMs: 99 };
      for (const n of [1, 2]) {
        await ledger.claim({ ...ref, n }, intent());
        await ledger.append({ ...ref, n }, states.unknown);
        await ledger.append({ ...ref, n }, states.overridden);
      }
      const late = ledger.append(ref, decided);
      await expect(late).rejects.toThrow(`attempt 2 followed attempt 1 of row 'row.1' in batch 'b'; '${word}' cannot`);
      expect(await statesOf()).toEqual([intent(), states.unknown, states.overridden]);
      expect(await ledger.append({ ...ref, n: 2 }, decided)).toBe(true);
    },
  );

  test('an identical last state is not repeated', async () => {
    const { ledger, statesOf } = openLedger();
    await ledger.claim(ref, intent());
    expect(await ledger.append(ref, states.created)).toBe(true);
    expect(await ledger.append(ref, { ...states.created, atMs: 2 })).toBe(false);
    expect(await statesOf()).toHaveLength(2);
  });

  test('what contradicts the record, or has no claim, is an error that names the row', async () => {
    const { ledger, statesOf } = openLedger();
    const orphan = ledger.append(ref, states.created);
    await expect(orphan).rejects.toBeInstanceOf(LedgerError);
    await expect(orphan).rejects.toThrow("attempt 1 of row 'row.1' in batch 'b' has no claim");
    await ledger.claim(ref, intent());
    await ledger.append(ref, states.refused);
    const wrong = ledger.append(ref, states.created);
    await expect(wrong).rejects.toThrow("attempt 1 of row 'row.1' in batch 'b' is 'refused'; 'created' cannot follow");
    expect(await statesOf()).toHaveLength(2);
  });

  test('of many appends at once none is lost and none overwrites another', async () => {
    const { ledger, statesOf } = openLedger();
    await ledger.claim(ref, intent());
    await ledger.append(ref, states.created);
    const urls = Array.from({ length: 20 }, (_, i) => `https://cdn.example/${i}.mp4`);
    await Promise.all(urls.map((url) => ledger.append(ref, { ...states.rendered, outputs: [{ url }] })));
    const written = (await statesOf()).flatMap((state) =>
      state.state === 'rendered' ? state.outputs.map((o) => o.url) : [],
    );
    expect(written.sort()).toEqual([...urls].sort());
  });
});

describe('F47: torn and foreign records', () => {
  test('a torn later record is marked, kept, and the next one goes behind it', async () => {
    const { ledger, folder } = openLedger();
    await ledger.claim(ref, intent());
    await ledger.append(ref, states.unknown);
    const torn = join(await folder(), '0001.001.json');
    truncateSync(torn, 20);
    expect(await ledger.readAttempt(ref)).toEqual({ n: 1, states: [intent()], torn: true });
    await ledger.append(ref, states.unknown);
    expect(readdirSync(await folder()).sort()).toEqual(['0001.000.json', '0001.001.json', '0001.002.json']);
    expect(await ledger.readAttempt(ref)).toEqual({ n: 1, states: [intent(), states.unknown], torn: true });
  });

  test.each([
    ['no bytes', ''],
    ['not JSON', '{"state":"cre'],
    ['a word of a newer callsheet', '{"state":"paused","atMs":1}'],
    ['a missing field', '{"state":"created","atMs":1}'],
  ])('%s: torn', async (_, text) => {
    const { ledger, folder } = openLedger();
    await ledger.claim(ref, intent());
    writeFileSync(join(await folder(), '0001.001.json'), text);
    expect(await ledger.readAttempt(ref)).toMatchObject({ torn: true, states: [intent()] });
  });

  const notBilled: AttemptState = { state: 'verdict', atMs: 2, verdict: 'not_billed', sentence: 'no' };
  const unbilled: AttemptState = { state: 'ruled', atMs: 2, ruling: 'not_billed', by: { who: 'ann' } };
  test.each<[string, AttemptState[]]>([
    ['refused', [states.refused]],
    ['not billed', [states.unknown, notBilled]],
    ['written off by a person', [states.unknown, unbilled]],
    ['overridden', [states.unknown, states.overridden]],
    ['ended without a result', [states.created, states.ended]],
  ])('3-R13: %s, and a later record that cannot be read: no other attempt is allowed', async (_, later) => {
    const { ledger, folder } = openLedger();
    await ledger.claim(ref, intent());
    for (const state of later) await ledger.append(ref, state);
    const standing = async () => {
      const attempt = await ledger.readAttempt(ref);
      return attempt && standingOf(attempt);
    };
    expect(allowsAnother((await standing()) ?? 'claimed')).toBe(true);
    writeFileSync(join(await folder(), `0001.00${later.length + 1}.json`), '{"state":"of a newer callsheet"}');
    expect(await standing()).toBe('open_case');
    // What is found out afterwards stands.
    await ledger.append(ref, { ...notBilled, atMs: 9 });
    expect(await standing()).toBe('not_billed');
  });

  test('3-R13: an accepted job stays one, whatever cannot be read behind it', async () => {
    const { ledger, folder } = openLedger();
    await ledger.claim(ref, intent());
    await ledger.append(ref, states.created);
    writeFileSync(join(await folder(), '0001.002.json'), '{');
    expect(await ledger.readAttempt(ref)).toMatchObject({ torn: true, states: [intent(), states.created] });
  });

  test('a torn index entry is read from the claim; without a claim it says nothing', async () => {
    const { ledger, root } = openLedger();
    await ledger.claim(ref, intent());
    writeFileSync(join(root, 'default/open/b/row.1.0001.json'), '');
    writeFileSync(join(root, 'default/open/b/row.2.0001.json'), '');
    writeFileSync(join(root, 'default/open/b/notes.txt'), '');
    expect((await collect(ledger.open())).map(({ id, index }) => [id, index])).toEqual([['row.1', 7]]);
  });
});
