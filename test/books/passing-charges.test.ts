// What was charged and given back explains readings in between (service document 1: failures are refunded).

import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, test } from 'vitest';
import { settleActivities } from '../../activities/settle.js';
import { submitActivities } from '../../activities/submit.js';
import { attemptsSince } from '../../src/books/attempts.js';
import { movementsOf } from '../../src/books/check/evidence.js';
import { NANO_PER_CREDIT } from '../../src/domain/money.js';
import { createTransport } from '../../src/service/transport.js';
import { accountAtHand, MINUTE_MS, plainRow, readAccount } from '../activities/support/account-at-hand.js';
import { serve } from '../download/broken-server.js';
import { intent } from '../home/support/examples.js';

const FILM = plainRow('film', { kind: 'vendor-a/text2video', cells: { prompt: 'a bird', duration: 5 } });
const PRICES = [{ kind: FILM.kind, components: [{ unit: 'request' as const, credits: '0.2' }] }];
const PRICE_NANO = 0.2 * NANO_PER_CREDIT;

describe('an attempt that was found not billed', () => {
  test('may have been charged and given back until the balance first showed it gone', async () => {
    const { deps, clock, refOf, generation } = await accountAtHand([FILM], PRICES);
    const startMs = clock.nowMs;
    const ref = { batch: 'b', id: 'film', n: 1 };
    const read = (minute: number, credits: number) => {
      clock.nowMs = startMs + minute * MINUTE_MS;
      return readAccount(deps, credits);
    };
    await read(-1, 20);
    const expected = { lo: PRICE_NANO, hi: PRICE_NANO };
    const claim = intent({ atMs: startMs, rowHash: FILM.hash, kind: FILM.kind, generation, index: 0, expected });
    await deps.ledger.claim(ref, claim);
    await deps.ledger.append(ref, { state: 'unknown', atMs: startMs, evidence: { rule: 'T11', message: 'reset' } });
    // Reserved from the first minute on, given back in the thirtieth; the quiet begins with minute 65 (3 + 60 + 2).
    for (let minute = 1; minute < 30; minute += 1) await read(minute, 19.8);
    for (let minute = 30; minute <= 67; minute += 1) await read(minute, 20);

    const settled = await settleActivities(deps).settle({ row: refOf(FILM), n: 1 });
    expect(settled).toMatchObject({ outcome: 'verdict', verdict: 'not_billed' });
    const { known, cases } = await attemptsSince(deps.books, startMs);
    expect(cases).toEqual([]);
    expect(known.flatMap((one) => movementsOf(one, 0))).toEqual([
      // The first reading of the quiet: an older copy of the books may show it for Λ more.
      { fromMs: startMs, toMs: startMs + 65 * MINUTE_MS, afterMs: 0, lo: 0, hi: 0, peak: PRICE_NANO },
    ]);
  });
});

test('S1: a synchronous call that failed may have been charged until it was refunded', async () => {
  const image = plainRow('image');
  const { deps, clock, refOf } = await accountAtHand([image], [{ ...PRICES[0], kind: image.kind }] as never);
  const server = await serve((_, response) => {
    response.writeHead(500, { 'content-type': 'application/json' }).end('{"detail":"the render failed"}');
  });
  const transport = createTransport({ baseUrl: `http://127.0.0.1:${server.port}`, userAgent: 'x', key: () => 'k' });
  const { submit } = submitActivities({ ...deps, transport });
  const input = { row: refOf(image), n: 1, grant: null, sinceMs: clock.nowMs };
  expect(await new MockActivityEnvironment().run(submit, input)).toMatchObject({ next: 'retry_sync' });
  const { known } = await attemptsSince(deps.books, clock.nowMs);
  expect(known.flatMap((one) => movementsOf(one, 0))).toEqual([
    { fromMs: clock.nowMs, toMs: clock.nowMs, afterMs: 0, lo: 0, hi: 0, peak: PRICE_NANO },
  ]);
  await transport.close();
});
