import type { BatchProgress } from '../../contract/workflows.js';
import { formatCredits } from '../../domain/money.js';
import type { LiveWord, Status } from '../../domain/outcome.js';
import type { HomeAccess } from '../access/home-access.js';
import type { WorkAccess } from '../access/work-access.js';
import { blockedText } from '../views/blocked.js';
import { troubles } from '../views/live-view.js';
import { createBatchSource } from './batch-source.js';
import { batchTally } from './batch-tally.js';
import { ownPauses } from './follow.js';

/** Where a batch stands, for `status` and `list`: counts from the home, its phase from the workflow. */
export interface BatchStateReport {
  batch: string;
  /** `not running` while no engine runs it; `unknown` when Temporal does not answer. */
  state: 'finished' | 'not running' | 'unknown' | BatchProgress['phase'];
  rows: number;
  counts: Record<Status, number>;
  /** Rows that have not ended, by what the ledger says of them. */
  live: Partial<Record<LiveWord, number>>;
  credits: string;
  creditsUnknown: number;
  out: string;
  createdAt: string;
  generation: string;
  /** What keeps the batch from going on, in sentences, with since when. */
  blocked: string | null;
  /** Undefined when the workflow does not run. */
  progress: BatchProgress | undefined;
}

/** Undefined when the home does not know the batch: a manifest that was refused leaves none. */
export async function readBatchState(
  access: HomeAccess,
  work: WorkAccess | undefined,
  batch: string,
): Promise<BatchStateReport | undefined> {
  const bound = await access.home.readBatch(batch);
  const generation = bound === undefined ? undefined : await access.rows.currentGeneration(batch);
  if (bound === undefined || generation === undefined) return undefined;
  const rows = (await access.rows.generation(batch, generation))?.rows ?? 0;
  const { counts, live, open, creditsNano, creditsUnknown } = await batchTally(access, batch, generation);
  const running = work === undefined ? undefined : await lookAtWorkflow(access, work, batch);
  return {
    batch,
    state: running === 'unknown' ? running : (running?.phase ?? (open === 0 ? 'finished' : 'not running')),
    rows,
    counts,
    live,
    credits: formatCredits(creditsNano),
    creditsUnknown,
    out: `${bound.out}/${batch}`,
    createdAt: new Date(bound.createdAtMs).toISOString(),
    generation,
    blocked: running === 'unknown' || work === undefined ? null : await blockedBy(access, work, batch, running),
    progress: running === 'unknown' ? undefined : running,
  };
}

async function blockedBy(
  access: HomeAccess,
  work: WorkAccess,
  batch: string,
  progress: BatchProgress | undefined,
): Promise<string | null> {
  if (progress === undefined) return null;
  const source = createBatchSource({ access, batch, work, connect: async () => work });
  // A semaphore that does not answer leaves what the batch itself says.
  const slots = ownPauses(await source.slots().catch(() => undefined), batch);
  const isTold = slots?.pauses.some(({ reason }) => reason === 'outputs') ?? false;
  const own = progress.blocked === null || isTold ? [] : [blockedText(progress.blocked)];
  const atMs = Date.now();
  const sentences = [...own, ...troubles({ atMs, progress, slots, lostSinceMs: undefined, lostWhy: undefined })];
  return sentences.length === 0 ? null : sentences.join('; ');
}

async function lookAtWorkflow(
  access: HomeAccess,
  work: WorkAccess,
  batch: string,
): Promise<BatchProgress | 'unknown' | undefined> {
  const source = createBatchSource({ access, batch, work, connect: async () => work });
  try {
    if ((await source.state()).state !== 'running') return undefined;
    return await source.progress();
  } catch {
    // The home has said what is certain; the phase is said to be unknown.
    return 'unknown';
  }
}
