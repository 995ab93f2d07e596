// An order for a row that feeds others: they are named with their cost, and follow it or are left alone.
import { afterEach, describe, expect, it } from 'vitest';
import { hasTemporal } from '../support/temporal.js';
import { results } from './support/evidence.js';
import { type Rig, startRig, until } from './support/rig.js';

const STORY = [
  'id,kind,model,prompt,image,width,height,duration',
  'hero,svc/image,svc-alpha.2-klein-4b,a hero,,512,512,',
  'edit,svc/edit,svc-beta-image-edit-2511,in the rain,@hero,512,512,',
  'clip,vendor-a/image2video,,she turns,@hero,,,5',
  'film,vendor-a/image2video,,it pours,@edit,,,5',
  '',
].join('\n');

const price = (kind: string, unit: string, credits: string) => ({ kind, components: [{ unit, credits }] });
const PRICES = [
  price('svc/image', 'megapixel', '0.001'),
  price('svc/edit', 'request', '0.5'),
  price('vendor-a/image2video', 'request', '0.5'),
];

const LOST = {
  match: { route: 'svc.image', nth: [1] },
  action: { do: 'reset-before-answer', created: true } as const,
};

describe.skipIf(!hasTemporal())('an order for a row that feeds others', () => {
  let rig: Rig;
  afterEach(() => rig?.stop());

  const jobs = () => rig.emulator.truth().jobs.length;
  const order = (...args: string[]) => rig.run(['review', 'resubmit', 'story', 'hero', ...args]);
  const statuses = () => Object.fromEntries(results(rig, 'story').map(({ id, status }) => [id, status]));
  const ended = (until_: (now: ReturnType<typeof statuses>) => boolean) =>
    until('the order is carried out', async () => {
      const { stdout } = await rig.run(['status', 'story', '--json']);
      return (['finished', 'not running'].includes(JSON.parse(stdout).state) && until_(statuses())) || undefined;
    });
  /** The answer for the portrait is lost: what it feeds was not submitted. */
  async function lostPortrait(): Promise<void> {
    rig = await startRig({ speed: 100, config: { prices: PRICES }, emulator: { faults: [LOST] } });
    await rig.write('story.csv', STORY);
    const run = await rig.run(['run', 'story.csv', '--yes']);
    expect(run.code, run.stderr).toBe(3);
    expect(jobs()).toBe(1);
    const { hero, ...others } = statuses();
    // The balance tells of it in time, or not.
    expect(['lost_paid', 'review']).toContain(hero);
    expect(others).toEqual({ edit: 'not_started', clip: 'not_started', film: 'not_started' });
  }

  it('they are named with their cost, and follow it', async () => {
    await lostPortrait();
    const unsaid = await order();
    expect(unsaid.code).toBe(2);
    expect(unsaid.stderr).toMatch(/3 rows that are fed by it follow \(edit, clip, film\), up to 1.5 credits/);
    expect(unsaid.stderr).toContain('--no-dependents');
    const dear = await order('--yes', '--max-credits', '1.2');
    expect([dear.code, dear.stderr]).toEqual([2, expect.stringMatching(/B52 .*follow \(edit, clip, film\)/)]);
    expect(jobs()).toBe(1);
    const said = await order('--yes', '--json');
    expect(said.code, said.stderr).toBe(0);
    expect(JSON.parse(said.stdout).dependents).toEqual({
      rows: ['edit', 'clip', 'film'],
      credits: '1.5',
      follow: true,
    });
    await ended((now) => now.film === 'done');
    expect(statuses()).toEqual({ hero: 'done', edit: 'done', clip: 'done', film: 'done' });
    expect(jobs()).toBe(5);
    expect((await rig.run(['ledger', 'verify'])).code).toBe(0);
  });

  it('and one that is fed itself goes on, in a batch that has ended', async () => {
    const lost = { match: { route: 'vendor-a.submit', bodyContains: 'it pours' }, times: 1, action: LOST.action };
    rig = await startRig({ speed: 100, config: { prices: PRICES }, emulator: { faults: [lost] } });
    await rig.write('story.csv', STORY);
    const run = await rig.run(['run', 'story.csv', '--yes']);
    expect(run.code, run.stderr).toBe(3);
    const said = await rig.run(['review', 'resubmit', 'story', 'film', '--yes']);
    expect(said.code, said.stderr).toBe(0);
    await ended((now) => now.film === 'done');
    expect(statuses()).toEqual({ hero: 'done', edit: 'done', clip: 'done', film: 'done' });
  });

  it('so do those that name a row which shares its render', async () => {
    const shot = (id: string) => `${id},svc/image,svc-alpha.2-klein-4b,a hero,,512,512,,5`;
    const wet = (id: string, from: string) => `${id},svc/edit,svc-beta-image-edit-2511,wet ${id},@${from},512,512,,`;
    const rows = [shot('hero'), shot('twin'), wet('first', 'twin'), wet('second', 'hero')];
    rig = await startRig({ speed: 100, config: { prices: PRICES }, emulator: { faults: [LOST] } });
    await rig.write('story.csv', ['id,kind,model,prompt,image,width,height,duration,seed', ...rows, ''].join('\n'));
    expect((await rig.run(['run', 'story.csv', '--yes'])).code).toBe(3);
    const said = await order('--yes', '--json');
    expect(said.code, said.stderr).toBe(0);
    expect(JSON.parse(said.stdout).dependents).toEqual({ rows: ['first', 'second'], credits: '1', follow: true });
    await ended((now) => now.first === 'done' && now.second === 'done');
    expect(jobs()).toBe(4);
  });

  it('with --no-dependents they are left alone until the manifest is run', async () => {
    await lostPortrait();
    const alone = await order('--yes', '--no-dependents', '--json');
    expect(JSON.parse(alone.stdout).dependents).toMatchObject({ rows: ['edit', 'clip', 'film'], follow: false });
    await ended((now) => now.hero === 'done');
    expect(jobs()).toBe(2);
    expect((await rig.run(['run', 'story.csv', '--yes'])).code).toBe(0);
    expect(jobs()).toBe(5);
  });

  it('after a cancel none follows', async () => {
    await lostPortrait();
    expect((await rig.run(['cancel', 'story'])).code).toBe(0);
    const said = await order('--yes', '--json');
    expect(said.code, said.stderr).toBe(0);
    expect(JSON.parse(said.stdout).dependents).toEqual({ rows: [], credits: '0', follow: false });
    await ended((now) => now.hero === 'done');
    expect(jobs()).toBe(2);
  });
});
