// Everything was killed; the unit of the machine says `resume --all`, with an address and a key and nothing else.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { hasTemporal } from '../support/temporal.js';
import { startWebhook, type Webhook } from '../support/webhook.js';
import { expectHonestEnd } from './support/evidence.js';
import { killTogether, SLOW_RENDERS } from './support/killing.js';
import { csv, film } from './support/manifest.js';
import { type Rig, startRig, until } from './support/rig.js';

describe.skipIf(!hasTemporal())('resume --all after a reboot', () => {
  let rig: Rig;
  let hook: Webhook;
  afterEach(async () => {
    await rig?.stop();
    await hook?.close();
  });

  it('goes on with what was run on an exclusive account: a lost answer is settled without a person, and the end is told', async () => {
    rig = await startRig({ speed: 100, emulator: SLOW_RENDERS });
    rig.emulator.setFaults([
      { match: { route: 'vendor-f.submit', nth: 1 }, action: { do: 'reset-before-answer', created: false } },
    ]);
    const ids = Array.from({ length: 4 }, (_, at) => `film${at}`);
    await rig.write('films.csv', csv(ids.map((id) => film(id))));
    hook = await startWebhook();
    const running = rig.start(['run', 'films.csv', '--yes', '--notify', hook.url]);
    await until('an answer was lost and others render', () => rig.emulator.truth().jobs.length >= 2 || undefined);
    await killTogether(rig, 'films', running);
    rmSync(join(rig.folder, 'callsheet.config.json'));

    const resumed = await rig.run(['resume', '--all']);
    expect(resumed.code, resumed.stderr).toBe(0);
    const watched = await rig.run(['watch', 'films']);
    expect(watched.code, watched.stderr).toBe(0);
    const rows = expectHonestEnd(rig, 'films', ids);
    expect(rows.map(({ status }) => status)).toEqual(ids.map(() => 'done'));
    expect(rig.emulator.truth().jobs).toHaveLength(ids.length);
    const isDone = () => hook.arrived.some(({ body }) => JSON.parse(body).type === 'done');
    await until('the webhook of the run is told of the end', () => isDone() || undefined);
  });
});
