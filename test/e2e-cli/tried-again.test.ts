// What was paid stays a row's own, however often its manifest is changed, and a batch that has ended takes further orders.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultRule } from '../../emulator/emulator.js';
import { hasTemporal } from '../support/temporal.js';
import { paidRequests, results } from './support/evidence.js';
import { csv, image } from './support/manifest.js';
import { type Rig, startRig, until } from './support/rig.js';

const price = (kind: string, unit: string, credits: string) => ({ kind, components: [{ unit, credits }] });
const PRICES = [price('svc/image', 'request', '0.1'), price('svc/edit', 'request', '0.2')];

/** The service refuses what asks for a bad thing; nothing is billed. */
const REFUSES: FaultRule = {
  match: { route: 'svc.image', bodyContains: 'BAD' },
  action: { do: 'answer', status: 400, body: '{"detail":"no"}', contentType: 'application/json' },
};

/** The first answer to what asks for a good thing is lost; it was billed. */
const LOST: FaultRule = {
  match: { route: 'svc.image', bodyContains: 'good' },
  times: 1,
  action: { do: 'reset-before-answer', created: true },
};

describe.skipIf(!hasTemporal())('a row that is tried again', () => {
  let rig: Rig;
  beforeAll(async () => {
    // Avatars that take long: what one costs is not learned before the orders that are refused for it.
    const renderSeconds = { 'vendor-b': [800, 800] } as const;
    rig = await startRig({ speed: 100, config: { prices: PRICES }, emulator: { renderSeconds } });
  });
  afterAll(() => rig?.stop());

  const paid = () => paidRequests(rig.emulator.truth());
  const ends = async (code: number, ...args: string[]) => {
    const ended = await rig.run(args);
    expect(ended.code, `${args.join(' ')}: ${ended.stderr}`).toBe(code);
    return ended;
  };
  const ask = (name: string, prompt: string) => rig.write(`${name}.csv`, csv([image('h', { prompt })]));
  const file = (name: string, path: string) => existsSync(join(rig.out, name, path));

  /** Rendered once, then changed to what the service refuses: the row has failed. */
  async function changedInVain(name: string): Promise<void> {
    await ask(name, 'good');
    await ends(0, 'run', `${name}.csv`, '--yes');
    rig.emulator.setFaults([REFUSES]);
    await ask(name, 'BAD');
    await ends(1, 'run', `${name}.csv`, '--changed', 'rerun=h', '--yes');
    rig.emulator.setFaults([]);
    expect(results(rig, name)).toMatchObject([{ status: 'failed' }]);
  }

  it('is in nobody’s way: its earlier file stays, and the new one steps aside (design 9, B47)', async () => {
    await changedInVain('again');
    await ends(0, 'retry', 'again', '--yes');
    expect(results(rig, 'again')).toMatchObject([{ status: 'done', file: 'media/h.v2.png', attempts: 3 }]);
    expect(file('again', 'media/h.png')).toBe(true);
  });

  it('is done with its old content back, as it was paid for: nothing is sent', async () => {
    await changedInVain('back');
    const before = paid();
    await ask('back', 'good');
    await ends(0, 'run', 'back.csv', '--yes');
    expect(results(rig, 'back')).toMatchObject([{ status: 'done', file: 'media/h.png' }]);
    // What was paid for it is fetched again as well, where the file is gone.
    rmSync(join(rig.out, 'back/media/h.png'));
    const fetched = await ends(0, 'run', 'back.csv', '--yes');
    expect(fetched.stderr).toContain('media/h.png (gone): fetched again');
    expect(paid()).toBe(before);
    await ends(0, 'ledger', 'verify');
  });

  it('has its lost answer back with its old content: a person settles that one, and no other output is lost', async () => {
    rig.emulator.setFaults([LOST]);
    await ask('lost', 'good');
    await ends(3, 'run', 'lost.csv', '--yes');
    // Whether the balance told that it was billed or not is all the same here.
    const [settled] = results(rig, 'lost').map(({ status, reason_code }) => ({ status, reason_code }));
    await ask('lost', 'better');
    await ends(0, 'run', 'lost.csv', '--changed', 'rerun=h', '--yes');
    const better = results(rig, 'lost')[0]?.file;
    await ask('lost', 'good');
    await ends(3, 'run', 'lost.csv', '--changed', 'rerun=h', '--yes');
    expect(results(rig, 'lost')).toMatchObject([{ ...settled, file: null }]);
    // What was rendered meanwhile comes back with its content, for nothing.
    const before = paid();
    await ask('lost', 'better');
    await ends(0, 'run', 'lost.csv', '--changed', 'rerun=h', '--yes');
    expect(results(rig, 'lost')).toMatchObject([{ status: 'done', file: better }]);
    await ask('lost', 'good');
    await ends(3, 'run', 'lost.csv', '--changed', 'rerun=h', '--yes');
    expect(paid()).toBe(before);
    await ends(0, 'review', 'resubmit', 'lost', 'h', '--yes');
    await ends(0, 'watch', 'lost');
    expect(results(rig, 'lost')).toMatchObject([{ status: 'done', attempts: 3 }]);
    expect(paid()).toBe(before + 1);
    await ends(0, 'ledger', 'verify');
  });

  it('is taken as it was rendered before, in another change, for nothing: B48 says so', async () => {
    await ask('twice', 'good');
    await ends(0, 'run', 'twice.csv', '--yes');
    await ask('twice', 'better');
    await ends(0, 'run', 'twice.csv', '--changed', 'rerun=h', '--yes');
    const before = paid();
    await ask('twice', 'good');
    const refused = await ends(2, 'run', 'twice.csv', '--yes');
    expect(refused.stderr).toContain('--changed rerun=h (it was rendered with these before, and costs nothing)');
    await ends(0, 'run', 'twice.csv', '--changed', 'rerun=h', '--yes');
    expect(results(rig, 'twice')).toMatchObject([{ status: 'done', file: 'media/h.png', attempts: 2 }]);
    expect(paid()).toBe(before);
  });

  it('with a row of unknown price: no budget is taken that would stop the batch at once (B52)', async () => {
    const avatars = Array.from({ length: 30 }, (_, i) => `a${i},vendor-b/avatar,anna,hello ${i},v-amber-en`);
    await rig.write('open.csv', ['id,kind,avatar_id,script,voice_id', ...avatars, ''].join('\n'));
    const running = rig.start(['run', 'open.csv', '--yes']);
    await until('it runs', async () => (await rig.run(['pause', 'open'])).code === 0 || undefined);
    const refused = await ends(2, 'resume', 'open', '--max-credits', '50');
    expect(refused.stderr).toMatch(/B52 \d+ rows of 'open' have no known price, so --max-credits 50 cannot be kept/);
    await ends(0, 'resume', 'open');
    expect((await running.ended).code).toBe(0);
  });

  it('within a budget that is raised after the batch has ended', async () => {
    await ask('spent', 'good');
    await ends(0, 'run', 'spent.csv', '--max-credits', '0.15');
    const refused = await ends(2, 'rerun', 'spent', 'h', '--yes');
    expect(refused.stderr).toContain('`callsheet resume spent --max-credits <n>` raises it');
    const raised = await ends(0, 'resume', 'spent', '--max-credits', '1');
    expect(raised.stdout).toContain("nothing of 'spent' is left to run: its new limits hold");
    await ends(0, 'rerun', 'spent', 'h', '--yes');
    await ends(0, 'watch', 'spent');
    expect(results(rig, 'spent')).toMatchObject([{ status: 'done', file: 'media/h.v2.png', attempts: 2 }]);
  });

  it('does not open the gate of a sample for what it feeds', async () => {
    const edits = ['e1', 'e2', 'e3'].map((id) => `${id},svc/edit,svc-beta-image-edit-2511,wet ${id},@hero,512,512`);
    const hero = 'hero,svc/image,svc-alpha.2-klein-4b,BAD,,512,512';
    await rig.write('gate.csv', ['id,kind,model,prompt,image,width,height', hero, ...edits, ''].join('\n'));
    rig.emulator.setFaults([REFUSES]);
    await rig.run(['run', 'gate.csv', '--sample', '1', '--yes']);
    await rig.run(['run', 'gate.csv', '--yes']);
    rig.emulator.setFaults([]);
    const before = paid();
    await rig.run(['retry', 'gate', '--yes']);
    expect(paid() - before, 'the sample alone: hero and one edit at most').toBeLessThanOrEqual(2);
    await ends(0, 'approve', 'gate', '--yes', '--max-credits', '5');
    expect(results(rig, 'gate').map(({ status }) => status)).toEqual(['done', 'done', 'done', 'done']);
  });

  it('and what waits for a row that is not run is neither counted nor priced', async () => {
    const head = 'id,kind,model,prompt,image,width,height';
    const shot = (id: string, prompt: string) => `${id},svc/image,svc-alpha.2-klein-4b,${prompt},,512,512`;
    const edit = 'edit,svc/edit,svc-beta-image-edit-2511,wet,@hero,512,512';
    await rig.write('few.csv', [head, shot('hero', 'BAD'), edit, shot('solo', 'LATER'), ''].join('\n'));
    const fails: FaultRule = {
      match: { route: 'svc.image', bodyContains: 'LATER' },
      action: { do: 'answer', status: 500, body: '{"detail":"later"}', contentType: 'application/json' },
    };
    rig.emulator.setFaults([REFUSES, fails]);
    await ends(1, 'run', 'few.csv', '--yes');
    rig.emulator.setFaults([]);
    const failed = results(rig, 'few').map(({ id, reason_code: why }) => [id, why]);
    expect(failed).toEqual([
      ['hero', 'invalid_request'],
      ['edit', 'upstream_failed'],
      ['solo', 'service_error'],
    ]);
    const before = paid();
    const retried = await ends(1, 'retry', 'few', '--class', 'service_error', '--max-credits', '0.11');
    expect(retried.stderr).not.toContain('B52');
    expect(paid()).toBe(before + 1);
    expect(results(rig, 'few').map(({ status }) => status)).toEqual(['failed', 'not_started', 'done']);
  });
});
