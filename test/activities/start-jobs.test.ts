import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import type { Dependencies, Messenger } from '../../activities/dependencies.js';
import { startActivities } from '../../activities/start-jobs.js';
import type { AcquireFor } from '../../src/contract/messages.js';
import type { BeginningJobs, JobInput } from '../../src/contract/workflows.js';
import { createStandby } from '../../src/worker/standby.js';

const IMAGE = 'svc/image';
type Begin = BeginningJobs['begin'][number];

const one = (id: string, begins: Begin['begins'] = 'submit'): Begin => ({
  part: 0,
  index: Number(id.slice(1)),
  id,
  kind: IMAGE,
  begins,
  attempts: 0,
});

interface Info {
  attempt?: number;
  ambiguity?: 'hold' | 'if-proved';
  standby?: Dependencies['standby'];
  /** Begun by an earlier try, and over. */
  ended?: string[];
  /** Has claimed since. */
  claimed?: string[];
  isBreadthFirst?: boolean;
}

async function start(begin: Begin[], info: Info = {}) {
  const started: { input: JobInput; sinceMs: number | null }[] = [];
  const asked: AcquireFor[] = [];
  const messenger: Partial<Messenger> = {
    startJob: async (input, sinceMs) => {
      started.push({ input, sinceMs });
      return !info.ended?.includes(input.row.id);
    },
    acquireFor: async (message) => {
      asked.push(message);
    },
  };
  const ledger = { read: async (_: string, id: string) => (info.claimed?.includes(id) ? [{ n: 1 }] : []) };
  const { startJobs } = startActivities({ ledger, messenger, standby: info.standby } as unknown as Dependencies);
  const environment = new MockActivityEnvironment({ attempt: info.attempt ?? 1, scheduledTimestampMs: 1_000 });
  const policy = { ambiguity: info.ambiguity ?? 'hold', retries: 0 } as JobInput['policy'];
  const settings = { account: 'a', timeScale: 1, policy };
  const order = info.isBreadthFirst ? { isBreadthFirst: true as const } : {};
  await environment.run(startJobs, { batch: 'films', generation: 'g', settings, begin, ...order });
  return { started, asked };
}

describe('jobs of a batch that are started together', () => {
  it('ask for their slots with one message, but for those that have something else to do first', async () => {
    const { started, asked } = await start([one('r1'), one('r2', 'prepare'), one('r3', 'poll'), one('r4')]);
    expect(started.map(({ input }) => [input.row.id, input.isAsked])).toEqual([
      ['r1', true],
      ['r2', undefined],
      ['r3', undefined],
      ['r4', true],
    ]);
    expect(started[0]?.input.row).toEqual({
      batch: 'films',
      generation: 'g',
      part: 0,
      index: 1,
      id: 'r1',
      kind: IMAGE,
    });
    const jobs = [
      { id: 'r1', kind: IMAGE },
      { id: 'r4', kind: IMAGE },
    ];
    expect(asked).toEqual([{ batch: 'films', jobs }]);
    expect((await start([one('r1')], { ambiguity: 'if-proved' })).asked[0]?.apart).toBe(true);
    expect((await start([one('r1', 'case')])).asked).toEqual([]);
  });

  it('go before others of their batch where other rows feed them, but in the order of the manifest', async () => {
    const isFed = async (info: Info) =>
      (await start([one('r1'), one('r2', 'prepare')], info)).started.map(({ input }) => input.isFed);
    expect(await isFed({})).toEqual([undefined, true]);
    expect(await isFed({ isBreadthFirst: true })).toEqual([undefined, undefined]);
  });

  it('are not begun again by a later try of what an earlier one may have started', async () => {
    expect((await start([one('r1')])).started[0]?.sinceMs).toBeNull();
    expect((await start([one('r1')], { attempt: 2 })).started[0]?.sinceMs).toBe(1_000);
  });

  it('ask for no slot once they have ended: nobody would give it back', async () => {
    const { asked } = await start([one('r1'), one('r2')], { attempt: 2, ended: ['r1'] });
    expect(asked).toEqual([{ batch: 'films', jobs: [{ id: 'r2', kind: IMAGE }] }]);
    expect((await start([one('r1')], { attempt: 2, ended: ['r1'] })).asked).toEqual([]);
  });

  it('ask for no second slot once they have claimed by the word of an earlier try', async () => {
    const { asked } = await start([one('r1'), one('r2')], { attempt: 2, claimed: ['r1'] });
    expect(asked).toEqual([{ batch: 'films', jobs: [{ id: 'r2', kind: IMAGE }] }]);
  });

  it('stand by for their grants within the only worker of the account, as many as it has room for', async () => {
    const standby = createStandby(() => 0);
    const { started, asked } = await start([one('r1'), one('r2', 'poll')], { standby });
    expect(started.map(({ input }) => input.standsBy)).toEqual([true, undefined]);
    expect(asked[0]?.standsBy).toBe(true);
    for (let i = 0; standby.hasRoom(); i += 1) standby.give({ batch: 'b', id: `x${i}` }, { grant: i, expected: null });
    expect((await start([one('r1')], { standby })).asked[0]?.standsBy).toBeUndefined();
  });
});
