import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasTemporal } from '../support/temporal.js';
import { filesBelow, finishedIds } from './support/evidence.js';
import { type Cut, engineOf, expectWhole, kill, killTogether, SLOW_RENDERS, untilBusy } from './support/killing.js';
import { csv, mixed } from './support/manifest.js';
import { type Rig, startRig, until } from './support/rig.js';

const ROWS = mixed(26);
const IDS = ROWS.map(({ id }) => id);
const RUN = ['run', 'many.csv', '--yes'];
const FIRST = 5;

function forgetAll(rig: Rig): void {
  const stored = filesBelow(rig.data).filter((file) => file.startsWith(join(rig.data, 'temporal.db')));
  expect(stored).not.toEqual([]);
  for (const file of stored) rmSync(file);
}

/** What was sent before a kill may arrive after it. */
async function jobsAtRest({ emulator }: Rig): Promise<number> {
  for (let before = -1; ; ) {
    const jobs = emulator.truth().jobs.length;
    if (jobs === before) return jobs;
    before = jobs;
    await delay(500);
  }
}

describe.skipIf(!hasTemporal())('SIGKILL in the middle of a batch (F47, F49)', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await startRig({ speed: 100, emulator: SLOW_RENDERS });
    await rig.write('many.csv', csv(ROWS));
  });
  afterEach(() => rig?.stop());

  it('of the worker, the server and the supervisor, each alone: the run that watches sees every row end', async () => {
    const running = rig.start(RUN);
    const cuts: Cut[] = [];
    for (const victim of ['worker', 'server', 'supervisor'] as const) {
      const finished = finishedIds(rig, 'many').length;
      // It has gone on since the last kill; more may have ended by then than leave so many others.
      await untilBusy(rig, 'many', finished + (cuts.length === 0 ? FIRST : 1));
      const { pid, server, worker } = await engineOf(rig);
      cuts.push(kill(rig, 'many', [{ worker: worker.pid, server: server.pid, supervisor: pid }[victim]]));
    }
    const ended = await running.ended;
    expect([0, 3], ended.stderr).toContain(ended.code);
    await expectWhole(rig, 'many', IDS, cuts);
  });

  it('of the run, then of everything together: the same command goes on', async () => {
    const first = rig.start(RUN);
    await untilBusy(rig, 'many', FIRST);
    const cuts = [kill(rig, 'many', [first.child.pid])];
    await first.ended;
    const second = rig.start(RUN);
    await untilBusy(rig, 'many', 2 * FIRST);
    cuts.push(await killTogether(rig, 'many', second));
    const third = await rig.run(RUN);
    expect([0, 3], third.stderr).toContain(third.code);
    await expectWhole(rig, 'many', IDS, cuts);
  });

  it('6-O1: of everything, and the data folder is gone: who follows stops, and nothing is sent again', async () => {
    const following = rig.start(RUN);
    await untilBusy(rig, 'many', 2 * FIRST);
    const { pid, server, worker } = await engineOf(rig);
    kill(rig, 'many', [pid, server.pid, worker.pid]);
    renameSync(rig.data, `${rig.data} lost`);
    const jobs = await jobsAtRest(rig);
    const ended = await following.ended;
    expect([ended.code, ended.stderr]).toEqual([4, expect.stringContaining('is not the home that')]);
    const again = await rig.run(RUN);
    expect([again.code, again.stderr]).toEqual([4, expect.stringContaining('--trust-home')]);
    expect(rig.emulator.truth().jobs).toHaveLength(jobs);
    expect(await rig.engine()).toBeUndefined();
    // The home is brought back.
    rmSync(rig.data, { recursive: true, force: true });
    renameSync(`${rig.data} lost`, rig.data);
    const third = await rig.run(RUN);
    expect([0, 3], third.stderr).toContain(third.code);
  });

  it('of everything, and Temporal forgets it all: the home alone knows what was submitted', async () => {
    const first = rig.start(RUN);
    await untilBusy(rig, 'many', 2 * FIRST);
    const cut = await killTogether(rig, 'many', first);
    forgetAll(rig);
    expect(cut.withHandle.length).toBeGreaterThan(0);
    const second = await rig.run(RUN);
    expect([0, 3], second.stderr).toContain(second.code);
    await expectWhole(rig, 'many', IDS, [cut]);
  });

  it.each(['the run that follows', 'resume --all'])(
    'F49: of a paused batch that Temporal forgets: %s has what was paid fetched, and sends nothing until it is resumed',
    async (who) => {
      const first = rig.start(RUN);
      await untilBusy(rig, 'many', FIRST);
      expect((await rig.run(['pause', 'many'])).code).toBe(0);
      const { pid, server, worker } = await engineOf(rig);
      const isFollowed = who !== 'resume --all';
      const cut = kill(rig, 'many', [...(isFollowed ? [] : [first.child.pid]), pid, server.pid, worker.pid]);
      forgetAll(rig);
      expect(cut.withHandle.length).toBeGreaterThan(0);
      const jobs = await jobsAtRest(rig);
      if (!isFollowed) expect((await rig.run(['resume', '--all'])).stderr).toContain('paused');
      await until('what was at the service has ended', () => {
        const finished = finishedIds(rig, 'many');
        return cut.withHandle.every((id) => finished.includes(id)) ? true : undefined;
      });
      expect(rig.emulator.truth().jobs).toHaveLength(jobs);
      expect(jobs).toBeLessThan(ROWS.length);

      expect((await rig.run(['resume', 'many'])).code).toBe(0);
      const ended = isFollowed ? await first.ended : await rig.run(['watch', 'many']);
      expect([0, 3], ended.stderr).toContain(ended.code);
      await expectWhole(rig, 'many', IDS, [cut]);
    },
  );
});
