import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasTemporal } from '../support/temporal.js';
import { unpackEarlierBuild } from './support/earlier-build.js';
import { paidRequests, results } from './support/evidence.js';
import { KEY, type Rig, startRig } from './support/rig.js';

/** What the rows asked for whose jobs rendered when the earlier build was killed. */
const RENDERING = new Map([
  ['lost-1', 'a paper boat whose answer is lost'],
  ['film-1', 'a paper boat'],
  ['film-4', 'four paper boats'],
]);

describe.skipIf(!hasTemporal())('a home and an open batch of an earlier build', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig({
      speed: 20,
      emulator: { plan: 'free', balanceCredits: '98.9' },
      config: { account: { exclusive: false }, ambiguity: 'hold' },
    });
  });
  afterAll(() => rig?.stop());

  const submit = async (prompt: string): Promise<string> => {
    const answer = await fetch(`${rig.emulator.url}/v1/vendor-a/videos/text2video`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model_name: 'vendor-a-v3', prompt, mode: 'std', aspect_ratio: '9:16', duration: '3' }),
    });
    const { data } = (await answer.json()) as { data: { task_id: string } };
    return data.task_id;
  };

  it('go on: what rendered is fetched, what waited is sent once, what was paid or in doubt is not sent again', async () => {
    const handles = new Map<string, string>();
    for (const [id, prompt] of RENDERING) handles.set(id, await submit(prompt));
    const before = paidRequests(rig.emulator.truth());
    await unpackEarlierBuild(rig, handles);
    const ended = await rig.run(['run', 'shots.csv', '--yes', '--account', 'studio', '--name', 'shots']);
    expect(ended.code, ended.stderr).toBe(3);
    const told = results(rig, 'shots').map(({ id, status, attempts }) => `${id} ${status} ${attempts}`);
    expect(told).toEqual([
      'still-1 done 1',
      'still-2 done 1',
      'lost-1 done 1',
      'film-1 done 1',
      'film-2 review 1',
      'film-3 done 1',
      'film-4 done 1',
      'clip-1 review 1',
      'film-5 done 1',
      'film-6 done 1',
      'film-7 done 1',
    ]);
    const truth = rig.emulator.truth();
    expect(paidRequests(truth) - before).toBe(2);
    const sent = truth.jobs.map(({ body }) => (body as { prompt: string }).prompt);
    expect(sent.slice(before).sort()).toEqual(['five paper boats', 'seven paper boats']);
    const verified = await rig.run(['ledger', 'verify', '--account', 'studio']);
    expect(verified.code, verified.stdout + verified.stderr).toBe(0);
  });
});
