// `callsheet callbacks` as a process of its own beside a worker: hints from outside, true and false ones.
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FaultAction } from '../../emulator/emulator.js';
import { freePlace } from '../support/callback-receiver.js';
import { hasTemporal, startTemporal } from '../support/temporal.js';
import { resultsText } from './support/evidence.js';
import { type Cells, csv } from './support/manifest.js';
import { type Rig, startRig, until } from './support/rig.js';

const HINTS: FaultAction[][] = [
  [{ do: 'reset-before-answer', created: true }],
  [{ do: 'callbacks', forge: 'token' }],
  [{ do: 'callbacks', forge: 'handle' }],
  [{ do: 'callbacks', forge: 'size' }],
  [{ do: 'callbacks', forge: 'replay', times: 5 }],
  [{ do: 'callbacks', serviceSeconds: 90 }],
];

const scene = (id: string): Cells => ({
  id,
  kind: 'vendor-a/text2video',
  prompt: `a scene for row ${id}.`,
  duration: '3',
});

describe.skipIf(!hasTemporal())('`callsheet callbacks` (F4, F53)', () => {
  let temporal: TestWorkflowEnvironment;
  let rig: Rig;
  beforeEach(async () => {
    temporal = await startTemporal();
    rig = await startRig({ speed: 50, emulator: { renderSeconds: { 'vendor-a': [60, 60] } } });
  });
  afterEach(async () => {
    await rig?.stop();
    await temporal?.teardown();
  });

  it('recovers a lost handle that a poll confirms; forged, late, repeated and oversized ones change nothing', async () => {
    const listen = await freePlace();
    const env = {
      TEMPORAL_ADDRESS: temporal.address,
      CALLSHEET_CALLBACKS_URL: `http://${listen}/hooks`,
      CALLSHEET_CALLBACKS_LISTEN: listen,
    };
    const ids = HINTS.map((_, at) => `cb${at}`);
    rig.emulator.setFaults(HINTS.map((action, at) => ({ match: { route: 'vendor-a.submit', nth: at + 1 }, action })));
    await rig.write('hints.csv', csv(ids.map(scene)));
    const receiver = rig.start(['callbacks', '--shared-folder'], { env: { ...env, CALLSHEET_API_KEY: undefined } });
    await until('the receiver listens', () => receiver.stderr().includes('callbacks are received') || undefined);
    const worker = rig.start(['worker', '--shared-folder'], { env });
    await until('the worker serves', () => worker.stderr().includes('the worker serves') || undefined);

    const ended = await rig.run(['run', 'hints.csv', '--yes', '--shared-folder'], { env });
    expect(ended.code, ended.stderr).toBe(0);
    const { jobs, violations } = rig.emulator.truth();
    expect(violations).toEqual([]);
    expect(jobs).toHaveLength(ids.length);
    const rows = resultsText(rig, 'hints')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { warnings: string });
    expect(rows.filter(({ warnings }) => JSON.stringify(warnings).includes('callback'))).toHaveLength(1);
    await until('the late one came', () => jobs.every(({ callbacks }) => callbacks !== undefined) || undefined);
    const answers = new Set(jobs.flatMap(({ callbacks }) => callbacks ?? []).map(({ status }) => status));
    for (const status of [204, 404, 413]) expect(answers).toContain(status);

    for (const process of [receiver, worker]) {
      process.child.kill('SIGTERM');
      expect((await process.ended).code).toBe(0);
    }
  });
});
