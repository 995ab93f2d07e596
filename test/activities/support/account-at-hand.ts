import { type Dependencies, type Handed, openDependencies } from '../../../activities/dependencies.js';
import type { RowRef } from '../../../src/contract/workflows.js';
import { NANO_PER_CREDIT } from '../../../src/domain/money.js';
import type { PriceRule } from '../../../src/domain/price.js';
import type { Row } from '../../../src/domain/row.js';
import { openAccountRecords } from '../../../src/home/account-records.js';
import { writeBatchOptions } from '../../../src/home/batch-order.js';
import { createRowsWriter } from '../../../src/home/rows-writer.js';

import { createFolderStore } from '../../../src/store/folder.js';
import { temporaryFolder } from '../../store/support/temporary.js';
import { silent } from '../../support/silent-log.js';

export const MINUTE_MS = 60_000;

/** An account's home with one batch `b`, and a worker's dependencies around it; the clock is the test's. */
export async function accountAtHand(rows: readonly Row[], prices: PriceRule[] = []) {
  const store = createFolderStore(temporaryFolder());
  const account = openAccountRecords(store, 'a');
  const clock = { nowMs: 1_700_000_000_000 };
  const heard = async () => undefined;
  const deps = openDependencies({
    settings: {
      timeScale: 1,
      exclusive: true,
      prices,
      waits: {
        lambdaMs: 2 * MINUTE_MS,
        thetaMs: 3 * MINUTE_MS,
        syncMaxMs: 15 * MINUTE_MS,
        rhoMs: 30 * MINUTE_MS,
        renderMaxMs: { default: 60 * MINUTE_MS },
      },
      callbacks: { url: null, listen: null },
      aliasPaths: false,
    },
    ...account,
    messenger: { outcomeKnown: async () => true, caseOpened: heard, caseEnded: heard },
    requests: { turn: async () => 0, leaves: () => undefined },
    onAnswered: () => undefined,
    keyMark: () => 'one',
    log: silent,
    callers: { own: null, isGone: () => false },
    now: () => clock.nowMs,
    monotonic: () => clock.nowMs,
  } as unknown as Handed);
  const options = { out: '/out', onExists: 'fail', responseFormat: 'url', manifestFolder: '/in' } as const;
  await writeBatchOptions(account.home, 'b', { schema: 1, ...options, maxOutputBytes: 1e9 });
  const writer = createRowsWriter(store, 'a', 'b');
  for (const row of rows) await writer.add({ row, raw: {} });
  const { generation } = await writer.finish({ columns: [], passthroughColumns: [], createdAtMs: 1 });
  const refOf = ({ index, id, kind }: Row): RowRef => ({
    ...{ batch: 'b', generation, part: 0, index, id },
    kind: kind,
  });
  return { deps, clock, refOf, generation };
}

/** The same dependencies with a service that cannot be reached, and how many requests were tried. */
export function countSends(at: Dependencies): { deps: Dependencies; sent: () => number } {
  let sent = 0;
  const send = async () => {
    sent += 1;
    return { outcome: 'not_sent', phase: 'connect', code: 'ECONNREFUSED', message: 'away', tookMs: 0 };
  };
  return { deps: openDependencies({ ...at, transport: { send } } as unknown as Handed), sent: () => sent };
}

/** What a worker reads of the account now and then: its balance, and that it has no discount. */
export async function readAccount(deps: Dependencies, credits: number): Promise<void> {
  await deps.books.discounts.keep([]);
  const plan = { rpm: null, concurrent: null, plan: null };
  await deps.home.addCheckpoint({ atMs: deps.now(), balanceNano: credits * NANO_PER_CREDIT, ...plan });
}

/** A row that needs no input of its own. */
export function plainRow(id: string, change: Partial<Row> = {}): Row {
  const cells = { model: 'svc-alpha.2-klein-4b', prompt: 'a bird', width: 320, height: 200 };
  return { index: 0, line: 2, id, kind: 'svc/image', stem: id, cells, media: {}, hash: `hash-${id}`, ...change };
}
