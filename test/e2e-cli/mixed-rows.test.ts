import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type S3Server, startS3Server } from '../support/s3-server.js';
import { hasTemporal } from '../support/temporal.js';
import { hasVersitygw } from '../support/versitygw.js';
import { expectHonestEnd, jobsByRow, paidRequests, results, resultsText } from './support/evidence.js';
import { csv, mixed } from './support/manifest.js';
import { type Ended, type Rig, startRig } from './support/rig.js';

/** Below what the emulator's speed makes of the plan, so that so many rows come near it. */
const RPM = 1_500;

describe.skipIf(!hasTemporal()).each([
  { count: 320, into: 'a folder', speed: 60, canRun: true },
  { count: 140, into: 'a bucket', speed: 120, canRun: hasVersitygw() },
])('$count mixed rows on the plan Pro into $into', ({ count, into, speed, canRun }) => {
  const rows = mixed(count);
  const ids = rows.map(({ id }) => id);
  let rig: Rig;
  let server: S3Server | undefined;
  let run: () => Promise<Ended>;
  beforeAll(async () => {
    if (!canRun) return;
    const started = await startRig({ speed, emulator: { plan: 'pro' } });
    started.emulator.setLimits({ rpm: RPM });
    await started.write('mixed.csv', csv(rows));
    server = into === 'a bucket' ? await startS3Server() : undefined;
    const out = server === undefined ? [] : ['--out', 's3://callsheet/out'];
    const env = server?.environment ?? {};
    run = () => started.run(['run', 'mixed.csv', '--yes', ...out], { env });
    // The bucket as the folder behind it shows it.
    rig = server === undefined ? started : { ...started, out: join(server.folder, 'out') };
  });
  afterAll(async () => {
    await rig?.stop();
    await server?.stop();
  });
  beforeEach(({ skip }) => skip(!canRun));

  it('renders every row within the caps of the plan (I4, I12)', async () => {
    const ended = await run();
    expect(ended.code, ended.stderr).toBe(0);
    const { account, violations } = rig.emulator.truth();
    expect(violations).toEqual([]);
    expect(account.caps).toEqual({ concurrent: 10, rpm: RPM });
    expect(account.maxima.jobsAtOnce).toBeLessThanOrEqual(10);
    expect(account.maxima.requestsIn60s).toBeLessThanOrEqual(RPM);
  });

  it('has one result per row in input order, and each file is what the service served (I6, I7)', () => {
    const ended = expectHonestEnd(rig, 'mixed', ids);
    expect(ended.filter(({ status }) => status === 'done')).toHaveLength(count);
    const [header, ...lines] = readFileSync(join(rig.out, 'mixed', 'results.csv'), 'utf8')
      .trim()
      .split(/\r?\n/);
    expect(header?.startsWith('id,kind,model,group,status,')).toBe(true);
    expect(lines.map((line) => line.slice(0, line.indexOf(',')))).toEqual(ids);
    expect(jobsByRow(rig.emulator.truth()).size).toBe(count);
    expect(rig.emulator.truth().jobs).toHaveLength(count);
  });

  it('reports the credits that left the balance, to the digit (I11)', () => {
    const { balance } = rig.emulator.truth().account;
    const text = resultsText(rig, 'mixed');
    const nano = [...text.matchAll(/"credits":([0-9.]+)[,}]/g)].map(([, credits = '']) => nanoOf(credits));
    expect(nano).toHaveLength(count);
    expect(nano.reduce((sum, one) => sum + one, 0)).toBe(balance.startNano - balance.nowNano);
  });

  it('sends nothing paid when it is run again (I9)', async () => {
    const before = { paid: paidRequests(rig.emulator.truth()), text: resultsText(rig, 'mixed') };
    const ended = await run();
    expect(ended.code, ended.stderr).toBe(0);
    expect(paidRequests(rig.emulator.truth())).toBe(before.paid);
    expect(resultsText(rig, 'mixed')).toBe(before.text);
    expect(results(rig, 'mixed')).toHaveLength(count);
  });
});

/** `0.000064` → 64000: the digits as they stand, without a float between. */
function nanoOf(credits: string): number {
  const [whole = '0', fraction = ''] = credits.split('.');
  return Number(whole) * 1e9 + Number(fraction.padEnd(9, '0'));
}
