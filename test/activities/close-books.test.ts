// The books of a batch are closed at its end, however many rows it had.
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { accountActivities } from '../../activities/account.js';
import { NANO_PER_CREDIT } from '../../src/domain/money.js';
import { readBooks } from '../../src/home/learned.js';
import { isTrusted, readTrust, trust } from '../../src/home/verdicts.js';
import { closeBooks } from '../../workflows/batch-answers.js';
import { accountAtHand, MINUTE_MS, plainRow, readAccount } from './support/account-at-hand.js';

interface Called {
  name: string;
  options: { startToCloseTimeout: string; heartbeatTimeout?: string };
}

const { called } = vi.hoisted(() => ({ called: [] as Called[] }));

vi.mock('@temporalio/workflow', async (original) => ({
  ...(await original<typeof import('@temporalio/workflow')>()),
  proxyActivities: (options: Called['options']) =>
    new Proxy({}, { get: (_, name: string) => async () => void called.push({ name, options }) }),
}));

afterEach(() => {
  vi.useRealTimers();
});

const ROW = plainRow('a');
const HOUR_MS = 60 * MINUTE_MS;

test('7-S1: hours of charges are summed up while the activity gives signs of life', async () => {
  const { deps, clock } = await accountAtHand([ROW]);
  const beganMs = clock.nowMs;
  const read = (credits: number) => {
    return readAccount(deps, credits);
  };
  await read(20);
  for (let hour = 0; hour < 3; hour += 1) {
    clock.nowMs += HOUR_MS;
    const times = { claimedAtMs: clock.nowMs, endedAtMs: clock.nowMs };
    const charged = { batch: 'b', id: `r${hour}`, n: 1, kind: ROW.kind, end: 'charged' as const, ...times };
    await deps.book.append({ ...charged, lo: NANO_PER_CREDIT, hi: NANO_PER_CREDIT });
  }
  clock.nowMs += HOUR_MS;
  await read(17);
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const slow: typeof deps.book.each = async function* (sinceMs) {
    for await (const entry of deps.book.each(sinceMs)) {
      vi.advanceTimersByTime(MINUTE_MS);
      yield entry;
    }
  };
  const books = { ...deps.books, book: { ...deps.book, each: slow } };
  const environment = new MockActivityEnvironment();
  const beat = vi.fn();
  environment.on('heartbeat', beat);
  await environment.run(accountActivities({ ...deps, books }).closeBooks, { batch: 'b', sinceMs: beganMs });
  expect(beat.mock.calls.length).toBeGreaterThanOrEqual(30);
  expect(await readBooks(deps.home, 'b')).toMatchObject({
    startNano: 20 * NANO_PER_CREDIT,
    endNano: 17 * NANO_PER_CREDIT,
    unattributed: { lo: 0, hi: 0 },
  });
});

test('3-R16: who else spends from the account switches `if-proved` off, and a person turns it on again', async () => {
  const { deps, clock } = await accountAtHand([ROW]);
  const beganMs = clock.nowMs;
  const read = (credits: number) => {
    clock.nowMs += 10 * MINUTE_MS;
    return readAccount(deps, credits);
  };
  const close = () =>
    new MockActivityEnvironment().run(accountActivities(deps).closeBooks, { batch: 'b', sinceMs: beganMs });
  await read(20);
  await read(20);
  await close();
  expect(await isTrusted(deps.home)).toBe(true);
  await read(19.5);
  await close();
  expect(await readTrust(deps.home)).toMatchObject({
    trusted: false,
    why: expect.stringMatching(/0\.5000 credits left the balance that no request of this home explains$/),
  });
  // What a person has seen is not told again; more of it is.
  await trust(deps.home, { who: 'me', why: 'it was the other team', atMs: clock.nowMs + 1 });
  await read(19.5);
  await close();
  expect(await isTrusted(deps.home)).toBe(true);
  await read(19);
  await close();
  expect(await isTrusted(deps.home)).toBe(false);
});

test('a rise that no refund and no purchase explains does the same (design 3, top-up)', async () => {
  const { deps, clock } = await accountAtHand([ROW]);
  const beganMs = clock.nowMs;
  const close = async (credits: number) => {
    clock.nowMs += 10 * MINUTE_MS;
    await readAccount(deps, credits);
    await new MockActivityEnvironment().run(accountActivities(deps).closeBooks, { batch: 'b', sinceMs: beganMs });
  };
  await close(20);
  await close(20);
  expect(await isTrusted(deps.home)).toBe(true);
  await close(20.37);
  expect(await readTrust(deps.home)).toMatchObject({
    trusted: false,
    why: expect.stringMatching(/0\.3700 credits came to the balance that no refund and no purchase explains$/),
  });
});

test('7-S1: the batch waits for as long as that takes, and asks again only once no sign of life comes', async () => {
  await closeBooks('a', 'b', 0);
  const { options } = called.find(({ name }) => name === 'closeBooks') as Called;
  expect(options).toMatchObject({ startToCloseTimeout: '1 h', heartbeatTimeout: '60 s' });
});

test('a discount that may have ended since they were read last makes nobody else spend', async () => {
  const { deps, clock } = await accountAtHand([ROW]);
  const beganMs = clock.nowMs;
  const read = (credits: number) => {
    const plan = { rpm: null, concurrent: null, plan: null };
    return deps.home.addCheckpoint({ atMs: deps.now(), balanceNano: credits * NANO_PER_CREDIT, ...plan });
  };
  const close = () =>
    new MockActivityEnvironment().run(accountActivities(deps).closeBooks, { batch: 'b', sinceMs: beganMs });
  const half = { entrypoint: 'svc', multiplierPpb: 5e8, effectiveFromMs: 0, effectiveToMs: null };
  await deps.books.discounts.keep([half]);
  await read(20);
  clock.nowMs += MINUTE_MS;
  const nano = NANO_PER_CREDIT;
  const times = { claimedAtMs: clock.nowMs, endedAtMs: clock.nowMs };
  const charged = { batch: 'b', id: 'a', n: 1, kind: ROW.kind, end: 'charged' as const, ...times };
  await deps.book.append({ ...charged, lo: nano / 2, hi: nano / 2, list: { lo: nano, hi: nano } });
  // It cost its list price.
  clock.nowMs += 3 * MINUTE_MS;
  await read(19);
  await close();
  expect(await isTrusted(deps.home)).toBe(true);
  // The discount was still in force long after: somebody else spent half a credit.
  clock.nowMs += 10 * MINUTE_MS;
  await deps.books.discounts.keep([half]);
  await read(19);
  await close();
  expect(await isTrusted(deps.home)).toBe(false);
});
