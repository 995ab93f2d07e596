import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasTemporal } from '../support/temporal.js';
import { until } from '../support/until.js';
import { startWebhook, type Webhook } from '../support/webhook.js';
import { csv, film, image } from './support/manifest.js';
import { type Rig, startRig } from './support/rig.js';

describe.skipIf(!hasTemporal())('run --notify', () => {
  let rig: Rig;
  let hook: Webhook;
  beforeAll(async () => {
    hook = await startWebhook(503);
    rig = await startRig({ speed: 200 });
    await rig.write('shots.csv', csv([image('one'), image('two')]));
  });
  afterAll(async () => {
    await rig?.stop();
    await hook?.close();
  });

  it('a sample and its end are told in order; status names what waits for a webhook that is away', async () => {
    const sampled = await rig.run(['run', 'shots.csv', '--sample', '1', '--yes', '--notify', hook.url]);
    expect(sampled.code, sampled.stderr).toBe(3);
    await until(() => hook.arrived.length > 0);
    expect((await rig.run(['status', 'shots'])).stdout).toContain(
      `notice    'sampled' of ${JSON.parse(hook.arrived[0]?.body ?? '').at} waits for ${new URL(hook.url).origin}`,
    );
    hook.answer = 204;
    const approved = await rig.run(['approve', 'shots', '--max-credits', '5']);
    expect(approved.code, approved.stderr).toBe(0);
    const types = () => [...new Set(hook.arrived.map(({ body }) => JSON.parse(body).type))];
    await until(() => types().includes('done'));
    // The quote of the sample is the budget of the whole, which equal rows use up.
    expect(types()).toEqual(['sampled', 'budget', 'done']);

    // Whom one command names hears of its batch alone.
    for (const name of ['others', 'last']) await rig.write(`${name}.csv`, csv([image(name)]));
    expect((await rig.run(['run', 'others.csv', '--yes'])).code).toBe(0);
    expect((await rig.run(['run', 'last.csv', '--yes', '--notify', hook.url])).code).toBe(0);
    const batches = () => new Set(hook.arrived.map(({ body }) => JSON.parse(body).batch));
    await until(() => batches().has('last'));
    expect([...batches()]).toEqual(['shots', 'last']);
  });

  it('whom a command named hears of the end also from the engine that `approve` starts, signed as before', async () => {
    hook.answer = 204;
    await rig.write('later.csv', csv([image('later-1'), image('later-2')]));
    const args = ['run', 'later.csv', '--sample', '1', '--yes', '--notify', hook.url];
    const sampled = await rig.run(args, { env: { CALLSHEET_NOTIFY_SECRET: 'word' } });
    expect(sampled.code, sampled.stderr).toBe(3);
    const later = () => hook.arrived.filter(({ body }) => JSON.parse(body).batch === 'later');
    await until(() => later().length > 0);
    expect((await rig.run(['engine', 'stop'])).code).toBe(0);
    const approved = await rig.run(['approve', 'later', '--max-credits', '5']);
    expect(approved.code, approved.stderr).toBe(0);
    const end = () => later().find(({ body }) => JSON.parse(body).type === 'done');
    await until(() => end() !== undefined);
    const { body = '', headers = {} } = end() ?? {};
    const signature = createHmac('sha256', 'word').update(`${headers['x-callsheet-timestamp']}.${body}`).digest('hex');
    expect(headers['x-callsheet-signature']).toBe(`sha256=${signature}`);
  });

  it('whom `resume` names hears of the end, though the engine serves the account already', async () => {
    const other = await startWebhook();
    const match = { route: 'vendor-f.submit' };
    rig.emulator.setFaults([{ match, action: { do: 'end-job', as: 'failed', message: 'refused' } }]);
    const films = Array.from({ length: 6 }, (_, at) => film(`film-${at}`));
    await rig.write('films.csv', csv(films));
    const stopped = await rig.run(['run', 'films.csv', '--yes', '--concurrency', '1', '--max-failures', '1']);
    expect(stopped.code, stopped.stderr).toBe(1);
    rig.emulator.setFaults([]);
    const resumed = await rig.run(['resume', 'films', '--max-failures', '6', '--notify', other.url]);
    expect(resumed.code, resumed.stderr).toBe(0);
    const types = () => other.arrived.map(({ body }) => JSON.parse(body).type);
    await until(() => types().includes('done'));
    await other.close();
  });
});
