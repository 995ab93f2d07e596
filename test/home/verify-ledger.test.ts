import { beforeEach, describe, expect, test } from 'vitest';
import type { AttemptState } from '../../src/domain/attempt.js';
import { createChargeBook } from '../../src/home/charge-book.js';
import { type Home, openHome } from '../../src/home/home.js';
import { createLedger, type Ledger } from '../../src/home/ledger.js';
import { type LedgerBreach, verifyLedger } from '../../src/home/verify-ledger.js';
import { createFolderStore } from '../../src/store/folder.js';
import { temporaryFolder } from '../store/support/temporary.js';
import { intent, states } from './support/examples.js';

const DAY_MS = 86_400_000;

let home: Home;
let ledger: Ledger;

beforeEach(async () => {
  const store = createFolderStore(await temporaryFolder());
  home = openHome(store, 'test');
  ledger = createLedger(store, 'test');
  await home.bindOut('b', '/out', 1);
});

const ref = (id: string, n = 1) => ({ batch: 'b', id, n });
const raw = (id: string, n: number, seq: number, state: AttemptState | string) =>
  home.store.put(
    home.keys.attempt(ref(id, n), seq),
    Buffer.from(typeof state === 'string' ? state : JSON.stringify(state)),
  );

async function verify() {
  const breaches: LedgerBreach[] = [];
  const facts = await verifyLedger(home, (breach) => breaches.push(breach));
  return { facts, told: breaches.map(({ rule, id, what }) => `${rule} ${id}: ${what}`).sort() };
}

describe('the walk over the whole ledger', () => {
  test('finds nothing in what the ledger itself has written', async () => {
    await ledger.claim(ref('refused'), intent());
    await ledger.append(ref('refused'), states.refused);
    await ledger.close(ref('refused'));
    await ledger.claim(ref('refused', 2), intent());
    await ledger.append(ref('refused', 2), states.created);
    await ledger.claim(ref('again'), intent());
    await ledger.append(ref('again'), states.unknown);
    await ledger.append(ref('again'), states.verdict);
    await ledger.append(ref('again'), states.overridden);
    await ledger.claim(ref('again', 2), intent());
    await ledger.voidClaim(ref('void'), 'nobody sent it', { atMs: 1 });
    // A late answer after the override changes nothing about its being allowed.
    await ledger.append(ref('again'), states.created);
    expect(await verify()).toEqual({
      facts: { batches: 1, rows: 3, attempts: 5, records: 11, open: 3, leftovers: 0, breaches: 0 },
      told: [],
    });
  });

  test('an accepted job that nobody polled to its end stands in the index, or in the book', async () => {
    await ledger.claim(ref('left'), intent());
    await ledger.append(ref('left'), states.created);
    await ledger.close(ref('left'));
    expect((await verify()).told).toEqual(['index left: attempt 1 may still run and is not in the open index']);
    const times = { claimedAtMs: intent().atMs, endedAtMs: intent().atMs + DAY_MS };
    const entry = { ...ref('left'), kind: intent().kind, end: 'undecided', ...times, lo: 0, hi: 1 } as const;
    await createChargeBook(home.store, 'test').append(entry);
    expect((await verify()).told).toEqual([]);
  });

  test('what the book has of such a job is looked for from its claim on, not in all that came before', async () => {
    await ledger.claim(ref('left'), intent());
    await ledger.append(ref('left'), states.created);
    await ledger.close(ref('left'));
    const book = createChargeBook(home.store, 'test');
    const entry = { kind: intent().kind, end: 'undecided', claimedAtMs: intent().atMs, lo: 0, hi: 1 } as const;
    for (let at = 0; at < 20; at += 1) {
      await book.append({ ...entry, ...ref(`year-${at}`), endedAtMs: intent().atMs - 365 * DAY_MS + at * 600_000 });
      await book.append({ ...entry, ...ref(`later-${at}`), endedAtMs: intent().atMs + DAY_MS + at * 600_000 });
    }
    await book.append({ ...entry, ...ref('left'), endedAtMs: intent().atMs + DAY_MS });
    const looked: string[] = [];
    const { store } = home;
    const size = (key: string) => {
      if (key.includes('/book/')) looked.push(key);
      return store.size(key);
    };
    home = { ...home, store: { ...store, size } };
    expect((await verify()).told).toEqual([]);
    expect(looked.length).toBeLessThanOrEqual(16);
  });

  test('a changed row may be paid again once its old attempt has ended', async () => {
    await ledger.claim(ref('changed'), intent({ rowHash: 'old' }));
    await ledger.append(ref('changed'), states.done);
    await ledger.close(ref('changed'));
    await ledger.claim(ref('changed', 2), intent({ rowHash: 'new' }));
    expect((await verify()).told).toEqual([]);
  });

  test('I1: a second attempt while the first may cost', async () => {
    await ledger.claim(ref('twice'), intent());
    await ledger.append(ref('twice'), states.unknown);
    await ledger.claim(ref('twice', 2), intent());
    expect((await verify()).told).toEqual([
      "I1 twice: attempt 2 was made while attempt 1 is 'open_case', without an override",
    ]);
  });

  test('I2: claims that are missing, and states without a claim', async () => {
    await ledger.claim(ref('gap', 2), intent());
    await raw('headless', 1, 1, states.refused);
    expect((await verify()).told).toEqual([
      'I2 gap: attempt 2 follows attempt 0: claims between them are missing',
      'I2 headless: there are states, and no claim before them',
    ]);
  });

  test('I3: states after an end, records that are missing or torn', async () => {
    await raw('ended', 1, 0, states.intent);
    await raw('ended', 1, 1, states.refused);
    await raw('ended', 1, 2, states.created);
    await raw('hole', 1, 0, states.intent);
    await raw('hole', 1, 2, states.refused);
    await raw('torn', 1, 0, states.intent);
    await raw('torn', 1, 1, '{"state":"refu');
    const { told } = await verify();
    expect(told).toContain("I3 ended: 'created' stands after 'refused', which it cannot follow");
    expect(told).toContain('I3 hole: record 1 is missing');
    expect(told).toContain('I3 torn: record 1 cannot be read');
  });

  test('an attempt that may run and is not in the index is told; an entry that a crash left is counted', async () => {
    await ledger.claim(ref('lost'), intent());
    await ledger.close(ref('lost'));
    await ledger.claim(ref('left'), intent());
    await ledger.append(ref('left'), states.refused);
    expect(await verify()).toMatchObject({
      facts: { open: 1, leftovers: 1 },
      told: ['index lost: attempt 1 may still run and is not in the open index'],
    });
  });
});
