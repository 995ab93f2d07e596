import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasTemporal } from '../support/temporal.js';
import { jobsByRow, paidRequests, results } from './support/evidence.js';
import { csv, image } from './support/manifest.js';
import { type Rig, startRig } from './support/rig.js';

describe.skipIf(!hasTemporal())(
  'what is there already is not overwritten and not paid again',
  { timeout: 120_000 },
  () => {
    let rig: Rig;
    beforeAll(async () => {
      rig = await startRig({ speed: 200 });
    });
    afterAll(() => rig?.stop());

    const jobs = (id: string) => jobsByRow(rig.emulator.truth()).get(id)?.length ?? 0;

    it('B47: a file that is not ours is refused before anything is paid, or kept with --on-exists version', async () => {
      await rig.write('taken.csv', csv([image('t1'), image('t2')]));
      const foreign = join(rig.out, 'taken', 'media', 't2.png');
      mkdirSync(join(foreign, '..'), { recursive: true });
      writeFileSync(foreign, 'of someone else');
      const ended = await rig.run(['run', 'taken.csv', '--yes']);
      expect(ended.code, ended.stderr).toBe(2);
      expect(ended.stderr).toMatch(
        /^taken\.csv:3:1: B47 refusing to overwrite media\/t2\.png; use --on-exists skip or version/m,
      );
      expect(paidRequests(rig.emulator.truth())).toBe(0);
      const kept = await rig.run(['run', 'taken.csv', '--yes', '--on-exists', 'version']);
      expect(kept.code, kept.stderr).toBe(0);
      expect(readFileSync(foreign, 'utf8')).toBe('of someone else');
      expect(results(rig, 'taken')[1]?.file).not.toBe('media/t2.png');
    });

    it('B48: a row that changed after it was paid is refused with the columns that changed, unless it is asked for again', async () => {
      await rig.write('changed.csv', csv([image('c1'), image('c2')]));
      const first = await rig.run(['run', 'changed.csv', '--yes']);
      expect(first.code, first.stderr).toBe(0);
      await rig.write('changed.csv', csv([image('c1'), image('c2', { width: '640' }), image('c3')]));
      const before = paidRequests(rig.emulator.truth());
      const refused = await rig.run(['run', 'changed.csv', '--yes']);
      expect(refused.code, refused.stderr).toBe(2);
      expect(refused.stderr).toMatch(
        /^changed\.csv:3:1: B48 row 'c2' was submitted with other values \(changed: width\); give it a new id or use --changed rerun=c2 /m,
      );
      expect(paidRequests(rig.emulator.truth())).toBe(before);
      const again = await rig.run(['run', 'changed.csv', '--yes', '--changed', 'rerun=c2']);
      expect(again.code, again.stderr).toBe(0);
      expect([jobs('c1'), jobs('c2'), jobs('c3')]).toEqual([1, 2, 1]);
      expect(results(rig, 'changed')[1]?.file).toBe('media/c2.v2.png');
      expect(results(rig, 'changed').map(({ id, status }) => `${id} ${status}`)).toEqual([
        'c1 done',
        'c2 done',
        'c3 done',
      ]);
    });
  },
);
