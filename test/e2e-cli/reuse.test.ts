// What was rendered before is taken over under a new name, by an order alone, and never where it is not what was stored.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { EmulatorOptions } from '../../emulator/emulator.js';
import { createPlaces } from '../../src/store/open-store.js';
import { startS3Proxy } from '../support/s3-proxy.js';
import { startS3Server } from '../support/s3-server.js';
import { hasTemporal } from '../support/temporal.js';
import { hasVersitygw } from '../support/versitygw.js';
import { jsonLines, results, resultsText } from './support/evidence.js';
import { csv, film, image } from './support/manifest.js';
import { type Rig, startRig, until } from './support/rig.js';

const HTTPS = 'https://example.com/input.png';
/** No render costs as little: a budget of 0 is refused wherever it is given (B52). */
const LEAST = '0.000000001';
const STILLS = Array.from({ length: 24 }, (_, i) => image(`s${i + 1}`));
const TWO_CHANGED = STILLS.map((row, i) => (i < 2 ? { ...row, prompt: `another picture ${i}` } : row));

describe.skipIf(!hasTemporal())('renders that exist already', () => {
  let rig: Rig;
  afterEach(() => rig?.stop());

  const start = async (emulator: EmulatorOptions = {}) => {
    rig = await startRig({ speed: 100, emulator });
  };
  const jobs = () => rig.emulator.truth().jobs.length;
  const ok = async (args: string[]) => {
    const ended = await rig.run(args);
    expect(ended.code, `${args.join(' ')}: ${ended.stderr}`).toBe(0);
    return ended;
  };
  const planOf = async (...args: string[]) => JSON.parse((await ok(['plan', ...args, '--json'])).stdout);
  const mediaOf = (batch: string, file: string | null) => join(rig.out, batch, String(file));

  it('a plan says what exists, `--reuse` takes it over, and only what changed is rendered', async () => {
    await start();
    await rig.write('shots.csv', csv(STILLS));
    await ok(['run', 'shots.csv', '--yes']);
    await rig.write('again.csv', csv(TWO_CHANGED));
    expect(await planOf('again.csv')).toMatchObject({
      rows: { total: 24, toSubmit: 24, reused: 0 },
      earlier: { order: 'none', rows: 22, batches: [{ batch: 'shots', manifest: 'shots.csv', rows: 22 }] },
    });
    expect((await ok(['plan', 'again.csv'])).stdout).toMatch(
      /22 of these rows were rendered before, in batch 'shots' \(shots\.csv, \d+ \w+\), for [\d.]+ credits: --reuse takes them over/,
    );
    expect(await planOf('again.csv', '--reuse')).toMatchObject({ rows: { toSubmit: 2, reused: 22 } });

    // One file is damaged and one deleted meanwhile: both are rendered again, and the command says so.
    const [, , third, fourth] = results(rig, 'shots');
    writeFileSync(mediaOf('shots', third?.file ?? null), 'damaged');
    rmSync(mediaOf('shots', fourth?.file ?? null));
    const before = jobs();
    const ended = await ok(['run', 'again.csv', '--yes', '--reuse', '--sidecar']);
    expect(jobs() - before).toBe(4);
    expect(ended.stderr).toContain('2 earlier renders are not what was stored any more, rendered again');
    const lines = results(rig, 'again') as unknown as { id: string; reused_from: string | null; credits: number }[];
    const reused = lines.filter(({ reused_from }) => reused_from !== null);
    expect(reused).toHaveLength(STILLS.length - 4);
    expect(reused.every(({ id, reused_from, credits }) => reused_from === `shots/${id}` && credits === 0)).toBe(true);
    for (const { file } of results(rig, 'again').slice(4)) {
      expect(readFileSync(mediaOf('again', file))).toEqual(readFileSync(mediaOf('shots', file)));
    }
    const sidecar = JSON.parse(
      readFileSync(`${mediaOf('again', results(rig, 'again')[9]?.file ?? null)}.json`, 'utf8'),
    );
    expect(sidecar).toMatchObject({ reused_from: 'shots/s10' });

    // The same command again has nothing to do, without the order too; a change of one copy changes no other.
    await ok(['run', 'again.csv', '--yes']);
    expect(jobs() - before).toBe(4);
    writeFileSync(mediaOf('again', results(rig, 'again')[9]?.file ?? null), 'another');
    expect(readFileSync(mediaOf('shots', results(rig, 'shots')[9]?.file ?? null), 'utf8')).not.toBe('another');
  });

  it('four takes of one prompt come back as four takes; a fifth is rendered', async () => {
    await start();
    const takes = (count: number, prefix: string) =>
      Array.from({ length: count }, (_, i) => image(`${prefix}${i + 1}`, { prompt: 'the same' }));
    await rig.write('takes.csv', csv(takes(4, 't')));
    await ok(['run', 'takes.csv', '--yes']);
    await rig.write('more.csv', csv(takes(5, 'm')));
    const before = jobs();
    await ok(['run', 'more.csv', '--yes', '--reuse']);
    expect(jobs() - before).toBe(1);
    const from = /"reused_from":"takes\/t(\d)"/g;
    expect([...resultsText(rig, 'more').matchAll(from)].map(([, n]) => n)).toEqual(['1', '2', '3', '4']);
  });

  it('each render of a row that was rendered again comes back once, for what it cost', async () => {
    await start();
    const same = { prompt: 'the same' };
    await rig.write('v.csv', csv([image('v1', same)]));
    await ok(['run', 'v.csv', '--yes']);
    const cost = Number((results(rig, 'v')[0] as { credits?: unknown } | undefined)?.credits);
    await ok(['rerun', 'v', 'v1', '--yes']);
    await ok(['watch', 'v']);
    await rig.write('w.csv', csv(['w1', 'w2', 'w3'].map((id) => image(id, same))));
    const plan = await planOf('w.csv', '--reuse');
    expect(plan).toMatchObject({ rows: { toSubmit: 1, reused: 2 }, earlier: { rows: 2, lostRows: 0 } });
    expect(Number(plan.earlier.credits)).toBeCloseTo(2 * cost, 9);
    const before = jobs();
    await ok(['run', 'w.csv', '--yes', '--reuse']);
    expect(jobs() - before).toBe(1);
    const [first, second] = results(rig, 'w').map(({ file }) => readFileSync(mediaOf('w', file)));
    expect(first).toEqual(readFileSync(mediaOf('v', 'media/v1.v2.png')));
    expect(second).toEqual(readFileSync(mediaOf('v', 'media/v1.png')));
    // What was taken over is given to no other row, and what was deleted to nobody.
    rmSync(mediaOf('v', 'media/v1.png'));
    expect(await planOf('w.csv', '--reuse')).toMatchObject({ rows: { finished: 3 } });
    await rig.write('x.csv', csv(['x1', 'x2', 'x3', 'x4'].map((id) => image(id, same))));
    // v1.v2.png, and the render of the row that found none.
    expect(await planOf('x.csv', '--reuse')).toMatchObject({ earlier: { rows: 2, lostRows: 1 } });
  });

  it('a chain is taken over from its first row on, and what it feeds anew is fed by the copy', async () => {
    await start();
    const chain = [film('clip', { image: '@hero' }), image('hero')];
    await rig.write('one.csv', csv(chain));
    await ok(['run', 'one.csv', '--yes', '--sidecar']);
    await rig.write('two.csv', csv([...chain, film('next', { image: '@hero', prompt: 'another film' })]));
    const before = jobs();
    await ok(['run', 'two.csv', '--yes', '--reuse', '--sidecar']);
    expect(jobs() - before).toBe(1);
    expect(results(rig, 'two').map(({ status }) => status)).toEqual(['done', 'done', 'done']);
    // What it was made with is said as of a row that was rendered.
    const sidecar = (batch: string) => JSON.parse(readFileSync(mediaOf(batch, 'media/clip.mp4.json'), 'utf8'));
    const { inputs, request } = sidecar('one');
    const { sha256 } = results(rig, 'one')[1] as unknown as { sha256: string };
    expect(inputs).toEqual([{ row: 'hero', file: 'media/hero.png', sha256 }]);
    expect(sidecar('two')).toMatchObject({ inputs, request, reused_from: 'one/clip' });
  });

  it('a row that was given another id in the same manifest takes over what it had rendered', async () => {
    await start();
    const waves = { prompt: 'waves' };
    await rig.write('shots.csv', csv([image('a', waves), image('c', waves)]));
    await ok(['run', 'shots.csv', '--yes']);
    await rig.write('shots.csv', csv([image('b', waves), image('c', waves), image('d', waves)]));
    const before = jobs();
    await ok(['run', 'shots.csv', '--yes', '--reuse']);
    expect(jobs() - before).toBe(1);
    const lines = results(rig, 'shots') as unknown as { id: string; status: string; reused_from: string | null }[];
    expect(lines.map(({ id, status, reused_from }) => [id, status, reused_from])).toEqual([
      ['b', 'done', 'shots/a'],
      ['c', 'done', null],
      ['d', 'done', null],
      ['a', 'done', null],
    ]);
    // What was taken over is given to no other row.
    expect(await planOf('shots.csv')).toMatchObject({ rows: { finished: 3 }, earlier: { rows: 0 } });
  });

  it('ids that are crossed: each row gets its own request, with no credit to spend, and every line is told once', async () => {
    await start();
    const [hero, other] = [{ prompt: 'a hero' }, { prompt: 'a villain' }];
    const clip = { prompt: 'she turns' };
    await rig.write('one.csv', csv([image('a', hero), image('b', other), film('c', { ...clip, image: '@a' })]));
    await ok(['run', 'one.csv', '--yes']);
    await rig.write('two.csv', csv([image('b', hero), image('c', other), film('a', { ...clip, image: '@b' })]));
    const before = jobs();
    const nothing = await rig.run(['run', 'two.csv', '--reuse', '--max-credits', '0']);
    expect([nothing.code, nothing.stderr]).toEqual([
      2,
      expect.stringContaining('B52 --max-credits must be a positive'),
    ]);
    const ended = await ok(['run', 'two.csv', '--reuse', '--max-credits', LEAST, '--json']);
    expect(jobs()).toBe(before);
    const from = { b: 'one/a', c: 'one/b', a: 'one/c' };
    const lines = results(rig, 'two') as unknown as { id: keyof typeof from; file: string; reused_from: string }[];
    expect(lines.map(({ id, reused_from }) => [id, reused_from])).toEqual(Object.entries(from));
    for (const { id, file } of lines) {
      const first = results(rig, 'one').find((line) => `one/${line.id}` === from[id]);
      expect(readFileSync(mediaOf('two', file))).toEqual(readFileSync(mediaOf('one', first?.file ?? null)));
    }
    const events = jsonLines<Record<string, unknown> & { type: string }>(ended.stdout);
    expect(events.map(({ type }) => type)).toEqual([
      'batch_started',
      ...Array(3).fill('row_finished'),
      'batch_finished',
    ]);
    expect(events[0]).toMatchObject({ toRun: 0, reused: 3 });
    for (const [i, { id, file }] of lines.entries()) {
      expect(events[i + 1]).toMatchObject({ id, status: 'done', credits: '0', file, reused_from: from[id] });
    }
    expect(events.at(-1)).toMatchObject({ counts: { done: 3 }, credits: '0', exitCode: 0 });
    // A row that was taken over is finished: the same command again tells no row.
    const again = await ok(['run', 'two.csv', '--reuse', '--max-credits', LEAST, '--json']);
    expect(jsonLines<{ type: string }>(again.stdout).map(({ type }) => type)).toEqual([
      'batch_started',
      'batch_finished',
    ]);
    expect(jobs()).toBe(before);
  });

  it('rows that share one render take over one, and what is rendered beside them is told as well', async () => {
    await start();
    const seeded = ['id,kind,model,prompt,width,height,seed'];
    const still = (id: string, prompt: string) => `${id},svc/image,svc-alpha.2-klein-4b,${prompt},64,64,7`;
    await rig.write('one.csv', [...seeded, still('x1', 'a'), still('x2', 'a'), still('y', 'b'), ''].join('\n'));
    await ok(['run', 'one.csv', '--yes']);
    expect(jobs()).toBe(2);
    const same = ['m1', 'x2', 'm3'].map((id) => still(id, 'a'));
    await rig.write('two.csv', [...seeded, ...same, ''].join('\n'));
    await ok(['run', 'two.csv', '--reuse', '--max-credits', LEAST]);
    expect(jobs()).toBe(2);
    const [first, ...others] = results(rig, 'two') as unknown as {
      sha256: string;
      status: string;
      reused_from: string;
    }[];
    expect(first).toMatchObject({ status: 'done', reused_from: 'one/x1' });
    for (const { sha256, status } of others) expect([sha256, status]).toEqual([first?.sha256, 'done']);

    await rig.write('three.csv', [...seeded, ...same, still('n', 'c'), ''].join('\n'));
    const ended = await ok(['run', 'three.csv', '--yes', '--reuse', '--json']);
    expect(jobs()).toBe(3);
    const told = jsonLines<{ type: string; id: string }>(ended.stdout).filter(({ type }) => type === 'row_finished');
    expect(told.map(({ id }) => id).toSorted()).toEqual(['m1', 'm3', 'n', 'x2']);
  });

  it('copies that are lost are copied again, by the same command and for nothing', async () => {
    await start();
    const stills = (...ids: string[]) =>
      ['id,kind,model,prompt,width,height,seed']
        .concat(ids.map((id) => `${id},svc/image,svc-alpha.2-klein-4b,a,64,64,7`))
        .join('\n');
    await rig.write('one.csv', stills('x1', 'x2'));
    await ok(['run', 'one.csv', '--yes']);
    await rig.write('two.csv', stills('m1', 'm2'));
    await ok(['run', 'two.csv', '--yes', '--reuse', '--sidecar']);
    const before = [resultsText(rig, 'one'), resultsText(rig, 'two')];
    const files = ['m1.png', 'm1.png.json', 'm2.png', 'm2.png.json'].map((name) => mediaOf('two', `media/${name}`));
    const bytes = files.map((file) => readFileSync(file));
    for (const file of files) rmSync(file);
    const told = 'media/m1.png (gone), media/m2.png (gone): copied again from the source, at no cost';
    expect((await ok(['plan', 'two.csv'])).stderr).toContain(told);
    expect(existsSync(files[0] ?? '')).toBe(false);
    const again = await ok(['run', 'two.csv', '--sidecar']);
    expect(again.stderr).toContain(told);
    expect(again.stderr).not.toContain('rerun');
    expect(files.map((file) => readFileSync(file))).toEqual(bytes);

    // The render itself is fetched first, and then what shares it is copied.
    rmSync(mediaOf('one', 'media'), { recursive: true });
    const fetched = await ok(['run', 'one.csv']);
    expect(fetched.stderr).toContain('media/x1.png (gone): fetched again');
    expect(fetched.stderr).toContain('media/x2.png (gone): copied again at no cost once the source is fetched');
    expect(readFileSync(mediaOf('one', 'media/x2.png'))).toEqual(readFileSync(mediaOf('one', 'media/x1.png')));
    expect((await ok(['run', 'one.csv'])).stderr).toContain('nothing to do');
    expect(jobs()).toBe(1);
    expect(resultsText(rig, 'two')).toBe(before[1]);

    // With the source gone as well, paying again is all that is left.
    rmSync(mediaOf('two', 'media/m1.png'));
    writeFileSync(mediaOf('one', 'media/x1.png'), 'retouched');
    const lost = await rig.run(['run', 'two.csv']);
    expect([lost.code, lost.stderr]).toEqual([3, expect.stringContaining('`callsheet rerun two m1` renders it again')]);
    expect(jobs()).toBe(1);
  });

  it('inputs behind URLs need an order of their own; what is under way elsewhere is rendered here too, and said', async () => {
    await start({ renderSeconds: { 'vendor-a': [2_000, 2_000] } });
    const byUrl = { ...{ id: 'b', kind: 'vendor-a/image2video', prompt: 'by its URL', duration: '5' }, image: HTTPS };
    await rig.write('urls.csv', csv([image('a'), byUrl]));
    const running = rig.start(['run', 'urls.csv', '--yes', '--no-network']);
    await until('the film renders', () => (jobs() === 2 ? true : undefined));
    await rig.write('copy.csv', csv([byUrl]));
    const plan = await planOf('copy.csv', '--reuse=urls', '--no-network');
    expect(plan.earlier).toMatchObject({ rows: 0, underWayElsewhere: 1 });
    await running.ended;
    expect(await planOf('copy.csv', '--reuse', '--no-network')).toMatchObject({
      rows: { toSubmit: 1 },
      earlier: { urlRows: 1 },
    });
    expect(await planOf('copy.csv', '--reuse=urls', '--no-network')).toMatchObject({ rows: { reused: 1 } });
    const refused = await rig.run(['plan', 'copy.csv', '--reuse=all']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--reuse=urls')]);
  });

  it('killed while it takes renders over, it goes on; nothing is rendered or paid', async () => {
    await start();
    const many = Array.from({ length: 160 }, (_, i) => image(`s${i + 1}`, { width: '64', height: '64' }));
    await rig.write('shots.csv', csv(many));
    await ok(['run', 'shots.csv', '--yes']);
    const before = jobs();
    await rig.write('again.csv', csv(many));
    const first = rig.start(['run', 'again.csv', '--yes', '--reuse']);
    const media = join(rig.out, 'again', 'media');
    await until('some are taken over', () => (existsSync(media) && readdirSync(media).length > 20 ? true : undefined));
    first.child.kill('SIGKILL');
    await first.ended;
    expect(readdirSync(media).length).toBeLessThan(160);
    await ok(['run', 'again.csv', '--yes', '--reuse']);
    expect(jobs()).toBe(before);
    const lines = results(rig, 'again') as unknown as { status: string; reused_from: string }[];
    expect(lines.filter(({ status, reused_from }) => status === 'done' && reused_from !== null)).toHaveLength(160);
  });
});

describe.skipIf(!hasTemporal() || !hasVersitygw())('renders that exist already in a bucket', () => {
  it('are copied there: none of their bytes comes to this machine', async () => {
    const server = await startS3Server();
    const proxy = await startS3Proxy(server);
    const rig = await startRig({ speed: 100 });
    try {
      const out = ['--yes', '--out', 's3://callsheet/out'];
      await rig.write('shots.csv', csv(STILLS));
      const env = server.environment;
      expect((await rig.run(['run', 'shots.csv', ...out], { env })).code).toBe(0);
      await rig.write('again.csv', csv(TWO_CHANGED));
      const before = rig.emulator.truth().jobs.length;
      const byProxy = { ...env, CALLSHEET_S3_ENDPOINT: String(proxy.access.settings.endpoint) };
      const ended = await rig.run(['run', 'again.csv', ...out, '--reuse'], { env: byProxy });
      expect(ended.code, ended.stderr).toBe(0);
      expect(rig.emulator.truth().jobs.length - before).toBe(2);
      const fetched = proxy.requests.filter((line) => /^GET [^?]*\/media\//.test(line));
      expect(fetched.filter((line) => !/again\/media\/s[12]\.png/.test(line))).toEqual([]);
      const lines = readFileSync(join(server.folder, 'out', 'again', 'results.jsonl'), 'utf8')
        .trim()
        .split('\n');
      expect(lines.filter((line) => line.includes('"reused_from":"shots/'))).toHaveLength(STILLS.length - 2);
      for (const id of ['s3', 's24']) {
        const [copy, first] = ['again', 'shots'].map((batch) =>
          readFileSync(join(server.folder, 'out', batch, 'media', `${id}.png`)),
        );
        expect(copy).toEqual(first);
      }
      const lost = join(server.folder, 'out', 'again', 'media', 's3.png');
      await createPlaces(server.access).openStore('s3://callsheet/out', 'shared').remove('again/media/s3.png');
      expect(existsSync(lost)).toBe(false);
      const whole = await rig.run(['run', 'again.csv', ...out], { env: byProxy });
      expect([whole.code, whole.stderr]).toEqual([
        0,
        expect.stringContaining('media/s3.png (gone): copied again from the source, at no cost'),
      ]);
      expect(existsSync(lost)).toBe(true);
      expect(rig.emulator.truth().jobs.length - before).toBe(2);
      expect(proxy.requests.filter((line) => /^GET [^?]*\/media\/s3/.test(line))).toEqual([]);
    } finally {
      await rig.stop();
      await proxy.stop();
      await server.stop();
    }
  });

  it('objects that were written anew or are gone are rendered again, and said; the bytes of the others stay there', async () => {
    const server = await startS3Server();
    const rig = await startRig({ speed: 100 });
    const env = server.environment;
    try {
      const out = ['--yes', '--out', 's3://callsheet/out'];
      const few = STILLS.slice(0, 5);
      await rig.write('shots.csv', csv(few));
      expect((await rig.run(['run', 'shots.csv', ...out], { env })).code).toBe(0);
      const store = createPlaces(server.access).openStore('s3://callsheet/out', 'shared');
      const media = (batch: string, id: string) =>
        readFileSync(join(server.folder, 'out', batch, 'media', `${id}.png`));
      // Of the same size: only what the bucket says of the object tells that it is another.
      const other = media('shots', 's2');
      other[other.length - 1] = (other.at(-1) ?? 0) ^ 1;
      await store.put('shots/media/s2.png', other);
      await store.remove('shots/media/s4.png');
      await rig.write('again.csv', csv(few));
      const plan = JSON.parse(
        (await rig.run(['plan', 'again.csv', '--reuse', '--json', ...out.slice(1)], { env })).stdout,
      );
      expect(plan).toMatchObject({
        rows: { toSubmit: 2, reused: 3 },
        earlier: {
          lostRows: 2,
          lost: expect.arrayContaining([
            { batch: 'shots', file: 'media/s2.png', flaw: 'changed' },
            { batch: 'shots', file: 'media/s4.png', flaw: 'gone' },
          ]),
        },
      });
      const before = rig.emulator.truth().jobs.length;
      const ended = await rig.run(['run', 'again.csv', ...out, '--reuse'], { env });
      expect(ended.code, ended.stderr).toBe(0);
      expect(ended.stderr).toContain(
        '2 earlier renders are not what was stored any more, rendered again: shots/media/s',
      );
      expect(rig.emulator.truth().jobs.length - before).toBe(2);
      for (const id of ['s1', 's3', 's5']) expect(media('again', id)).toEqual(media('shots', id));
      expect(media('again', 's2')).not.toEqual(other);
      // What was rendered again stands for the row from now on, before the object that is another.
      await rig.write('third.csv', csv(few));
      const third = await rig.run(['run', 'third.csv', ...out, '--reuse', '--max-credits', LEAST], { env });
      expect(third.code, third.stderr).toBe(0);
      expect(media('third', 's2')).toEqual(media('again', 's2'));
    } finally {
      await rig.stop();
      await server.stop();
    }
  });
});
