// A budget that is lowered while its batch runs holds at the next submit, whatever was opened before (I20).
import { afterEach, describe, expect, it } from 'vitest';
import { hasTemporal } from '../support/temporal.js';
import { finishedIds, isCharged, results } from './support/evidence.js';
import { csv, film } from './support/manifest.js';
import { type Rig, startRig, until } from './support/rig.js';

const ROWS = Array.from({ length: 24 }, (_, i) => film(`f${i}`));

describe.skipIf(!hasTemporal())('a budget that is lowered', () => {
  let rig: Rig;
  afterEach(() => rig?.stop());

  const charged = () => rig.emulator.truth().jobs.filter(isCharged);
  const spentNano = () => charged().reduce((sum, { chargedNano, refundedNano }) => sum + chargedNano - refundedNano, 0);

  it('stops the rows that wait for a slot; only a higher one goes on', async () => {
    rig = await startRig({ speed: 60 });
    await rig.write('films.csv', csv(ROWS));
    const running = rig.start(['run', 'films.csv', '--yes', '--concurrency', '2', '--max-credits', '100']);
    const expected = async () => {
      const asked = await rig.run(['status', 'films', '--json']);
      return asked.code === 0 ? (JSON.parse(asked.stdout).creditsExpected ?? undefined) : undefined;
    };
    // What the plan knew of its prices is known from the first row on.
    const all = await until('it stands in the home', expected);
    await until('a row has ended', () => finishedIds(rig, 'films').length > 0 || undefined);
    const priceNano = charged()[0]?.chargedNano ?? 0;
    expect(priceNano).toBeGreaterThan(0);
    expect(all).toBe(String((ROWS.length * priceNano) / 1e9));
    // Room for a few more than those that render now.
    const rows = 9;
    const budget = String((rows * priceNano) / 1e9);
    const lowered = await rig.run(['resume', 'films', '--max-credits', budget]);
    expect(lowered.code, lowered.stderr).toBe(0);
    const ended = await running.ended;
    expect(ended.code, ended.stderr).toBe(6);
    expect(spentNano()).toBeLessThanOrEqual(rows * priceNano);
    const done = results(rig, 'films').filter(({ status }) => status === 'done');
    expect(done).toHaveLength(rows);

    const status = JSON.parse((await rig.run(['status', 'films', '--json'])).stdout);
    expect(status).toMatchObject({ state: 'finished', stopped: 'budget_reached' });
    expect(status.next).toContain('resume films --max-credits <more>');
    expect((await rig.run(['status', 'films'])).stdout).toContain('ended     stopped by the budget');
    const same = await rig.run(['resume', 'films']);
    expect([same.code, same.stderr]).toEqual([2, expect.stringContaining('leaves no room for another row')]);
    // A retry keeps the budget that the batch has.
    const retried = await rig.run(['retry', 'films', '--yes']);
    expect(retried.code, retried.stderr).toBe(6);
    expect(charged()).toHaveLength(rows);
    expect((await rig.run(['resume', 'films', '--max-credits', '100'])).code).toBe(0);
    expect((await rig.run(['watch', 'films'])).code).toBe(0);
    expect(charged()).toHaveLength(ROWS.length);
  });
});
