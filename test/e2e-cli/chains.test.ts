// Rows that feed rows, by the commands that a user types.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { readBatchOrder } from '../../src/home/batch-order.js';
import { openHome } from '../../src/home/home.js';
import { createFolderStore } from '../../src/store/folder.js';
import { hasTemporal } from '../support/temporal.js';
import { results } from './support/evidence.js';
import { type Cut, expectWhole, kill, killTogether, SLOW_RENDERS, untilBusy } from './support/killing.js';
import { csv, film, image } from './support/manifest.js';
import { type Rig, startRig, until } from './support/rig.js';

/** Ten portraits, each of which feeds three films. */
const ROWS = Array.from({ length: 10 }, (_, i) => [
  image(`still${i}`),
  ...[1, 2, 3].map((n) => film(`film${i}-${n}`, { image: `@still${i}` })),
]).flat();

const STORY = [
  'id,kind,model,prompt,image,width,height,duration',
  'hero,svc/image,svc-alpha.2-klein-4b,a hero,,512,512,',
  'edit,svc/edit,svc-beta-image-edit-2511,in the rain,@hero,512,512,',
  'clip,vendor-a/image2video,,she turns,@hero,,,5',
  'film,vendor-a/image2video,,it pours,@edit,,,5',
  '',
].join('\n');

describe.skipIf(!hasTemporal())('rows that feed rows, from the command line', () => {
  let rig: Rig;
  afterEach(() => rig?.stop());

  it('SIGKILL of everything in the middle: every chain goes on where it was, and nothing is paid twice', async () => {
    rig = await startRig({ speed: 100, emulator: SLOW_RENDERS });
    await rig.write('chains.csv', csv(ROWS));
    const run = ['run', 'chains.csv', '--yes'];
    const first = rig.start(run);
    await untilBusy(rig, 'chains', 5);
    const cuts: Cut[] = [kill(rig, 'chains', [first.child.pid])];
    await first.ended;
    const second = rig.start(run);
    await untilBusy(rig, 'chains', 12);
    cuts.push(await killTogether(rig, 'chains', second));
    const third = await rig.run(run);
    expect([0, 3], third.stderr).toContain(third.code);
    await expectWhole(
      rig,
      'chains',
      ROWS.map(({ id }) => id),
      cuts,
    );
  });

  it('a row that fails leaves its chain; failed.csv is a manifest that goes on from the files that are there', async () => {
    const refusal = { do: 'answer', status: 400, body: '{"detail":"no"}', contentType: 'application/json' } as const;
    rig = await startRig({
      speed: 100,
      emulator: { faults: [{ match: { route: 'svc.edit', nth: [1] }, action: refusal }] },
    });
    await rig.write('story.csv', STORY);
    const ended = await rig.run(['run', 'story.csv', '--yes']);
    expect(ended.code, ended.stderr).toBe(1);
    expect(ended.stderr).not.toContain('the same command again');
    expect(ended.stderr).toContain('since what feeds it brought no output: `callsheet retry story` runs both');
    const page = readFileSync(join(rig.out, 'story', 'report.html'), 'utf8');
    expect(page).not.toContain('callsheet resume story');
    expect(results(rig, 'story').map(({ id, status }) => [id, status])).toEqual([
      ['hero', 'done'],
      ['edit', 'failed'],
      ['clip', 'done'],
      ['film', 'not_started'],
    ]);
    const folder = join(rig.out, 'story');
    const failed = readFileSync(join(folder, 'failed.csv'), 'utf8');
    expect(failed).toContain(`in the rain,${join(folder, 'media', 'hero.png')},`);
    expect(failed).toContain('it pours,@edit,');
    await rig.write('rest.csv', failed);
    const rest = await rig.run(['run', 'rest.csv', '--yes']);
    expect(rest.code, rest.stderr).toBe(0);
    const jobs = rig.emulator.truth().jobs.length;
    expect(jobs).toBe(4);

    // The portrait that was paid is changed: it alone is named, and the order for it covers what it feeds.
    await rig.write('story.csv', STORY.replace('a hero', 'a villain'));
    const changed = await rig.run(['plan', 'story.csv', '--no-network']);
    expect(changed.code).toBe(2);
    expect(changed.stderr).toContain("story.csv:2:1: B48 row 'hero' was submitted with other values (changed: prompt)");
    expect(changed.stderr).not.toContain("row 'clip'");
    const again = await rig.run(['run', 'story.csv', '--yes', '--changed', 'rerun=hero', '--retry-failed']);
    expect(again.code, again.stderr).toBe(0);
    expect(rig.emulator.truth().jobs).toHaveLength(jobs + 4);
  });

  it('F40: an output that comes late spends nothing by itself: `status` gives the retry, `resume --all` begins nothing', async () => {
    rig = await startRig({
      speed: 100,
      emulator: { faults: [{ match: { route: 'media' }, action: { do: 'answer', status: 403, body: '' } }] },
    });
    await rig.write('story.csv', STORY);
    const ended = await rig.run(['run', 'story.csv', '--yes', '--order', 'breadth']);
    expect(ended.code, ended.stderr).toBe(3);
    rig.emulator.setFaults([]);
    await until('the late output in the results', () => results(rig, 'story')[0]?.status === 'done' || undefined);
    expect(results(rig, 'story').map(({ id, status, reason_code: reason }) => [id, status, reason])).toEqual([
      ['hero', 'done', null],
      ['edit', 'not_started', 'upstream_late'],
      ['clip', 'not_started', 'upstream_late'],
      ['film', 'not_started', 'upstream_late'],
    ]);
    const status = JSON.parse((await rig.run(['status', 'story', '--json'])).stdout);
    expect(status).toMatchObject({ state: 'finished', waitsForRetry: true });
    expect(status.next).toContain('retry story');
    const resumed = await rig.run(['resume', '--all']);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(rig.emulator.truth().jobs).toHaveLength(1);
    const again = await rig.run(['retry', 'story', '--yes']);
    expect(again.code, again.stderr).toBe(0);
    expect(rig.emulator.truth().jobs).toHaveLength(4);
    // What went on is the batch as it was ordered.
    const home = openHome(createFolderStore(join(rig.data, 'home')), `rehearsal-${rig.emulator.port}`);
    expect((await readBatchOrder(home, 'story'))?.isBreadthFirst).toBe(true);
  });

  it('failed.csv names the frame of a film that fed a failed row by its file', async () => {
    const refusal = { do: 'answer', status: 400, body: '{"detail":"no"}', contentType: 'application/json' } as const;
    rig = await startRig({ speed: 100, emulator: { faults: [{ match: { route: 'svc.edit' }, action: refusal }] } });
    const rows = [
      'id,kind,model,prompt,image,width,height,duration',
      'shot,vendor-a/text2video,,a walk,,,,5',
      'next,svc/edit,svc-beta-image-edit-2511,at night,@shot:last,512,512,',
      '',
    ];
    await rig.write('frames.csv', rows.join('\n'));
    const ended = await rig.run(['run', 'frames.csv', '--yes']);
    expect(ended.code, ended.stderr).toBe(1);
    const folder = join(rig.out, 'frames');
    const failed = readFileSync(join(folder, 'failed.csv'), 'utf8');
    expect(failed).toContain(`at night,${join(folder, 'frames', 'shot-last.png')},`);
    expect(
      readFileSync(join(folder, 'frames', 'shot-last.png'))
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
    rig.emulator.setFaults([]);
    await rig.write('rest.csv', failed);
    const rest = await rig.run(['run', 'rest.csv', '--yes']);
    expect(rest.code, rest.stderr).toBe(0);
  });

  it('a circle and an unknown row are refused with their lines, and nothing is sent', async () => {
    rig = await startRig();
    await rig.write('bad.csv', STORY.replace('a hero,,', 'a hero,@film,').replace('@hero,,,5', '@heroe,,,5'));
    const ended = await rig.run(['run', 'bad.csv', '--yes']);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('bad.csv:4:5: B70 image: @heroe refers to a row');
    await rig.write('circle.csv', STORY.replace('in the rain,@hero', 'in the rain,@edit'));
    const circle = await rig.run(['run', 'circle.csv', '--yes']);
    expect([circle.code, circle.stderr]).toEqual([2, expect.stringContaining('edit (line 3) → edit (line 3)')]);
    expect(rig.emulator.truth().jobs).toHaveLength(0);
  });
});
