import type { SemaphoreView } from '../../contract/semaphore-view.js';
import type { BatchProgress } from '../../contract/workflows.js';
import type { LiveWord } from '../../domain/outcome.js';
import { ownPauses } from '../batch/standstills.js';
import { blockedText } from './blocked.js';
import { amount } from './counts.js';
import { pausedText, troubles } from './troubles.js';

export interface StandstillFacts {
  batch: string;
  progress: BatchProgress;
  slots: SemaphoreView | undefined;
  live: Partial<Record<LiveWord, number>>;
  atMs: number;
}

/** Everything that keeps a batch from going on, in sentences, for whoever looks once. Pure. */
export function standstillTexts({ batch, progress, slots, live, atMs }: StandstillFacts): string[] {
  const view = ownPauses(slots, batch);
  const pauses = view?.pauses ?? [];
  const texts = troubles({ atMs, progress, slots: view, lostSinceMs: undefined, lostWhy: undefined });
  const isOutputTold = pauses.some(({ reason }) => reason === 'outputs');
  if (progress.blocked !== null && !isOutputTold) texts.unshift(blockedText(progress.blocked));
  if (progress.phase === 'paused' && pauses.length === 0) texts.unshift(pausedText(batch));
  const { checking = 0 } = live;
  if (checking > 0) {
    texts.push(
      `${amount(checking, 'row waits', 'rows wait')} for the verdict on a lost answer: \`callsheet review list ${batch}\``,
    );
  }
  return texts;
}
