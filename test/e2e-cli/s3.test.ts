import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPlaces } from '../../src/store/open-store.js';
import { createBuckets } from '../../src/store/s3.js';
import { createS3Store } from '../../src/store/s3-store.js';
import { type S3Server, startS3Server } from '../support/s3-server.js';
import { hasTemporal } from '../support/temporal.js';
import { hasVersitygw } from '../support/versitygw.js';
import { expectHonestEnd, paidRequests } from './support/evidence.js';
import { engineOf, kill, SLOW_RENDERS, untilBusy } from './support/killing.js';
import { csv, mixed } from './support/manifest.js';
import { type Rig, startRig } from './support/rig.js';

const ROWS = mixed(18);
const IDS = ROWS.map(({ id }) => id);
const WAV = fileURLToPath(new URL('../store/fixtures/a.wav', import.meta.url));

describe.skipIf(!hasTemporal() || !hasVersitygw())('a batch into a bucket', () => {
  let server: S3Server;
  let rig: Rig;
  /** The rig as the bucket's folder shows it. */
  let inBucket: Rig;
  beforeEach(async () => {
    server = await startS3Server();
    rig = await startRig({ speed: 100, emulator: SLOW_RENDERS });
    await rig.write('shots.csv', csv(ROWS));
    inBucket = { ...rig, out: join(server.folder, 'out') };
  });
  afterEach(async () => {
    await rig?.stop();
    await server?.stop();
  });

  const run = ['run', 'shots.csv', '--yes', '--out', 's3://callsheet/out'];
  const withEnvironment = () => ({ env: server.environment });

  it('renders all of it while the server of the bucket dies and comes back (F46, G1, I7)', async () => {
    const running = rig.start(run, withEnvironment());
    await untilBusy(inBucket, 'shots', 4);
    await server.kill();
    await sleep(3_000);
    await server.restart();
    const ended = await running.ended;
    expect(ended.code, ended.stderr).toBe(0);
    const rows = expectHonestEnd(inBucket, 'shots', IDS);
    expect(rows.map(({ status }) => status)).toEqual(IDS.map(() => 'done'));
    expect(rig.emulator.truth().violations).toEqual([]);
    const before = paidRequests(rig.emulator.truth());
    // Somebody drops one output and puts another file over a second one.
    const images = rows.flatMap(({ file }) => (String(file).endsWith('.png') ? `shots/${String(file)}` : []));
    const [gone = '', changed = ''] = images;
    const others = createS3Store('s3://callsheet/out', {
      openBucket: createBuckets(server.access),
      storageClass: null,
    });
    await others.remove(gone);
    await others.put(changed, Buffer.from('retouched'));
    const again = await rig.run(run, withEnvironment());
    expect(again.code, again.stderr).toBe(0);
    expect(again.stderr).toContain(
      '2 finished rows have no longer the file that was stored in s3://callsheet/out/shots',
    );
    expect(again.stderr).toMatch(
      /media\/\S+\.png \((gone|changed)\), media\/\S+\.png \((gone|changed)\): fetched again/,
    );
    expectHonestEnd(inBucket, 'shots', IDS);
    expect(paidRequests(rig.emulator.truth())).toBe(before);
  });

  it('pays nothing twice with its home in the bucket too, when server and worker are killed (F46, F47, G1)', async () => {
    const home = ['--home', 's3://callsheet/state/home'];
    inBucket = { ...inBucket, data: join(server.folder, 'state') };
    const first = rig.start([...run, ...home], withEnvironment());
    await untilBusy(inBucket, 'shots', 4);
    const { worker } = await engineOf(rig);
    await server.kill();
    kill(inBucket, 'shots', [worker.pid]);
    await sleep(2_000);
    await server.restart();
    await first.ended;
    const second = await rig.run([...run, ...home], withEnvironment());
    expect([0, 3], second.stderr).toContain(second.code);
    const rows = expectHonestEnd(inBucket, 'shots', IDS);
    expect(rows.filter(({ status }) => status === 'done').length).toBeGreaterThan(IDS.length / 2);
    // An end whose record the dead bucket did not take is asked for once more; nothing else is out of order.
    const { violations } = rig.emulator.truth();
    expect(violations.filter(({ kind }) => kind !== 'poll_after_terminal')).toEqual([]);
  });

  it('submits nothing when the bucket is not there, and says it (B54)', async () => {
    const ended = await rig.run(['run', 'shots.csv', '--yes', '--out', 's3://nowhere-at-all/p'], withEnvironment());
    expect(ended.code).toBe(4);
    expect(ended.stderr).toContain('cannot write to s3://nowhere-at-all/p (NoSuchBucket)');
    expect(ended.stderr).toContain('nothing was submitted');
    expect(paidRequests(rig.emulator.truth())).toBe(0);
  });

  it('lets the service read files of this machine and objects of a bucket, each uploaded once', async () => {
    await copyFile(WAV, join(rig.folder, 'speech.wav'));
    const { openStore } = createPlaces(server.access);
    await openStore('s3://callsheet/library', 'shared').put('speech.wav', await readFile(WAV));
    const lines = ['a,speech.wav', 'b,speech.wav', 'c,speech.wav', 'd,s3://callsheet/library/speech.wav'];
    const rows = lines.map((line) => `${line.split(',')[0]},vendor-b/avatar,anna,${line.split(',')[1]}`);
    await rig.write('spoken.csv', `id,kind,avatar_id,audio\n${rows.join('\n')}\n`);
    const spoken = ['run', 'spoken.csv', '--yes', '--out', 's3://callsheet/out'];
    const stranger = await rig.run(spoken, withEnvironment());
    expect(stranger.stderr).toContain("s3://callsheet/library/speech.wav' is below no --out of this account");
    const ended = await rig.run([...spoken, '--input-root', 's3://callsheet/library'], withEnvironment());
    expect(ended.code, ended.stderr).toBe(0);
    const { jobs } = rig.emulator.truth();
    expect(jobs).toHaveLength(4);
    expect(readdirSync(join(server.folder, 'out', 'spoken', 'inputs'))).toHaveLength(1);
    const refused = await rig.run(['plan', 'spoken.csv', '--name', 'here', '--out', rig.out]);
    expect(refused.stderr).toContain('there is no S3 store to upload to');
  });

  it('doctor says where what is signed would end too early', async () => {
    const look = async (livesMs: number) => {
      const AWS_CREDENTIAL_EXPIRATION = new Date(Date.now() + livesMs).toISOString();
      const env = { ...server.environment, AWS_CREDENTIAL_EXPIRATION };
      return (await rig.run(['doctor', '--out', 's3://callsheet/out'], { env })).stdout;
    };
    expect(await look(600_000)).toMatch(
      /out can be written; signed URLs of inputs are needed for .* end in (9|10) min/,
    );
    expect(await look(86_400_000)).toContain('s3://callsheet/out can be written, and refuses a second writer');
  });

  it('clean takes what killed processes left in the bucket and on this machine, and no media (retention)', async () => {
    await copyFile(WAV, join(rig.folder, 'speech.wav'));
    await rig.write('spoken.csv', 'id,kind,avatar_id,audio\na,vendor-b/avatar,anna,speech.wav\n');
    const env = { ...server.environment, TMPDIR: await mkdtemp(join(rig.folder, 'tmp-')) };
    const ended = await rig.run(['run', 'spoken.csv', '--yes', '--out', 's3://callsheet/out'], { env });
    expect(ended.code, ended.stderr).toBe(0);
    const bucket = createBuckets(server.access)('callsheet');
    const facts = { contentType: 'video/mp4', metadata: {}, ifAbsent: true, storageClass: null };
    await bucket.beginUpload('out/spoken/media/b.mp4', facts);
    const { pid } = spawnSync(process.execPath, ['--version']);
    const sent = join(env.TMPDIR, `callsheet-upload-${pid}-${'0'.repeat(24)}`);
    await writeFile(sent, 'half of a film');
    const media = await bucket.page('out/spoken/media/', undefined, undefined);
    const looked = await rig.run(['clean', '--dry-run'], { env });
    expect(looked.code, looked.stderr).toBe(0);
    expect(looked.stdout.trim().split('\n')).toEqual([
      `${sent} (14 bytes)`,
      's3://callsheet/out/spoken/media/b.mp4 (upload that broke off) (0 bytes)',
      expect.stringMatching(/^s3:\/\/callsheet\/out\/spoken\/inputs\/\w+\.wav \(\d+ bytes\)$/),
    ]);
    expect(looked.stderr).toContain('3 leftovers would go');
    const elsewhere = { ...env, CALLSHEET_S3_ENDPOINT: 'http://127.0.0.1:1' };
    const refused = await rig.run(['clean', '--dry-run'], { env: elsewhere });
    expect([refused.code, refused.stderr]).toEqual([
      4,
      'error: cannot read s3://callsheet/out/spoken: nothing answers at the endpoint (ECONNREFUSED)\n',
    ]);
    const cleaned = await rig.run(['clean', 'spoken'], { env });
    expect(cleaned.stdout).toBe(looked.stdout);
    expect(cleaned.stderr).toContain('3 leftovers removed');
    expect(await bucket.page('out/spoken/media/', undefined, undefined)).toEqual(media);
    expect(media.objects).toHaveLength(1);
    const again = await rig.run(['clean'], { env });
    expect([again.stdout, again.code]).toEqual(['', 0]);
  });
});
