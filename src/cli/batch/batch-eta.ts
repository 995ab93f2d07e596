import type { RunningBatch } from '../../contract/semaphore-view.js';
import type { CreditsNano } from '../../domain/money.js';
import { pausedMs } from '../../home/pauses.js';
import { type HomeAccess, isMinuteFull } from '../access/home-access.js';
import { type Eta, etaOf } from '../views/durations.js';
import type { HomeTally } from './batch-tally.js';

/** Of a batch that goes on. */
export async function etaOfBatch(
  access: HomeAccess,
  batch: string,
  { progress, slots }: RunningBatch,
  tally: HomeTally,
  { maxNano, restNano }: { maxNano: CreditsNano | null; restNano: CreditsNano | undefined },
): Promise<Eta | null> {
  const nowMs = Date.now();
  const elapsedMs = nowMs - progress.startedAtMs - (await pausedMs(access.home, batch, progress.startedAtMs, nowMs));
  const reading = await access.home.latestCheckpoint();
  const { open, endedSince, creditsNano, live } = tally;
  const budgetNano = maxNano === null ? undefined : maxNano - creditsNano;
  const left = [reading?.balanceNano, budgetNano].filter((one) => one !== undefined);
  return etaOf({
    ...{ batch, isPaused: progress.phase === 'paused', ended: endedSince, elapsedMs },
    ...{ open, held: live.held ?? 0, slots },
    restNano,
    leftNano: left.length === 0 ? undefined : Math.min(...left),
    isMinuteFull: await isMinuteFull(access.config, reading?.rpm ?? null, nowMs),
  });
}
