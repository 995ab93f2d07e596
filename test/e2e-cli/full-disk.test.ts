import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { canMount, mountDisk } from '../support/small-disk.js';
import { hasTemporal } from '../support/temporal.js';
import { expectHonestEnd, paidRequests } from './support/evidence.js';
import { SLOW_RENDERS, untilBusy } from './support/killing.js';
import { csv, mixed } from './support/manifest.js';
import { type Rig, startRig, until } from './support/rig.js';

const ROWS = mixed(16);
const IDS = ROWS.map(({ id }) => id);

/** Writes until the disk is full. How much that is cannot be known before: the batch writes at the same time. */
function takeTheRest(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (const chunk = Buffer.alloc(1_048_576); ; ) writeSync(file, chunk);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(file);
  }
}

describe.skipIf(!hasTemporal() || !canMount())('a disk that fills up in the middle of a batch (F45)', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await startRig({ speed: 100, emulator: SLOW_RENDERS });
    await rig.write('shots.csv', csv(ROWS));
    mkdirSync(rig.out);
    mountDisk(rig.out, '512m');
  });
  afterEach(async () => {
    if (rig === undefined) return;
    await rig.run(['engine', 'stop']);
    execFileSync('umount', ['-l', rig.out]);
    await rig.stop();
  });

  it('holds the batch with the reason; with room again `resume` finishes it, and nothing was paid twice', async () => {
    const running = rig.start(['run', 'shots.csv', '--yes']);
    await Promise.race([untilBusy(rig, 'shots', 1), running.ended.then(({ stderr }) => expect.fail(stderr))]);
    const filler = join(rig.out, 'somebody-elses.bin');
    takeTheRest(filler);
    await until('the batch says that the disk is full', () =>
      /cannot be stored: the disk is full/.test(running.stderr()) ? true : undefined,
    );
    const paid = paidRequests(rig.emulator.truth());
    const status = await rig.run(['status', 'shots']);
    expect(`${status.stdout}${status.stderr}`).toMatch(/the disk is full \(ENOSPC\)/);
    rmSync(filler);
    const resumed = await rig.run(['resume', 'shots']);
    expect(resumed.code, resumed.stderr).toBe(0);
    const ended = await running.ended;
    expect(ended.code, ended.stderr).toBe(0);
    const rows = expectHonestEnd(rig, 'shots', IDS);
    expect(rows.map(({ status: word }) => word)).toEqual(IDS.map(() => 'done'));
    expect(rig.emulator.truth().violations).toEqual([]);
    expect(rig.emulator.truth().jobs).toHaveLength(IDS.length);
    expect(paid).toBeLessThanOrEqual(IDS.length);
  });
});
