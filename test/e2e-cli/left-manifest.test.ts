// An order about a row that left the manifest is carried out, though no page of the batch comes by it.
import { afterEach, describe, expect, it } from 'vitest';
import { hasTemporal } from '../support/temporal.js';
import { results } from './support/evidence.js';
import { type Rig, startRig, until } from './support/rig.js';

const HEAD = 'id,kind,model,prompt,width,height,duration\n';
const STAYS = 'stays,svc/image,svc-alpha.2-klein-4b,a lighthouse,512,512,\n';
const LEAVES = 'leaves,vendor-f/video,vendor-f-3.1-lite-generate-preview,waves,,,4\n';
const LOST = {
  match: { route: 'vendor-f.submit' },
  times: 1,
  action: { do: 'reset-before-answer', created: true } as const,
};

describe.skipIf(!hasTemporal())('a row in review that left the manifest', () => {
  let rig: Rig;
  afterEach(() => rig?.stop());

  const order = (...args: string[]) => rig.run(['review', ...args]);
  const line = () => results(rig, 'shots').find(({ id }) => id === 'leaves');

  async function left(): Promise<string> {
    const config = { account: { exclusive: false }, ambiguity: 'hold' };
    rig = await startRig({ speed: 100, config, emulator: { faults: [LOST] } });
    await rig.write('shots.csv', HEAD + STAYS + LEAVES);
    expect((await rig.run(['run', 'shots.csv', '--yes'])).code).toBe(3);
    await rig.write('shots.csv', HEAD + STAYS);
    const run = await rig.run(['run', 'shots.csv', '--yes']);
    expect(run.code, run.stderr).toBe(0);
    expect(line()).toMatchObject({ status: 'review', flags: ['removed'] });
    return rig.emulator.truth().jobs.find(({ body }) => JSON.stringify(body).includes('waves'))?.handle ?? '';
  }

  it('has what was paid for it fetched by the handle that a person gives', async () => {
    const handle = await left();
    const said = await order('attach-handle', 'shots', 'leaves', handle, '--yes');
    expect(said.code, said.stderr).toBe(0);
    await until('its output is there', () => (line()?.status === 'done' ? true : undefined));
    expect(line()).toMatchObject({ flags: expect.arrayContaining(['removed']) });
  });

  it('and so it has by `resume`, where the order was given while no engine ran', async () => {
    const handle = await left();
    await rig.run(['engine', 'stop']);
    const said = await order('attach-handle', 'shots', 'leaves', handle, '--yes');
    expect([said.code, said.stderr]).toEqual([0, expect.stringContaining('`callsheet resume shots` carries it out')]);
    const resumed = await rig.run(['resume', 'shots']);
    expect(resumed.code, resumed.stderr).toBe(0);
    await until('its output is there', () => (line()?.status === 'done' ? true : undefined));
  });
});
