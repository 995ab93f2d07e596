import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startBadNetwork } from '../support/bad-network.js';
import { type S3Server, startS3Server } from '../support/s3-server.js';
import { hasTemporal } from '../support/temporal.js';
import type { BadNetwork, Toxic } from '../support/toxics.js';
import { hasVersitygw } from '../support/versitygw.js';
import { expectHonestEnd, paidRequests } from './support/evidence.js';
import { SLOW_RENDERS, untilBusy } from './support/killing.js';
import { csv, mixed } from './support/manifest.js';
import { type Rig, startRig } from './support/rig.js';

const ROWS = mixed(16);
const IDS = ROWS.map(({ id }) => id);
const TOXICS: Toxic[] = ['latency', 'bandwidth', 'timeout', 'reset'];
const TOXIC_MS = 1_500;

describe.skipIf(!hasTemporal() || !hasVersitygw())('a bad network in the middle of a batch', () => {
  let server: S3Server;
  let rig: Rig;
  /** The rig as the bucket's folder and the worker's side of the network show it. */
  let inBucket: Rig;
  let toBucket: BadNetwork;
  let toService: BadNetwork;
  beforeEach(async () => {
    server = await startS3Server();
    rig = await startRig({ speed: 100, emulator: SLOW_RENDERS });
    await rig.write('shots.csv', csv(ROWS));
    inBucket = { ...rig, out: join(server.folder, 'out') };
    toBucket = await startBadNetwork(server.port);
    toService = await startBadNetwork(Number(new URL(rig.emulator.url).port));
  });
  afterEach(async () => {
    await rig?.stop();
    await Promise.all([toBucket?.stop(), toService?.stop()]);
    await server?.stop();
  });

  it.each([
    ['the bucket', 'F46'],
    ['the service', 'F1, F4, F5'],
  ])('to %s: slow, narrow, silent, then broken; nothing is lost and nothing paid twice (%s, G1, I7)', async (to) => {
    const env = {
      ...server.environment,
      CALLSHEET_S3_ENDPOINT: `http://127.0.0.1:${toBucket.port}`,
      CALLSHEET_BASE_URL: inBucket.emulator.url,
    };
    const run = ['run', 'shots.csv', '--yes', '--out', 's3://callsheet/out'];
    const network = to === 'the bucket' ? toBucket : toService;
    const running = rig.start(run, { env });
    await Promise.race([untilBusy(inBucket, 'shots', 1), running.ended.then(({ stderr }) => expect.fail(stderr))]);
    for (const toxic of TOXICS) {
      await network.become(toxic);
      await sleep(TOXIC_MS);
    }
    await network.become(undefined);
    const ended = await running.ended;
    expect([0, 3], ended.stderr).toContain(ended.code);
    const rows = expectHonestEnd(inBucket, 'shots', IDS);
    if (to === 'the bucket') expect(rows.map(({ status }) => status)).toEqual(IDS.map(() => 'done'));
    expect(rig.emulator.truth().violations).toEqual([]);
    const before = paidRequests(rig.emulator.truth());
    const again = await rig.run(run, { env });
    expect([0, 3], again.stderr).toContain(again.code);
    expect(paidRequests(rig.emulator.truth())).toBe(before);
  });
});
