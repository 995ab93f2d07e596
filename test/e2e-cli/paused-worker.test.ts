import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasTemporal } from '../support/temporal.js';
import { claims, expectHonestEnd } from './support/evidence.js';
import { engineOf } from './support/killing.js';
import { csv, film, image, rowOf } from './support/manifest.js';
import { type Rig, startRig, until } from './support/rig.js';

const ROWS = Array.from({ length: 44 }, (_, i) => image(`p${String(i + 1).padStart(3, '0')}`));
/** A claim that is older may not be sent any more. */
const FRESH_MS = 15_000;
/** What passes between a request's first byte and the emulator's note of it. */
const ARRIVAL_MS = 1_000;

describe.skipIf(!hasTemporal())('a worker that sleeps longer than a claim stays fresh (F51)', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await startRig({ speed: 100, emulator: { renderSeconds: { 'svc/image': [40, 120] } } });
    await rig.write('paused.csv', csv(ROWS));
  });
  afterEach(() => rig?.stop());

  it('6-O8: sends nothing late, and every row ends, none paid twice (I1, I2)', async () => {
    const running = rig.start(['run', 'paused.csv', '--yes']);
    for (const jobsMin of [8, 30]) {
      await until(`${jobsMin} submits have left`, () => rig.emulator.truth().jobs.length >= jobsMin || undefined);
      const { worker } = await engineOf(rig);
      if (worker.pid === null) throw new Error('no worker runs');
      process.kill(worker.pid, 'SIGSTOP');
      await sleep(FRESH_MS + 5_000);
      process.kill(worker.pid, 'SIGCONT');
    }
    const ended = await running.ended;
    expect([0, 3], ended.stderr).toContain(ended.code);
    expectHonestEnd(
      rig,
      'paused',
      ROWS.map(({ id }) => id),
    );
    const { jobs, requests } = rig.emulator.truth();
    const made = claims(rig, 'paused');
    const rows = new Map(jobs.map((job) => [job.id, rowOf(job)]));
    for (const { method, jobId = '', arrivedMs } of requests) {
      const id = rows.get(jobId);
      if (method !== 'POST' || id === undefined) continue;
      const claimedMs = Math.max(
        ...made.filter((one) => one.id === id && one.atMs <= arrivedMs).map((one) => one.atMs),
      );
      expect(arrivedMs - claimedMs, `${id} was sent on a stale claim`).toBeLessThanOrEqual(FRESH_MS + ARRIVAL_MS);
    }
    const paid = requests.filter(({ method }) => method === 'POST');
    expect(paid.length, 'one claim is one POST').toBeLessThanOrEqual(made.length);
  });

  it('6-O6: a cancel that nobody answers does not say that nothing runs', async () => {
    await rig.write('films.csv', csv(ROWS.slice(0, 12).map(({ id }) => film(id))));
    rig.start(['run', 'films.csv', '--yes']);
    await until('films render', () => rig.emulator.truth().jobs.length >= 5 || undefined);
    const { worker } = await engineOf(rig);
    if (worker.pid === null) throw new Error('no worker runs');
    process.kill(worker.pid, 'SIGSTOP');
    try {
      const cancelled = await rig.run(['cancel', 'films']);
      expect(cancelled.stdout).toContain('the worker does not answer');
      expect(cancelled.stdout).not.toContain('nothing of it runs');
    } finally {
      process.kill(worker.pid, 'SIGCONT');
    }
  });
});
