import { describe, expect, test } from 'vitest';
import { clipFacts } from '../../emulator/media/media-facts.js';
import {
  at,
  type BodyCase,
  checkCase,
  emulator,
  HEADERS,
  type Json,
  png,
  pollUntil,
  serveFiles,
  wav,
} from './harness.js';

const PATH = '/v1/vendor-b/v3/videos';
const CATALOG: Json = {
  type: 'avatar',
  avatar_id: 'anna',
  engine: { type: 'avatar_v' },
  script: 'Welcome to the show, everyone.',
  voice_id: 'v-amber-en',
};

async function photo(): Promise<Json> {
  const data = (await png(64, 64)).toString('base64');
  return {
    type: 'image',
    image: { type: 'base64', media_type: 'image/png', data },
    script: 'Hello.',
    voice_id: 'v-birch-en',
    resolution: '720p',
  };
}

describe('avatar video (service document 2, "Avatar video job")', () => {
  test('submit, poll, download: the states, the duration that is billed, the MP4', async () => {
    const emu = await emulator();
    const submit = await emu.post(PATH, { ...CATALOG, resolution: '720p' });
    expect(submit.status).toBe(200);
    const handle = String(at(submit.json, 'data.video_id'));
    expect(handle.length).toBeGreaterThan(220);
    expect(handle.length).toBeLessThan(240);
    expect(['waiting', 'pending']).toContain(at(submit.json, 'data.status'));
    expect(at(submit.json, 'data.output_format')).toBe('mp4');
    const seen = new Set<unknown>();
    const done = await pollUntil(
      () => emu.get(`${PATH}/${handle}`),
      (json) => {
        seen.add(at(json, 'data.status'));
        return at(json, 'data.status') === 'completed';
      },
    );
    for (const word of seen) expect(['waiting', 'pending', 'processing', 'completed']).toContain(word);
    expect(at(done, 'data.id')).toBe(handle);
    const duration = Number(at(done, 'data.duration'));
    const file = Buffer.from(await (await fetch(String(at(done, 'data.video_url')))).arrayBuffer());
    const facts = await clipFacts(file);
    expect(facts).toMatchObject({ width: 1280, height: 720 });
    expect(facts?.seconds).toBeCloseTo(duration, 2);
    expect(emu.truth().jobs[0]?.chargedNano).toBe(Math.round(duration * 50_000_000));
  });

  test.each([
    [{}, 1920, 1080],
    [{ resolution: '4k' }, 3840, 2160],
    [{ resolution: '720p', aspect_ratio: '9:16' }, 720, 1280],
    [{ resolution: '720p', aspect_ratio: '4:5' }, 720, 900],
    [{ resolution: '1080p', aspect_ratio: '5:4' }, 1350, 1080],
    [{ resolution: '4k', aspect_ratio: '1:1' }, 2160, 2160],
  ])('canvas of %j', async (change, width, height) => {
    const emu = await emulator();
    const submit = await emu.post(PATH, { ...CATALOG, ...change });
    const handle = String(at(submit.json, 'data.video_id'));
    const done = await pollUntil(
      () => emu.get(`${PATH}/${handle}`),
      (json) => at(json, 'data.status') === 'completed',
    );
    const file = Buffer.from(await (await fetch(String(at(done, 'data.video_url')))).arrayBuffer());
    expect(await clipFacts(file)).toMatchObject({ width, height });
  });

  test('the clip is as long as the audio', async () => {
    const files = await serveFiles({ '/speech.wav': wav(3.5) });
    const emu = await emulator();
    const { script: _script, voice_id: _voice, ...rest } = CATALOG;
    const submit = await emu.post(PATH, { ...rest, audio_url: `${files}/speech.wav` });
    const handle = String(at(submit.json, 'data.video_id'));
    const done = await pollUntil(
      () => emu.get(`${PATH}/${handle}`),
      (json) => at(json, 'data.status') === 'completed',
    );
    expect(at(done, 'data.duration')).toBe(3.5);
  });

  test('the input must stay reachable until the job completes', async () => {
    const files: Record<string, Buffer> = { '/speech.wav': wav(2) };
    const base = await serveFiles(files);
    const emu = await emulator({ renderSeconds: { 'vendor-b': [3000, 3000] } });
    const { script: _script, voice_id: _voice, ...rest } = CATALOG;
    const submit = await emu.post(PATH, { ...rest, audio_url: `${base}/speech.wav` });
    delete files['/speech.wav'];
    const done = await pollUntil(
      () => emu.get(`${PATH}/${String(at(submit.json, 'data.video_id'))}`),
      (json) => at(json, 'data.status') === 'failed',
    );
    expect(JSON.stringify(done)).toContain('speech.wav');
    expect(emu.truth().jobs[0]).toMatchObject({ state: 'failed', chargedNano: 0 });
  });

  test('a failed job is never charged, and its reason is in the body', async () => {
    const emu = await emulator({ failRate: 1 });
    const submit = await emu.post(PATH, CATALOG);
    const done = await pollUntil(
      () => emu.get(`${PATH}/${String(at(submit.json, 'data.video_id'))}`),
      (json) => at(json, 'data.status') === 'failed',
    );
    expect(at(done, 'data.failure_message')).toBeTypeOf('string');
    expect(at(done, 'data.video_url')).toBeUndefined();
    expect(emu.truth().account.balance.now).toBe('100');
  });

  test('every rule has its refusal, nothing charged (service document 2, "Avatar video: POST body" and Errors)', async () => {
    const files = await serveFiles({ '/a.png': await png(64, 64), '/a.wav': wav(1), '/a.txt': Buffer.from('x') });
    const emu = await emulator({ plan: 'enterprise' });
    const rows: BodyCase[] = [
      ['no type', { type: undefined }, 400, /"detail"/],
      ['another type', { type: 'video' }, 400, /"detail"/],
      ['no avatar_id', { avatar_id: undefined }, 400, /avatar_id/],
      ['no engine', { engine: undefined }, 400, /engine/],
      ['another engine', { engine: { type: 'avatar_iv' } }, 400, /engine\.type/],
      ['no speech', { script: undefined, voice_id: undefined }, 400, /speech/],
      ['script without voice_id', { voice_id: undefined }, 400, /voice_id/],
      ['a voice that is not listed', { voice_id: 'v-none' }, 400, /voice_id/],
      ['both speech sources', { audio_url: 'https://media.example.com/a.wav' }, 400, /one speech source/],
      ['audio on a public host, unseen', { script: undefined, audio_url: 'https://media.example.com/a.wav' }, 200],
      ['audio by http', { script: undefined, audio_url: 'http://media.example.com/a.wav' }, 400, /HTTPS/],
      [
        'audio that cannot be downloaded',
        { script: undefined, audio_url: `${files}/none.wav` },
        400,
        /invalid_parameter.*doc_url/,
      ],
      ['audio that is none', { script: undefined, audio_url: `${files}/a.txt` }, 400, /invalid_parameter/],
      ['resolution 480p', { resolution: '480p' }, 400, /unsupported_resolution/],
      ['another ratio', { aspect_ratio: '21:9' }, 400, /aspect_ratio/],
      ['ratio auto', { aspect_ratio: 'auto' }, 200],
    ];
    for (const row of rows) await checkCase(emu, PATH, CATALOG, row);
    const good = await photo();
    const image = good.image as Json;
    const photoRows: BodyCase[] = [
      ['inline photo', {}, 200],
      ['photo by URL', { image: { type: 'url', url: `${files}/a.png` } }, 200],
      ['photo that is not there', { image: { type: 'url', url: `${files}/none.png` } }, 400, /invalid_parameter/],
      ['photo that is none', { image: { type: 'url', url: `${files}/a.txt` } }, 400, /invalid_parameter/],
      ['no image', { image: undefined }, 400, /image/],
      ['engine with a photo', { engine: { type: 'avatar_v' } }, 400, /engine/],
      ['no media_type', { image: { ...image, media_type: undefined } }, 400, /media_type/],
      ['no data', { image: { ...image, data: undefined } }, 400, /data/],
      ['a data: prefix', { image: { ...image, data: `data:image/png;base64,${String(image.data)}` } }, 400, /prefix/],
      ['no url', { image: { type: 'url' } }, 400, /url/],
    ];
    for (const row of photoRows) await checkCase(emu, PATH, good, row);
    expect(emu.truth().jobs).toHaveLength([...rows, ...photoRows].filter((row) => row[2] === 200).length);
  });

  test("another account's handle is 409, an unknown one 404 (service document 2, Errors)", async () => {
    const emu = await emulator({
      keys: [
        { key: 'sk-svc-emulator', state: 'active' },
        { key: 'sk-svc-second', state: 'active', account: 'second' },
      ],
    });
    const handle = String(at((await emu.post(PATH, CATALOG)).json, 'data.video_id'));
    expect((await emu.get(`${PATH}/${handle}`, { ...HEADERS, 'x-api-key': 'sk-svc-second' })).status).toBe(409);
    expect((await emu.get(`${PATH}/unknown`)).status).toBe(404);
  });
});
