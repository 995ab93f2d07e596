import type { Holder, JobKey, RecoverResult, SemaphoreState } from '../src/contract/semaphore.js';
import * as permits from './permits.js';
import { homeProxy } from './proxies.js';
import { sameJob } from './same-job.js';

/** Who holds slots, as the home knows it: after a wiped server, and where a job ended without a word. */

/** So many holders are asked after at once. */
const SWEPT_MAX = 20;

/** Takes every open attempt of the ledger for a holder, before the first grant. */
export async function recover(account: string, state: SemaphoreState): Promise<void> {
  for (let cursor: number | null = 0; cursor !== null; ) {
    const page: RecoverResult = await homeProxy(account).recoverOpen({ from: cursor });
    for (const found of page.holders) permits.recover(state, found);
    state.breakers.push(...(page.breakers ?? []));
    // As the account was last seen: a service that does not answer now keeps nobody from going on.
    state.planCap = page.concurrent ?? state.planCap;
    cursor = page.next;
  }
}

/** Frees the slots of jobs that are gone and have nothing at the service; each sweep asks after the next holders. */
export async function sweep(account: string, state: SemaphoreState): Promise<void> {
  await freeGone(
    account,
    state,
    nextToSweep(state).map((holder) => holder.job),
  );
}

/** What a job that is gone left at the service, the ledger says; one that ended has said itself how long its slot is held. */
export async function lookAfter(account: string, state: SemaphoreState, grant: number): Promise<void> {
  const holder = state.holders.find((h) => h.grant === grant && h.releaseAtMs === undefined);
  if (holder) await freeGone(account, state, [holder.job]);
}

async function freeGone(account: string, state: SemaphoreState, jobs: JobKey[]): Promise<void> {
  for (const { job, action } of await homeProxy(account).sweepHolders({ jobs })) {
    const holder = state.holders.find((h) => sameJob(h.job, job) && h.releaseAtMs === undefined);
    if (holder && action === 'free') permits.release(state, { grant: holder.grant }, Date.now());
  }
}

/** Those that no time frees by itself, from the one after the last that was asked after, round and round. */
export function nextToSweep(state: SemaphoreState): Holder[] {
  const { holders, sweptGrant = 0 } = state;
  const asked = holders.filter((h) => h.releaseAtMs === undefined).sort((a, b) => a.grant - b.grant);
  const turn = asked.findIndex((h) => h.grant > sweptGrant);
  const next = (turn < 0 ? asked : [...asked.slice(turn), ...asked.slice(0, turn)]).slice(0, SWEPT_MAX);
  state.sweptGrant = next.at(-1)?.grant ?? 0;
  return next;
}
