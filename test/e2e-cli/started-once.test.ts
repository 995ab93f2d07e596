// What a run says and leaves behind where it ends while its engine starts, and what an ended batch takes no order for.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openAccountRecords } from '../../src/home/account-records.js';
import { createFolderStore } from '../../src/store/folder.js';
import { intent } from '../home/support/examples.js';
import { hasTemporal } from '../support/temporal.js';
import { paidRequests } from './support/evidence.js';
import { csv, image } from './support/manifest.js';
import { type Rig, startRig, until } from './support/rig.js';

describe.skipIf(!hasTemporal())('while the engine of a run starts', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await startRig({ speed: 200 });
    await rig.write('shots.csv', csv([image('s1')]));
  });
  afterEach(() => rig?.stop());

  it('Ctrl-C in a first run says that nothing was sent', async () => {
    const running = rig.start(['run', 'shots.csv', '--yes']);
    await until('the engine starts', () => running.stderr().includes('starting the engine') || undefined);
    running.child.kill('SIGINT');
    const { code, stderr } = await running.ended;
    expect([code, stderr]).toEqual([130, expect.stringContaining("interrupted before 'shots' was submitted")]);
    expect(stderr.match(/starting the engine/g)).toHaveLength(1);
    expect(paidRequests(rig.emulator.truth())).toBe(0);
  });

  it('a run that is refused then has changed nothing; an ended batch keeps no pause, one of another home is left', async () => {
    expect((await rig.run(['run', 'shots.csv', '--yes'])).code).toBe(0);
    await rig.run(['engine', 'stop']);
    const paid = paidRequests(rig.emulator.truth());
    const account = `rehearsal-${rig.emulator.port}`;
    const { home, ledger } = openAccountRecords(createFolderStore(join(rig.data, 'home')), account);
    const document = (key: string) => readFileSync(join(rig.data, 'home', key), 'utf8');
    const options = document(home.keys.options('shots'));
    await rig.write('shots.csv', csv([image('s1'), image('s2')]));
    const running = rig.start(['run', 'shots.csv', '--yes', '--sidecar']);
    await until('the engine starts', () => running.stderr().includes('starting the engine') || undefined);
    // By now the row was submitted with other values.
    const ref = { batch: 'shots', id: 's2', n: 1 };
    await ledger.claim(ref, intent({ rowHash: 'c'.repeat(64) }));
    const { code, stderr } = await running.ended;
    expect([code, stderr]).toEqual([2, expect.stringContaining("B48 row 's2'")]);
    expect(document(home.keys.options('shots'))).toBe(options);
    expect(paidRequests(rig.emulator.truth())).toBe(paid);

    const paused = await rig.run(['pause', 'shots']);
    expect([paused.code, paused.stderr]).toEqual([2, expect.stringContaining('does not run')]);
    const terms = JSON.parse(document(home.keys.batch('shots').replace(/batch\.json$/, 'terms.json')));
    expect(terms.isPaused ?? false).toBe(false);

    const mark = join(rig.out, 'shots', `home-${account}.json`);
    writeFileSync(mark, JSON.stringify({ schema: 1, homeId: 'a'.repeat(32), seenMs: 5 }));
    const resumed = async () => {
      const { code: ended, stdout, stderr: said } = await rig.run(['resume', '--all', '--json']);
      expect(ended, said).toBe(0);
      return JSON.parse(stdout);
    };
    // Every row of it has ended: there is nothing to tell.
    expect(await resumed()).toMatchObject({ resumed: [], running: [], paused: [], otherHome: [] });
    rmSync(join(rig.data, 'home', home.keys.record('shots', 's1')));
    expect(await resumed()).toMatchObject({ resumed: [], running: [], paused: [], otherHome: ['shots'] });
    expect(paidRequests(rig.emulator.truth())).toBe(paid);
  });
});
