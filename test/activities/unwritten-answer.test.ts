import { expect, test } from 'vitest';
import { awaitedCalls, noteAwaited, noteUnderWay } from '../../activities/row/claims.js';
import { recordOutcome } from '../../activities/row/submit-outcome.js';
import { awaitedText } from '../../src/engine/engine-status.js';
import { readFromWorker } from '../../src/engine/registration.js';
import { adapterFor } from '../../src/kinds/index.js';
import { StoreError } from '../../src/store/port.js';
import { intent } from '../home/support/examples.js';
import { accountAtHand, MINUTE_MS, plainRow } from './support/account-at-hand.js';

// An answer that was paid for is kept by its process until the home takes it (design 5, F45).

const FILM = plainRow('film', { kind: 'vendor-f/video', cells: { prompt: 'a bird', duration: 4 } });
const ref = { batch: 'b', id: 'film', n: 1 };
const CREATED = { state: 'created', handle: 'operations/1' } as const;
const send = { claimedAtMs: 0, grant: null, keyMark: 'one' };

async function claimed() {
  const { deps, clock, generation } = await accountAtHand([FILM]);
  await deps.ledger.claim(
    ref,
    intent({ atMs: clock.nowMs, rowHash: FILM.hash, kind: FILM.kind, generation, index: 0 }),
  );
  noteUnderWay(deps, ref, 1);
  noteAwaited(deps, ref, { creditsNano: 80_000_000, untilMs: clock.nowMs + MINUTE_MS });
  const work = { row: FILM, adapter: adapterFor(FILM.kind), feeders: [], options: {} as never };
  const record = () => recordOutcome(deps, work, ref, { classified: CREATED, error: undefined }, send);
  return { deps, clock, record };
}

test('6-O2: on a full disk it waits for room, however long that takes, and a stop says so', async () => {
  const { deps, clock, record } = await claimed();
  const { append } = deps.ledger;
  let refusals = 0;
  const full = async (...said: Parameters<typeof append>) => {
    if (refusals === 1) expect(awaitedCalls(deps)).toMatchObject([{ isAnswered: true }]);
    if (refusals === 2) return append(...said);
    refusals += 1;
    clock.nowMs += 60 * MINUTE_MS;
    throw new StoreError('ENOSPC', 'the disk is full');
  };
  Object.assign(deps.ledger, { append: full });
  await expect(record()).resolves.toMatchObject({ outcome: 'standing', standing: 'created' });
  expect((await deps.ledger.readAttempt(ref))?.states.at(-1)).toMatchObject(CREATED);
});

test('what no waiting mends is told at once', async () => {
  const { deps, record } = await claimed();
  const damaged = async () => {
    throw new StoreError('DAMAGED', 'the record cannot be read');
  };
  Object.assign(deps.ledger, { append: damaged });
  await expect(record()).rejects.toThrow('cannot be read');
});

test('a stop tells what waits for an answer from what waits for room', () => {
  const untilMs = Date.UTC(2026, 0, 1);
  const said = readFromWorker({
    type: 'awaiting',
    calls: [
      { creditsNano: null, untilMs },
      { creditsNano: 80_000_000, untilMs, isAnswered: true },
    ],
  });
  expect(said?.type === 'awaiting' && awaitedText(said.calls)).toMatch(
    /^it waits for 1 paid call \(cost unknown\), until \d\d:\d\d:\d\d at the latest; and for the answer of 1 paid call \(0\.08 credits\) to be written to the home: make room there or bring it back, `engine stop --now` loses it$/,
  );
});
