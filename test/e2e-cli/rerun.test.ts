// Another render of a row that is done, by a person's order.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { hasTemporal } from '../support/temporal.js';
import { finishedIds, results } from './support/evidence.js';
import { type Rig, startRig, until } from './support/rig.js';

const STORY = [
  'id,kind,model,prompt,image,width,height,duration',
  'hero,svc/image,svc-alpha.2-klein-4b,a hero,,512,512,',
  'edit,svc/edit,svc-beta-image-edit-2511,in the rain,@hero,512,512,',
  'clip,vendor-a/image2video,,she turns,@hero,,,5',
  'film,vendor-a/image2video,,it pours,@edit,,,5',
  '',
].join('\n');

const refuses = (route: string, nth: number) => ({
  match: { route, nth: [nth] },
  action: { do: 'answer', status: 400, body: '{"detail":"no"}', contentType: 'application/json' } as const,
});

describe.skipIf(!hasTemporal())('rerun', () => {
  let rig: Rig;
  afterEach(() => rig?.stop());

  const jobs = () => rig.emulator.truth().jobs.length;
  const ok = async (...args: string[]) => {
    const ended = await rig.run(args);
    expect(ended.code, `${args.join(' ')}: ${ended.stderr}`).toBe(0);
    return ended;
  };
  const ended = () =>
    until('the batch has ended', async () => {
      const { stdout } = await ok('status', 'story', '--json');
      return JSON.parse(stdout).state === 'finished' || undefined;
    });
  const lines = () => new Map(results(rig, 'story').map((line) => [line.id, line]));
  async function story(faults: ReturnType<typeof refuses>[] = []): Promise<void> {
    rig = await startRig({ speed: 100, emulator: { faults } });
    await rig.write('story.csv', STORY);
    await ok('run', 'story.csv', '--yes');
    expect(jobs()).toBe(4);
  }

  it('one row: it is asked for, both files are kept, and what it feeds is stale until it is rendered again', async () => {
    await story();
    const unsaid = await rig.run(['rerun', 'story', 'hero']);
    expect(unsaid.code).toBe(2);
    expect(unsaid.stderr).toContain("row 'hero' would be rendered again (up to ");
    const dear = await rig.run(['rerun', 'story', 'hero', '--yes', '--max-credits', '0.01']);
    expect([dear.code, dear.stderr]).toEqual([2, expect.stringContaining('B52')]);
    expect((await rig.run(['rerun', 'story', 'herr', '--yes'])).stderr).toContain("did you mean 'hero'?");
    expect(jobs()).toBe(4);

    const before = lines();
    await ok('rerun', 'story', 'hero', '--yes');
    await ended();
    expect(jobs()).toBe(5);
    const after = lines();
    const files = [before.get('hero'), after.get('hero')].map((line) => String(line?.file));
    expect(files).toEqual(['media/hero.png', 'media/hero.v2.png']);
    for (const [i, line] of [before.get('hero'), after.get('hero')].entries()) {
      const bytes = readFileSync(join(rig.out, 'story', files[i] ?? ''));
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(line?.sha256);
    }
    expect(after.get('hero')).toMatchObject({ status: 'done', flags: [], attempts: 2 });
    expect(Number(after.get('hero')?.credits)).toBeCloseTo(2 * Number(before.get('hero')?.credits), 9);
    expect([...after].map(([id, { status, flags }]) => [id, status, flags])).toEqual([
      ['hero', 'done', []],
      ['edit', 'done', ['stale_input']],
      ['clip', 'done', ['stale_input']],
      ['film', 'done', ['stale_input']],
    ]);
    await ok('ledger', 'verify');
    await ok('run', 'story.csv', '--yes');
    expect(jobs()).toBe(5);

    await ok('rerun', 'story', 'edit', '--yes', '--with-dependents');
    await ended();
    expect(jobs()).toBe(7);
    expect([...lines()].map(([id, { flags }]) => [id, flags])).toEqual([
      ['hero', []],
      ['edit', []],
      ['clip', ['stale_input']],
      ['film', []],
    ]);
    expect(existsSync(join(rig.out, 'story', 'media', 'film.v2.mp4'))).toBe(true);
  });

  it('with what it feeds: each follows the new file of its feeder, once', async () => {
    await story();
    const ordered = await ok('rerun', 'story', 'hero', '--yes', '--with-dependents', '--json');
    expect(JSON.parse(ordered.stdout)).toMatchObject({
      ...{ batch: 'story', rows: ['hero', 'edit', 'clip', 'film'], queued: true },
      next: 'callsheet watch story',
    });
    // The order is queued: `watch` follows it to its end.
    await ok('watch', 'story');
    await ended();
    expect(jobs()).toBe(8);
    for (const [, line] of lines()) {
      expect(line).toMatchObject({ status: 'done', flags: [], attempts: 2, file: expect.stringContaining('.v2.') });
    }
    const { sha256 } = lines().get('hero') ?? {};
    const sent = rig.emulator.truth().jobs.filter(({ body }) => JSON.stringify(body).includes('in the rain'));
    const [, second] = sent.map(({ body }) => String((body as { url?: unknown }).url));
    const bytes = Buffer.from(second?.replace(/^data:[^,]*,/, '') ?? '', 'base64');
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
    await ok('ledger', 'verify');
    await ok('run', 'story.csv', '--yes');
    expect(jobs()).toBe(8);
  });

  it('of a batch that was cancelled, while what it has at the service is fetched: no row would follow, so none is ordered', async () => {
    rig = await startRig({ speed: 100, emulator: { renderSeconds: { 'vendor-f': [3_000, 3_000] } } });
    const slow = 'slow,vendor-f/video,vendor-f-3.1-lite-generate-preview,waves,,,,4';
    await rig.write('story.csv', [...STORY.split('\n').slice(0, 3), slow, ''].join('\n'));
    const running = rig.start(['run', 'story.csv', '--yes']);
    await until(
      'the film alone is under way',
      () => (jobs() === 3 && finishedIds(rig, 'story').length === 2) || undefined,
    );
    await ok('cancel', 'story');
    const both = await rig.run(['rerun', 'story', 'hero', '--yes', '--with-dependents']);
    expect([both.code, both.stderr]).toEqual([
      2,
      expect.stringMatching(/is still fetched: `callsheet watch story` follows/),
    ]);
    await ok('rerun', 'story', 'hero', '--yes');
    expect((await running.ended).code).toBe(0);
    expect(jobs()).toBe(4);
    expect([...lines()].map(([id, { status, flags }]) => [id, status, flags])).toEqual([
      ['hero', 'done', []],
      ['edit', 'done', ['stale_input']],
      ['slow', 'done', []],
    ]);
    await ok('rerun', 'story', 'hero', '--yes', '--with-dependents');
    await ok('watch', 'story');
    expect(jobs()).toBe(6);
  });

  it('a render that fails: the row stays done with its old file, and what it feeds is not paid again', async () => {
    await story([refuses('svc.image', 2)]);
    const before = lines();
    await ok('rerun', 'story', 'hero', '--yes', '--with-dependents');
    await ended();
    expect(jobs()).toBe(4);
    const after = lines();
    for (const [id, line] of after) {
      const old = before.get(id);
      expect(line).toMatchObject({ status: 'done', flags: ['rerun_failed'], file: old?.file, credits: old?.credits });
    }
    expect(after.get('hero')?.reason).toContain('400 no');
    await ok('run', 'story.csv', '--yes');
    expect(jobs()).toBe(4);
    await ok('rerun', 'story', 'hero', '--yes');
    await ended();
    expect(jobs()).toBe(5);
    expect(lines().get('hero')).toMatchObject({ status: 'done', flags: [], file: 'media/hero.v2.png' });
  });

  it('a render whose lost answer a person found unbilled: the order can be given again, and renders', async () => {
    // Of an account that others use as well the balance tells nothing: a person is asked.
    rig = await startRig({ speed: 100, config: { account: { exclusive: false }, ambiguity: 'hold' } });
    await rig.write('story.csv', STORY.split('\n').slice(0, 2).join('\n'));
    await ok('run', 'story.csv', '--yes');
    rig.emulator.setFaults([
      { match: { route: 'svc.image' }, times: 1, action: { do: 'reset-before-answer', created: false } },
    ]);
    await ok('rerun', 'story', 'hero', '--yes');
    await until('its answer is lost', async () => {
      const marked = await rig.run(['review', 'mark-lost', 'story', 'hero', '--not-billed', '--yes']);
      return marked.code === 0 || undefined;
    });
    await ended();
    expect(lines().get('hero')).toMatchObject({ status: 'done', flags: ['rerun_failed'], attempts: 2 });
    expect(jobs()).toBe(1);
    await ok('rerun', 'story', 'hero', '--yes');
    await until('it was rendered again', () => (jobs() === 2 ? true : undefined));
    await ended();
    expect(lines().get('hero')).toMatchObject({ status: 'done', flags: [], attempts: 3 });
  });

  it('a lost answer with what it feeds: that keeps its render, the case is named, and follows once it is settled', async () => {
    rig = await startRig({ speed: 100, config: { account: { exclusive: false }, ambiguity: 'hold' } });
    await rig.write('story.csv', STORY);
    await ok('run', 'story.csv', '--yes');
    const before = lines();
    rig.emulator.setFaults([
      { match: { route: 'svc.image' }, times: 1, action: { do: 'reset-before-answer', created: false } },
    ]);
    await ok('rerun', 'story', 'hero', '--yes', '--with-dependents');
    const watched = await rig.run(['watch', 'story']);
    expect([watched.code, watched.stderr]).toEqual([3, expect.stringContaining('callsheet review list story')]);
    const status = await ok('status', 'story');
    expect(status.stdout).toMatch(/next +callsheet review list story/);
    expect(lines().get('hero')).toMatchObject({ status: 'review', attempts: 2 });
    for (const id of ['edit', 'clip', 'film']) {
      const { file, credits } = before.get(id) ?? {};
      expect(lines().get(id)).toMatchObject({ status: 'done', attempts: 1, file, credits });
    }
    await ok('ledger', 'verify');
    expect(jobs()).toBe(4);
    await ok('review', 'resubmit', 'story', 'hero', '--yes');
    await until('all are rendered again', () => (jobs() === 8 ? true : undefined));
    await ended();
    for (const [id, line] of lines()) {
      expect(line).toMatchObject({ status: 'done', attempts: id === 'hero' ? 3 : 2 });
    }
    await ok('ledger', 'verify');
  });

  it('a changed row alone: what it feeds stays done with stale_input, and nothing of it is rendered', async () => {
    await story();
    const before = lines();
    await rig.write('story.csv', STORY.replace('a hero', 'another hero'));
    const alone = ['story.csv', '--changed', 'rerun=hero', '--no-dependents'];
    expect((await ok('plan', 'story.csv', '--changed', 'rerun=hero')).stdout).toContain('4 to run');
    const plan = await ok('plan', ...alone);
    expect(plan.stdout).toContain('rows      4: 1 to run, 3 finished');
    expect(plan.stdout).not.toContain('for others');
    expect(plan.stdout).toContain('kept      3 rows stay although what feeds them changed (stale_input)');
    expect((await rig.run(['plan', 'story.csv', '--no-dependents'])).stderr).toContain('goes with --changed rerun');
    await ok('run', ...alone, '--yes');
    expect(jobs()).toBe(5);
    const flags = () => [...lines()].map(([id, line]) => [id, line.status, line.flags]);
    const stale = [
      ['hero', 'done', []],
      ['edit', 'done', ['stale_input']],
      ['clip', 'done', ['stale_input']],
      ['film', 'done', ['stale_input']],
    ];
    expect(flags()).toEqual(stale);
    expect(lines().get('edit')).toMatchObject({ file: before.get('edit')?.file, credits: before.get('edit')?.credits });
    // The same manifest again: they stay; another row that one of them feeds takes the file that stayed.
    await ok('run', 'story.csv', '--yes');
    expect(jobs()).toBe(5);
    const longer = `${STORY.replace('a hero', 'another hero')}more,vendor-a/image2video,,it clears,@edit,,,5\n`;
    await rig.write('story.csv', longer);
    await ok('run', 'story.csv', '--yes');
    expect(jobs()).toBe(6);
    expect(flags()).toEqual([...stale, ['more', 'done', []]]);
    // A person may render them again, and the first manifest still has its renders.
    await ok('rerun', 'story', 'edit', '--yes');
    await ended();
    expect(jobs()).toBe(7);
    expect(lines().get('edit')).toMatchObject({ status: 'done', flags: [], attempts: 2 });
    await ok('ledger', 'verify');
  });

  it('a retouched file: a row that waited ends with input_changed, and `retry --accept-inputs` takes it as it lies', async () => {
    rig = await startRig({ speed: 100, emulator: { faults: [refuses('svc.edit', 1)] } });
    await rig.write('story.csv', STORY);
    expect((await rig.run(['run', 'story.csv', '--yes'])).code).toBe(1);
    const file = join(rig.out, 'story', 'media', 'hero.png');
    const other = readFileSync(file).toString('latin1').replace('Comment', 'comment');
    writeFileSync(file, other, 'latin1');
    expect((await rig.run(['retry', 'story', '--yes'])).code).toBe(1);
    expect(lines().get('edit')).toMatchObject({ status: 'not_started', reason_code: 'input_changed' });
    expect(jobs()).toBe(2);
    const accepted = await ok('retry', 'story', '--yes', '--accept-inputs');
    expect(accepted.stderr).toContain("media/hero.png of row 'hero' is taken as it lies");
    expect(jobs()).toBe(4);
    const sha256 = createHash('sha256').update(other, 'latin1').digest('hex');
    const edit = rig.emulator.truth().jobs.find(({ body }) => JSON.stringify(body).includes('in the rain'));
    const { url } = (edit?.body ?? {}) as { url?: unknown };
    const bytes = Buffer.from(String(url).replace(/^data:[^,]*,/, ''), 'base64');
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
    expect(lines().get('hero')).toMatchObject({ status: 'done', sha256 });
    expect([...lines()].map(([id, { status, flags }]) => [id, status, flags])).toEqual([
      ['hero', 'done', []],
      ['edit', 'done', []],
      ['clip', 'done', ['stale_input']],
      ['film', 'done', []],
    ]);
  });

  it('a retouched file that stood in the way of a rerun: `retry --accept-inputs` takes it and renders the row', async () => {
    await story();
    const file = join(rig.out, 'story', 'media', 'edit.png');
    writeFileSync(file, readFileSync(file).toString('latin1').replace('Comment', 'comment'), 'latin1');
    await ok('rerun', 'story', 'film', '--yes');
    const watched = await ok('watch', 'story');
    expect(watched.stderr).toContain('1 row keeps its earlier file');
    expect(lines().get('film')).toMatchObject({ status: 'done', flags: ['rerun_failed'] });
    expect(jobs()).toBe(4);
    expect((await ok('status', 'story')).stdout).toMatch(/next +callsheet retry story --accept-inputs/);
    const accepted = await ok('retry', 'story', '--yes', '--accept-inputs');
    expect(accepted.stderr).toContain("media/edit.png of row 'edit' is taken as it lies");
    expect(jobs()).toBe(5);
    expect(lines().get('film')).toMatchObject({ status: 'done', flags: [], attempts: 2, file: 'media/film.v2.mp4' });
    expect((await ok('status', 'story')).stdout).toMatch(/next +callsheet results story/);
  });
});
