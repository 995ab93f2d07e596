// Verdicts are compared with every later reading (design 3: contradictions).

import { expect, test } from 'vitest';
import { settleActivities } from '../../activities/settle.js';
import { useReadings } from '../../src/books/readings.js';
import { bornAfterMs, lastedMs } from '../../src/books/waits.js';
import type { RowFinished } from '../../src/contract/messages.js';
import { NANO_PER_CREDIT } from '../../src/domain/money.js';
import type { Row } from '../../src/domain/row.js';
import { markCancelled } from '../../src/home/batch-marks.js';
import { writeBatchOrder } from '../../src/home/batch-order.js';
import { rowStanding } from '../../src/home/row-standing.js';
import { isTrusted, unwatchVerdict, watchedVerdicts } from '../../src/home/verdicts.js';
import { accountAtHand, MINUTE_MS, plainRow, readAccount } from '../activities/support/account-at-hand.js';
import { intent, wholeRecord } from '../home/support/examples.js';

const STILL = plainRow('still');
const FILM = plainRow('film', { index: 1, kind: 'vendor-f/video', cells: { prompt: 'a bird', duration: 4 } });
const OTHER = plainRow('other', { index: 2 });
const PRICES = [STILL, FILM].map(({ kind }) => ({ kind, components: [{ unit: 'request' as const, credits: '0.2' }] }));
const PRICE_NANO = 0.2 * NANO_PER_CREDIT;

/** One row whose answer was lost, in an account that is read now and then. */
async function lostRow(row: Row) {
  const home = await accountAtHand([STILL, FILM, OTHER], PRICES);
  home.deps.settings.waits.syncMaxMs = 2 * MINUTE_MS;
  const { deps, clock, refOf, generation } = home;
  Object.assign(deps.messenger, { rowFinished: async () => true });
  const startMs = clock.nowMs;
  const read = async (minutes: readonly number[], credits: number) => {
    for (const minute of minutes) {
      clock.nowMs = startMs + minute * MINUTE_MS;
      await readAccount(deps, credits);
      await useReadings(deps.books);
    }
  };
  const claim = async ({ id, index, kind, hash }: Row) => {
    const expected = { lo: PRICE_NANO, hi: PRICE_NANO };
    const claimed = intent({ atMs: clock.nowMs, rowHash: hash, kind, generation, index, expected });
    await deps.ledger.claim({ batch: 'b', id, n: 1 }, claimed);
  };
  const verdicts = async () => {
    const [attempt] = await deps.ledger.read('b', row.id);
    return attempt?.states.flatMap((state) => (state.state === 'verdict' ? [state.verdict] : []));
  };
  await read([-1], 20);
  await claim(row);
  const lost = { state: 'unknown', atMs: startMs, evidence: { rule: 'T11', message: 'reset' } } as const;
  await deps.ledger.append({ batch: 'b', id: row.id, n: 1 }, lost);
  return { deps, read, claim, verdicts, settle: () => settleActivities(deps).settle({ row: refOf(row), n: 1 }) };
}

/** A synchronous call that was charged, and given back when the service saw that it had failed. */
async function refunded() {
  const account = await lostRow(STILL);
  await account.read([1], 19.8);
  await account.settle();
  await account.read(minutes(2, 24), 20);
  expect(await account.verdicts()).toEqual(['billed', 'not_billed']);
  return account;
}

function minutes(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

test('S2: the reading that had shown a bill does not contradict that it came back', async () => {
  const { deps, read, claim, verdicts } = await refunded();
  // Another call is under way: what the balance shows from now on may be its charge, or the first one's.
  await claim(OTHER);
  await read(minutes(25, 27), 19.8);
  expect(await verdicts()).toEqual(['billed', 'not_billed']);
  expect(await isTrusted(deps.home)).toBe(true);
});

test('a later reading that shows it with nothing else under way does', async () => {
  const { deps, read, verdicts } = await refunded();
  await read(minutes(25, 27), 19.8);
  expect(await verdicts()).toEqual(['billed', 'not_billed', 'billed']);
  expect(await isTrusted(deps.home)).toBe(false);
});

test('S2: a job that may still be charged is not called unbilled, however quiet the balance is until then', async () => {
  const { deps, read, verdicts, settle } = await lostRow(FILM);
  const dueMinutes = Math.floor((bornAfterMs(deps) + lastedMs(deps, FILM.kind)) / MINUTE_MS);
  for (let minute = 1; minute <= dueMinutes; minute += 1) {
    await read([minute], 20);
    await settle();
    expect([minute, await verdicts()]).toEqual([minute, []]);
  }
  await read(minutes(dueMinutes + 1, dueMinutes + 30), 20);
  await settle();
  expect(await verdicts()).toEqual(['not_billed']);
});

test('the quiet before a late job does not contradict its bill (F8)', async () => {
  const { read, claim, verdicts, settle } = await lostRow(FILM);
  await read(minutes(1, 70), 20);
  await settle();
  await read(minutes(71, 73), 19.8);
  expect(await verdicts()).toEqual(['not_billed', 'billed']);
  await claim(OTHER);
  await read(minutes(74, 76), 19.8);
  expect(await verdicts()).toEqual(['not_billed', 'billed']);
});

const lostPaid = wholeRecord('still', {
  ...{ kind: STILL.kind, status: 'lost_paid', reasonCode: 'answer_lost_billed', rowHash: STILL.hash, attempts: 1 },
  ...{ creditsNano: PRICE_NANO, seenStates: 3 },
});

test.each([
  ['if-proved', false, { ended: false, begins: 'submit', attempts: 1 }, ['still']],
  ['if-proved', true, { ended: true, status: 'failed' }, []],
  ['hold', false, { ended: true, status: 'failed' }, []],
] as const)('a bill that came back, under %s (cancelled: %s): what becomes of the row', async (...said) => {
  const [ambiguity, isCancelled, standing, reopened] = said;
  const { deps, read, settle } = await lostRow(STILL);
  const limits = { maxCreditsNano: null, maxFailures: null };
  await writeBatchOrder(deps.home, 'b', { limits, policy: { ambiguity, retries: 0, wasteMaxNano: 0 }, retry: null });
  if (isCancelled) await markCancelled(deps.home, 'b', 1);
  const asked: string[] = [];
  deps.messenger.reopen = async ({ row: { id } }) => {
    asked.push(id);
    return true;
  };
  deps.messenger.areOpen = async () => [asked.length > 0];
  await read([1], 19.8);
  await settle();
  await deps.records.writeRecord('b', lostPaid);
  await read(minutes(2, 5), 20);
  // Nothing goes on before the full test of not billed, which waits until nothing can be charged any more.
  expect((await deps.records.readRecord('b', 'still'))?.status).toBe('lost_paid');
  await read(minutes(6, 24), 20);
  const record = await deps.records.readRecord('b', 'still');
  expect(record).toMatchObject({ status: 'failed', reasonCode: 'answer_lost_unbilled', creditsNano: 0 });
  const content = { hash: STILL.hash, mayRerun: false };
  expect(rowStanding(record, await deps.ledger.read('b', 'still'), null, content)).toMatchObject(standing);
  expect(asked).toEqual(reopened);
});

test('I20: a batch is told the most that an attempt cost which had been found not billed', async () => {
  const { deps, read, settle } = await lostRow(STILL);
  const told: RowFinished[] = [];
  deps.messenger.rowFinished = async (_, report) => told.push(report) > 0;
  await read(minutes(1, 30), 20);
  await settle();
  const unbilled = { status: 'failed', reasonCode: 'answer_lost_unbilled', creditsNano: 0 } as const;
  await deps.records.writeRecord('b', { ...lostPaid, ...unbilled });
  await read(minutes(31, 33), 19.8);
  const was = { status: 'failed', creditsNano: 0 };
  expect(told).toEqual([{ id: 'still', status: 'review', creditsNano: null, was, moreNano: PRICE_NANO }]);
});

/** As if the process died at the next change of a record: what comes after it in the same step is not done. */
function dieAtNextRecord({ records }: Awaited<ReturnType<typeof lostRow>>['deps']) {
  const { changeRecord } = records;
  records.changeRecord = () => {
    records.changeRecord = changeRecord;
    return Promise.reject(new Error('killed'));
  };
}

test('a worker that dies before the record of a bill that came back: the next reading carries it out', async () => {
  const { deps, read, settle, verdicts } = await lostRow(STILL);
  const limits = { maxCreditsNano: null, maxFailures: null };
  const policy = { ambiguity: 'if-proved', retries: 0, wasteMaxNano: 0 } as const;
  await writeBatchOrder(deps.home, 'b', { limits, policy, retry: null });
  const asked: string[] = [];
  deps.messenger.reopen = async ({ row: { id } }) => {
    asked.push(id);
    return true;
  };
  deps.messenger.areOpen = async () => [asked.length > 0];
  await read([1], 19.8);
  await settle();
  await deps.records.writeRecord('b', lostPaid);
  dieAtNextRecord(deps);
  await read(minutes(2, 30), 20);
  expect(await verdicts()).toEqual(['billed', 'not_billed']);
  const record = await deps.records.readRecord('b', 'still');
  expect(record).toMatchObject({ status: 'failed', reasonCode: 'answer_lost_unbilled', creditsNano: 0 });
  // Once: what was carried out is not carried out at each reading.
  expect(asked).toEqual(['still']);
});

test('I6: the word that a row goes on is said again where it was lost on its way, until its job runs', async () => {
  const { deps, read } = await refunded();
  const limits = { maxCreditsNano: null, maxFailures: null };
  const policy = { ambiguity: 'if-proved', retries: 0, wasteMaxNano: 0 } as const;
  await writeBatchOrder(deps.home, 'b', { limits, policy, retry: null });
  // All but the last state were seen: the row goes on.
  const goesOn = { status: 'failed', reasonCode: 'answer_lost_unbilled', creditsNano: 0, seenStates: 3 } as const;
  await deps.records.writeRecord('b', { ...lostPaid, ...goesOn });
  const asked: string[] = [];
  deps.messenger.reopen = async ({ row: { id } }) => asked.push(id) > 0;
  deps.messenger.areOpen = async () => [asked.length > 1];
  await read(minutes(25, 29), 20);
  expect(asked).toEqual(['still', 'still']);
});

test('a worker that dies before the record of a contradicted verdict: the row is in review all the same', async () => {
  const { deps, read, verdicts } = await refunded();
  const { creditsNano: _none, ...unpaid } = lostPaid;
  const unbilled = { status: 'failed', reasonCode: 'answer_lost_unbilled', creditsNano: 0, seenStates: 4 } as const;
  await deps.records.writeRecord('b', { ...unpaid, ...unbilled });
  dieAtNextRecord(deps);
  await read(minutes(25, 28), 19.8);
  expect(await verdicts()).toEqual(['billed', 'not_billed', 'billed']);
  expect(await isTrusted(deps.home)).toBe(false);
  expect(await deps.records.readRecord('b', 'still')).toMatchObject({
    status: 'review',
    reasonCode: 'verdict_contradicted',
  });
});

test('a worker that dies before its verdict is watched: the job that asks again has it watched', async () => {
  const { deps, read, settle } = await lostRow(STILL);
  await read([1], 19.8);
  await settle();
  await unwatchVerdict(deps.home, { batch: 'b', id: 'still', n: 1 });
  await settle();
  expect((await watchedVerdicts(deps.home)).map(({ verdict }) => verdict)).toEqual(['billed']);
});
