import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasTemporal } from '../support/temporal.js';
import { jobsByRow, paidRequests, results } from './support/evidence.js';
import { csv, film, image } from './support/manifest.js';
import { type Rig, startRig, until } from './support/rig.js';

describe.skipIf(!hasTemporal())('what is there already is not overwritten and not paid again', () => {
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

  it('B47: the output of another row of the batch is refused before anything is paid, or kept with version', async () => {
    const numbered = ['run', 'num.csv', '--name-template', '{n}', '--yes'];
    await rig.write('num.csv', csv([image('n1'), image('n2')]));
    expect((await rig.run(numbered)).code).toBe(0);
    const before = paidRequests(rig.emulator.truth());
    await rig.write('num.csv', csv([image('n0'), image('n1'), image('n2')]));
    const refused = await rig.run(numbered);
    expect(refused.code, refused.stderr).toBe(2);
    expect(refused.stderr).toMatch(/^num\.csv:2:1: B47 refusing to overwrite media\/1\.png, the output of row 'n1'; /m);
    expect(paidRequests(rig.emulator.truth())).toBe(before);
    const kept = await rig.run([...numbered, '--on-exists', 'version']);
    expect(kept.code, kept.stderr).toBe(0);
    expect(results(rig, 'num').map(({ file }) => file)).toEqual(['media/1.v2.png', 'media/1.png', 'media/2.png']);
    expect(paidRequests(rig.emulator.truth())).toBe(before + 1);
  });

  it('4-U2, 4-U3: --on-exists skip neither sends nor pays a row whose name is taken, and runs it once it may', async () => {
    // s2 asks for the same as s1, which is skipped: it is rendered by itself.
    await rig.write('skip.csv', csv([image('s1'), image('s2', { prompt: image('s1').prompt ?? '' }), image('s3')]));
    const media = join(rig.out, 'skip', 'media');
    mkdirSync(media, { recursive: true });
    for (const id of ['s1', 's3']) writeFileSync(join(media, `${id}.png`), 'of someone else');
    const skipping = ['skip.csv', '--share-identical', '--on-exists', 'skip'];
    const plan = await rig.run(['plan', ...skipping]);
    expect(plan.stdout).toContain('2 rows skipped: their files exist (media/s1.png, media/s3.png)');
    const before = paidRequests(rig.emulator.truth());
    const first = await rig.run(['run', ...skipping, '--yes']);
    expect(first.code, first.stderr).toBe(0);
    expect(paidRequests(rig.emulator.truth())).toBe(before + 1);
    expect([jobs('s1'), jobs('s3')]).toEqual([1, 0]);
    const statuses = () => results(rig, 'skip').map(({ status, credits, file }) => [status, credits, file]);
    expect(statuses()[0]).toEqual(['skipped', 0, null]);
    expect(statuses()[1]?.[0]).toBe('done');
    const again = await rig.run(['run', ...skipping, '--yes']);
    expect(again.code, again.stderr).toBe(0);
    expect(paidRequests(rig.emulator.truth())).toBe(before + 1);
    rmSync(join(media, 's1.png'));
    const freed = await rig.run(['run', ...skipping, '--yes']);
    expect(freed.code, freed.stderr).toBe(0);
    expect(statuses().map(([status]) => status)).toEqual(['done', 'done', 'skipped']);
    const versioned = await rig.run(['run', 'skip.csv', '--share-identical', '--yes', '--on-exists', 'version']);
    expect(versioned.code, versioned.stderr).toBe(0);
    expect(statuses()[2]?.[2]).toBe('media/s3.v2.png');
    expect(readFileSync(join(media, 's3.png'), 'utf8')).toBe('of someone else');
  });

  it('F45: a file that takes the name after the plan is kept; `status` names it, and once it is away the row goes on', async () => {
    await rig.write('late.csv', csv([film('l1')]));
    const running = rig.start(['run', 'late.csv', '--yes', '--json']);
    await until('the film was submitted', () => jobs('l1') > 0 || undefined);
    const foreign = join(rig.out, 'late', 'media', 'l1.mp4');
    mkdirSync(join(foreign, '..'), { recursive: true });
    writeFileSync(foreign, 'of someone else');
    const blocked = await until('status says what is in the way', async () => {
      const { stdout } = await rig.run(['status', 'late', '--json']);
      return (JSON.parse(stdout) as { blocked: string | null }).blocked ?? undefined;
    });
    expect(blocked).toContain('the output of row l1 cannot be stored: the name is taken (EEXIST)');
    expect(blocked).toContain(`move ${foreign} away and it goes on by itself, nothing paid is lost`);
    expect(readFileSync(foreign, 'utf8')).toBe('of someone else');
    rmSync(foreign);
    const ended = await running.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect([jobs('l1'), results(rig, 'late')[0]?.file]).toEqual([1, 'media/l1.mp4']);
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
});
