// A copy of a home that goes on with a batch of its original (design 2: what was compared is compared again at each claim).
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasTemporal } from '../support/temporal.js';
import { engineOf } from './support/killing.js';
import { csv, film, image } from './support/manifest.js';
import { type Rig, startRig, until } from './support/rig.js';

const CAP = 10;
const IDS = Array.from({ length: CAP + 6 }, (_, i) => `f${i}`);
const RUN = ['run', 'films.csv', '--yes'];
/** Long enough for a copy to be made and used while all slots are taken. */
const LONG_RENDERS = { renderSeconds: { 'vendor-f': [2_000, 2_000] } } as const;

describe.skipIf(!hasTemporal())('a copy of the home beside the original', () => {
  let rig: Rig;
  let copied: Record<string, string>;
  beforeEach(async () => {
    rig = await startRig({ speed: 100, emulator: LONG_RENDERS });
    copied = { CALLSHEET_HOME: join(rig.folder, 'copied home'), CALLSHEET_DATA: join(rig.folder, 'copied data') };
    await rig.write('films.csv', csv(IDS.map((id) => film(id))));
  });
  afterEach(async () => {
    await rig?.run(['engine', 'stop'], { env: copied });
    await rig?.stop();
  });

  const copyHome = () => cpSync(join(rig.data, 'home'), join(rig.folder, 'copied home'), { recursive: true });
  const jobs = () => rig.emulator.truth().jobs.length;
  const untilFull = () => until('every slot has a job', () => (jobs() >= CAP ? true : undefined));

  it('is refused a batch that the original began after it was made', async () => {
    await rig.write('first.csv', csv([image('first')]));
    expect((await rig.run(['run', 'first.csv', '--yes'])).code).toBe(0);
    copyHome();
    const original = rig.start(RUN);
    await untilFull();
    const copy = await rig.run(RUN, { env: copied });
    expect([copy.code, copy.stderr]).toEqual([4, expect.stringContaining('a copy of the home')]);
    expect((await original.ended).code).toBe(0);
    expect(jobs()).toBe(1 + IDS.length);
  });

  it('goes on with a batch: the engine of the original submits nothing more, and who follows it is told', async () => {
    const original = rig.start(RUN);
    await untilFull();
    const { worker } = await engineOf(rig);
    if (worker.pid === null) throw new Error('no worker runs');
    process.kill(worker.pid, 'SIGSTOP');
    copyHome();
    try {
      const copy = await rig.run(RUN, { env: copied });
      expect([copy.code, copy.stderr]).toEqual([0, expect.anything()]);
    } finally {
      process.kill(worker.pid, 'SIGCONT');
    }
    const ended = await original.ended;
    expect([ended.code, ended.stderr]).toEqual([4, expect.stringContaining('a copy of it')]);
    await until('the batch of the original says what keeps it', async () => {
      const { blocked } = JSON.parse((await rig.run(['status', 'films', '--json'])).stdout);
      return blocked?.includes('a copy of the home') ? true : undefined;
    });
    expect(jobs()).toBe(IDS.length);
  });
});
