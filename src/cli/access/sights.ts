import type { RunningBatch } from '../../contract/semaphore-view.js';
import { lookThroughEngine } from '../../engine/control.js';
import type { Session } from '../session.js';
import { runningEngine, sharedAddress } from './work-place.js';

/**
 * What runs, for commands that only look: the engine is asked, whose worker is connected, since to load Temporal's
 * client takes longer than all else that they do.
 */
export interface Sights {
  /** Undefined for a batch that does not run; `unknown` where Temporal or its worker does not answer. */
  look(batch: string): Promise<RunningBatch | 'unknown' | undefined>;
  /** On a shared Temporal, in one sentence: nobody works for the account. */
  unserved(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** Only when something already runs, of whatever build: undefined when no engine does. */
export async function openSights(session: Session): Promise<Sights | undefined> {
  if (sharedAddress(session) !== undefined) return throughTemporal(session);
  const engine = await runningEngine(session);
  if (engine?.address == null) return undefined;
  const { data, account } = session.config;
  // An engine of an earlier build does not know the question, and one whose worker starts anew cannot answer it.
  let direct: Promise<Sights | undefined> | undefined;
  return {
    async look(batch) {
      const seen = await lookThroughEngine(data, account.name, batch);
      if (seen !== undefined) return seen ?? undefined;
      direct ??= throughTemporal(session);
      return (await direct)?.look(batch);
    },
    unserved: async () => undefined,
    close: async () => (await direct?.catch(() => undefined))?.close(),
  };
}

async function throughTemporal(session: Session): Promise<Sights | undefined> {
  const { joinWork } = await import('./work-access.js');
  const { unservedText } = await import('./seen-workers.js');
  const { lookAtBatch } = await import('../../temporal/look.js');
  const work = await joinWork(session);
  return (
    work && {
      // The home has said what is certain; the phase is said to be unknown.
      look: (batch) =>
        lookAtBatch(work.temporal.client, session.config.account.name, batch).catch(() => 'unknown' as const),
      unserved: () => unservedText(session, work),
      close: () => work.close(),
    }
  );
}
