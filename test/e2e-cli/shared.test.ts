import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasTemporal, startTemporal } from '../support/temporal.js';
import { type Cut, expectWhole, kill, SLOW_RENDERS, untilBusy } from './support/killing.js';
import { csv, film, mixed } from './support/manifest.js';
import { type Rig, type Running, startRig, until } from './support/rig.js';

const ROWS = mixed(22);
const RUN = ['run', 'team.csv', '--yes', '--shared-folder'];

describe.skipIf(!hasTemporal())('a shared Temporal (F47, F48)', () => {
  let temporal: TestWorkflowEnvironment;
  let rig: Rig;
  let env: Record<string, string>;
  beforeEach(async () => {
    temporal = await startTemporal();
    // The URL of a film lives for about an hour (service document 2, Limits): over a minute here, longer than a killed
    // worker's jobs wait for the next one.
    rig = await startRig({ speed: 50, emulator: SLOW_RENDERS });
    env = { TEMPORAL_ADDRESS: temporal.address };
    await rig.write('team.csv', csv(ROWS));
  });
  afterEach(async () => {
    await rig?.stop();
    await temporal?.teardown();
  });

  const startWorker = async (change: Record<string, string> = {}): Promise<Running> => {
    const worker = rig.start(['worker', '--shared-folder'], { env: { ...env, ...change } });
    await until('the worker serves', () => worker.stderr().includes('the worker serves') || undefined);
    return worker;
  };

  it('a pure client runs a batch while workers are killed and race: nothing is paid twice', async () => {
    const first = await startWorker();
    const second = await startWorker();
    const third = await startWorker();
    const running = rig.start(RUN, { env });
    const cuts: Cut[] = [];
    for (const [{ child }, finishedMin] of [
      [first, 3],
      [second, 10],
    ] as const) {
      await untilBusy(rig, 'team', finishedMin);
      cuts.push(kill(rig, 'team', [child.pid]));
    }
    const ended = await running.ended;
    expect([0, 3], ended.stderr).toContain(ended.code);
    expect(await rig.engine()).toBeUndefined();
    third.child.kill('SIGTERM');
    expect((await third.ended).code).toBe(0);
    await expectWhole(
      rig,
      'team',
      ROWS.map(({ id }) => id),
      cuts,
    );
  });

  it('6-O11: without a worker every command says so, and the batch begins once there is one', async () => {
    const running = rig.start(RUN, { env });
    const unserved = /no worker serves account '[^']+' on \S+: `callsheet worker[^`]*` on a machine/;
    await until('the run says it', () => unserved.test(running.stderr()) || undefined);
    for (const command of [['status', 'team'], ['doctor']]) {
      const { stdout, stderr } = await rig.start(command, { env }).ended;
      expect(stdout + stderr).toMatch(unserved);
    }
    expect(rig.emulator.truth().jobs).toEqual([]);
    const worker = await startWorker();
    expect([0, 3]).toContain((await running.ended).code);
    worker.child.kill('SIGTERM');
    await worker.ended;
  });

  it('frames of films: the workers say whether one has ffmpeg, whatever the client has (design 9)', async () => {
    await rig.write('frames.csv', csv([film('shot'), film('next', { image: '@shot:last' })]));
    const ask = async (...args: string[]) => {
      const { code, stdout, stderr } = await rig.run(args, { env });
      return { code, said: stdout + stderr };
    };
    const ended = async ({ child, ended }: Running) => {
      child.kill('SIGTERM');
      await ended;
    };
    const unknown = await ask('plan', 'frames.csv');
    expect(unknown).toEqual({ code: 0, said: expect.stringContaining('can take frames of films is not known') });
    const bare = await startWorker({ PATH: rig.folder });
    const refused = await ask('plan', 'frames.csv');
    expect(refused).toEqual({
      code: 2,
      said: expect.stringContaining('ffmpeg, which is not installed where rows run'),
    });
    expect((await ask('doctor')).said).toContain('no worker has it');
    expect((await ask('plan', 'frames.csv', '--no-network')).code).toBe(0);
    // That it can be started is what is looked for.
    await writeFile(join(rig.folder, 'ffmpeg'), '#!/bin/sh\n', { mode: 0o755 });
    const able = await startWorker({ PATH: `${rig.folder}:/bin:/usr/bin` });
    expect((await ask('plan', 'frames.csv')).code).toBe(0);
    expect((await ask('doctor')).said).toContain('a worker takes frames of films');
    await Promise.all([bare, able].map(ended));
  });

  it('F48: two command lines start the same manifest at once: one batch, each row paid once', async () => {
    const worker = await startWorker();
    const both = [rig.start(RUN, { env }), rig.start(RUN, { env })];
    for (const { code, stderr } of await Promise.all(both.map(({ ended }) => ended))) {
      expect([0, 3], stderr).toContain(code);
    }
    worker.child.kill('SIGTERM');
    await worker.ended;
    await expectWhole(
      rig,
      'team',
      ROWS.map(({ id }) => id),
      [],
    );
  });
});
