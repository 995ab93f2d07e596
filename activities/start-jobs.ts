import { Context } from '@temporalio/activity';
import type { BeginningJobs } from '../src/contract/workflows.js';
import type { Dependencies } from './dependencies.js';

export interface StartActivities {
  /** Starts jobs of a batch that are not open yet, and asks for the slots of those that begin by submitting. */
  startJobs(input: BeginningJobs): Promise<void>;
}

export function startActivities({ ledger, messenger, standby }: Dependencies): StartActivities {
  return {
    async startJobs({ batch, generation, settings, begin, isBreadthFirst }) {
      const { attempt, scheduledTimestampMs } = Context.current().info;
      // What an earlier try of this activity has started may have ended since: it is not begun again.
      const sinceMs = attempt === 1 ? null : scheduledTimestampMs;
      const isStandby = standby?.hasRoom() === true;
      const standsBy = isStandby ? { standsBy: true as const } : {};
      const start = ({ begins, attempts, upToNano, ...place }: BeginningJobs['begin'][number]): Promise<boolean> => {
        const reserved = upToNano === undefined ? {} : { upToNano };
        const isAsked = asksAtOnce({ begins }) ? { isAsked: true as const, ...standsBy } : {};
        const fed = begins === 'prepare' && !isBreadthFirst ? { isFed: true as const } : {};
        const row = { batch, generation, ...place };
        return messenger.startJob({ ...settings, row, begins, attempts, ...reserved, ...isAsked, ...fed }, sinceMs);
      };
      for (const { id } of isStandby ? begin.filter(asksAtOnce) : []) standby?.begin({ batch, id });
      const isOpen = await Promise.all(begin.map(start));
      // One that has claimed by an earlier try's word asks for itself: what nobody waits for nobody would give back.
      const mayHaveSent = async ({ id, attempts }: { id: string; attempts: number }): Promise<boolean> =>
        attempt > 1 && (await ledger.read(batch, id)).length > attempts;
      const open = begin.filter((job, i) => isOpen[i] && asksAtOnce(job));
      const hasSent = await Promise.all(open.map(mayHaveSent));
      const jobs = open.filter((_, i) => !hasSent[i]).map(({ id, kind }) => ({ id, kind }));
      const apart = settings.policy.ambiguity === 'hold' ? {} : { apart: true as const };
      if (jobs.length > 0) await messenger.acquireFor({ batch, jobs, ...apart, ...standsBy });
    },
  };
}

/** Others have something to do, or something at the service, before they wait for a slot. */
function asksAtOnce({ begins }: Pick<BeginningJobs['begin'][number], 'begins'>): boolean {
  return begins === 'submit';
}
