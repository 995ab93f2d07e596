import { sleep } from '@temporalio/workflow';
import type { BatchInput, BatchState } from '../src/contract/workflows.js';
import type { StartedRow } from './open-rows.js';
import { homeProxy } from './proxies.js';
import * as window from './window.js';

const SWEEP_EVERY_MS = 60_000;
const SWEPT_MAX = 20;
/** A job that closes again and again without a record is a defect: its row then needs a person. */
const RESTARTS_MAX = 5;

interface Swept {
  touch(): void;
  start(rows: StartedRow[]): Promise<void>;
}

/** Looks now and then after rows that did not report for a while: a terminated job sends nothing. */
export function sweepNowAndThen(input: BatchInput, state: BatchState, { touch, start }: Swept): void {
  const everyMs = SWEEP_EVERY_MS / input.timeScale;
  const home = homeProxy(input.account);
  void (async () => {
    for (;;) {
      await sleep(Math.max(5_000, everyMs));
      const oldest = state.open.filter((o) => Date.now() - o.sinceMs >= everyMs).slice(0, SWEPT_MAX);
      if (oldest.length > 0) await sweep(oldest.map((o) => o.row.id));
    }
  })();

  async function sweep(ids: string[]): Promise<void> {
    for (const seen of await home.sweepRows({ batch: input.batch, ids })) {
      const open = state.open.find((o) => o.row.id === seen.id);
      if (!open) continue;
      // The row that was looked at goes to the end, so that the next sweep sees others.
      state.open = [...state.open.filter((o) => o !== open), open];
      if (seen.state === 'finished' && window.countFinished(state, seen, Date.now())) touch();
      if (seen.state !== 'restart') continue;
      if (open.restarts >= RESTARTS_MAX) {
        await home.finishRow({ row: open.row, status: 'review', reason: 'job_closed' });
        continue;
      }
      open.restarts += 1;
      const fresh = open.isSharing ? 's' : open.isFed ? 'f' : 'n';
      await start([{ opened: open, letter: seen.letter === 'n' ? fresh : seen.letter, attempts: seen.attempts }]);
    }
  }
}
