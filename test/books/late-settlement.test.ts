// An avatar whose speech has an unknown length: its row ends after 2 h, its case after a day (design 3, Dmax).

import { expect, test, vi } from 'vitest';
import { settleActivities } from '../../activities/settle.js';
import { useReadings } from '../../src/books/readings.js';
import { NANO_PER_CREDIT } from '../../src/domain/money.js';
import type { RowRecord } from '../../src/domain/outcome.js';
import { rowStanding } from '../../src/home/row-standing.js';
import { watchedVerdicts } from '../../src/home/verdicts.js';
import { accountAtHand, MINUTE_MS, plainRow, readAccount } from '../activities/support/account-at-hand.js';
import { intent } from '../home/support/examples.js';

const AVATAR = plainRow('speech', {
  kind: 'vendor-b/avatar',
  cells: { avatar_id: 'anna' },
  media: { audio: [{ source: 'url', url: 'https://media.example/speech.mp3' }] },
});
const PRICES = [{ kind: AVATAR.kind, components: [{ unit: 'request' as const, credits: '0.2' }] }];
const PRICE_NANO = 0.2 * NANO_PER_CREDIT;

/** Hours of readings, one a minute, each on the disk. */
vi.setConfig({ testTimeout: 120_000 });

/** The avatar's answer was lost at minute 0; its row waits for a verdict while the balance is read every minute. */
async function lostAvatar() {
  const { deps, clock, refOf, generation } = await accountAtHand([AVATAR], PRICES);
  Object.assign(deps.messenger, { rowFinished: async () => true });
  const startMs = clock.nowMs;
  const ref = { batch: 'b', id: AVATAR.id, n: 1 };
  const read = async (from: number, to: number, credits: number) => {
    for (let minute = from; minute <= to; minute += 1) {
      clock.nowMs = startMs + minute * MINUTE_MS;
      await readAccount(deps, credits);
      await useReadings(deps.books);
    }
  };
  await read(-1, -1, 20);
  const expected = { lo: PRICE_NANO, hi: PRICE_NANO };
  const claimed = { rowHash: AVATAR.hash, kind: AVATAR.kind, generation, index: 0, expected };
  await deps.ledger.claim(ref, intent({ atMs: startMs, ...claimed }));
  await deps.ledger.append(ref, { state: 'unknown', atMs: startMs, evidence: { rule: 'T11', message: 'reset' } });
  const settle = () => settleActivities(deps).settle({ row: refOf(AVATAR), n: 1 });
  /** As its job records it once the case says `undecided`. */
  const endInReview = () => {
    const row = { id: AVATAR.id, kind: AVATAR.kind, rowHash: AVATAR.hash, attempts: 1, seenStates: 3 };
    const end = { status: 'review', reasonCode: 'answer_lost_undecided', creditsBasis: 'unknown' } as const;
    const record: RowRecord = {
      schema: 1,
      ...row,
      ...end,
      flags: [],
      warnings: [],
      files: [],
      finishedAtMs: clock.nowMs,
    };
    return deps.records.writeRecord('b', record);
  };
  const record = () => deps.records.readRecord('b', AVATAR.id);
  return { deps, read, settle, endInReview, record };
}

test('the row is in review after two hours, and the balance still settles it as not billed', async () => {
  const { deps, read, settle, endInReview, record } = await lostAvatar();
  await read(1, 119, 20);
  expect((await settle()).outcome).toBe('wait');
  await read(120, 121, 20);
  expect(await settle()).toMatchObject({ outcome: 'verdict', verdict: 'undecided' });
  await endInReview();
  await read(122, 300, 20);
  expect((await record())?.status).toBe('review');
  // Θ, six hours of rendering, Λ: then nothing of it can come any more.
  await read(301, 370, 20);
  expect(await record()).toMatchObject({ status: 'failed', reasonCode: 'answer_lost_unbilled' });
  expect((await watchedVerdicts(deps.home)).map(({ verdict }) => verdict)).toEqual(['not_billed']);
});

test('a charge in the fifth hour makes it a paid row, and after a day nothing is looked for any more', async () => {
  const { deps, read, settle, endInReview, record } = await lostAvatar();
  await read(1, 121, 20);
  await settle();
  await endInReview();
  await read(122, 280, 20);
  await read(281, 290, 19.8);
  expect(await record()).toMatchObject({ status: 'lost_paid', reasonCode: 'answer_lost_billed' });
  await read(1_741, 1_742, 19.8);
  expect(await watchedVerdicts(deps.home)).toEqual([]);
});

test('a handle that a person gives while the balance is weighed wins: its output is fetched', async () => {
  const { deps, read, settle, endInReview, record } = await lostAvatar();
  await read(1, 121, 20);
  await settle();
  await endInReview();
  await read(122, 280, 20);
  const { append } = deps.ledger;
  deps.ledger.append = async (ref, state, seen) => {
    deps.ledger.append = append;
    await append(ref, { state: 'attached', atMs: deps.now(), handle: 'v-1', by: { who: 'ann' } });
    return append(ref, state, seen);
  };
  await read(281, 290, 19.8);
  const content = { hash: AVATAR.hash, mayRerun: false };
  const standing = rowStanding(await record(), await deps.ledger.read('b', AVATAR.id), null, content);
  expect(standing).toEqual({ ended: false, begins: 'poll', attempts: 1 });
});
