import { describe, expect, test } from 'vitest';
import { clipFacts } from '../../emulator/media/media-facts.js';
import { at, type BodyCase, checkCase, emulator, type Json, png, pngUri, serveFiles } from './harness.js';

const PATH = '/v1/video/generations';
const CLIP: Json = { model: 'svc-epsilon-2.5-video', prompt: 'waves at dawn', width: 1280, height: 720, duration: 1 };

function decoded(json: Json): Buffer {
  return Buffer.from(String(at(json, 'data.0.b64_json')), 'base64');
}

describe('POST /v1/video/generations (service document 1)', () => {
  test('the answer is the generated clip result, with a playable MP4 of the asked size and length', async () => {
    const emu = await emulator();
    const { status, json } = await emu.post(PATH, { ...CLIP, duration: 2.5 });
    expect(status).toBe(200);
    expect(json).toMatchObject({ model: 'svc-epsilon-2.5-video', tier: 'radical_speed' });
    expect(json.seed).toBeTypeOf('number');
    expect(at(json, 'data.0')).toMatchObject({ width: 1280, height: 720, duration: 2.5, frames: 60, frame_rate: 24 });
    expect(await clipFacts(decoded(json))).toEqual({ format: 'mp4', seconds: 2.5, width: 1280, height: 720 });
  });

  test('6 seconds of 1080p without audio where nothing is said; extra.audio adds a soundtrack', async () => {
    const emu = await emulator();
    const { json } = await emu.post(PATH, { model: 'svc-epsilon-2.3-video', prompt: 'x' });
    expect(at(json, 'data.0')).toMatchObject({ width: 1920, height: 1080, duration: 6, frames: 144 });
    const silent = decoded(json);
    const loud = decoded(
      (await emu.post(PATH, { model: 'svc-epsilon-2.3-video', prompt: 'x', extra: { audio: true } })).json,
    );
    expect(silent.includes('mp4a')).toBe(false);
    expect(loud.includes('mp4a')).toBe(true);
  });

  test('the seed of the answer, sent again, gives the same clip', async () => {
    const emu = await emulator();
    const first = (await emu.post(PATH, CLIP)).json;
    const again = (await emu.post(PATH, { ...CLIP, seed: first.seed })).json;
    expect(decoded(again).equals(decoded(first))).toBe(true);
    const other = (await emu.post(PATH, { ...CLIP, prompt: 'hills', seed: first.seed })).json;
    expect(decoded(other).equals(decoded(first))).toBe(false);
  });

  test('the alias paths behave alike (service document 1, Versioning)', async () => {
    const emu = await emulator();
    const reply = await emu.post('/v1/videos/generations', { ...CLIP, response_format: 'url' });
    expect(at(reply.json, 'data.0.url')).toMatch(/\.mp4\?/);
    const image = await pngUri(64, 64);
    expect((await emu.post('/v1/videos/animations', { ...CLIP, image_url: image })).status).toBe(200);
    expect(emu.truth().jobs.map((job) => [job.kind, job.chargedNano])).toEqual([
      ['svc/clip', 20_000_000],
      ['svc/animation', 20_000_000],
    ]);
  });

  const rows: BodyCase[] = [
    ['unknown model', { model: 'svc-epsilon-9' }, 400, /"detail"/],
    ['no prompt', { prompt: undefined }, 400, /"detail"/],
    ['1080p', { width: 1920, height: 1080 }, 200],
    ['only width', { height: undefined }, 400, /together/],
    ['a size that is not offered', { width: 1920, height: 720 }, 400, /engine_error/],
    ['larger than 1920x1080', { width: 2560, height: 1440 }, 422, /request_too_large.*2560x1440.*1920x1080/],
    ['a string as size', { width: '1280' }, 400, /integer/],
    ['duration 8', { duration: 8 }, 200],
    ['duration 8.1', { duration: 8.1 }, 400, /engine_error/],
    ['duration 0.9', { duration: 0.9 }, 400, /engine_error/],
    ['duration as a string', { duration: '5' }, 400, /"detail"/],
    ['steps', { steps: 10 }, 400, /engine_error/],
    ['guidance_scale', { guidance_scale: 1 }, 400, /engine_error/],
    ['negative_prompt', { negative_prompt: 'x' }, 400, /engine_error/],
    ['num_frames', { num_frames: 24 }, 400, /engine_error/],
    ['tier radical_speed', { tier: 'radical_speed' }, 200],
    ['another tier', { tier: 'radical_value' }, 400, /invalid_request/],
    ['another response format', { response_format: 'mp4' }, 400, /unsupported_response_format/],
    ['n 2', { n: 2 }, 400, /'n'/],
    ['audio of a wrong type', { extra: { audio: 'yes' } }, 400, /extra\.audio/],
    ['extra of a wrong type', { extra: true }, 400, /extra/],
  ];
  test('every rule has its refusal (service document 1, Errors)', async () => {
    const emu = await emulator();
    for (const row of rows) await checkCase(emu, PATH, CLIP, row);
    expect(emu.truth().jobs).toHaveLength(rows.filter((row) => row[2] === 200).length);
  });

  test('no completion within 120 seconds is 504 engine_timeout, not charged', async () => {
    const emu = await emulator({ renderSeconds: { 'svc/clip': [500, 500] } });
    const reply = await emu.post(PATH, CLIP);
    expect(reply.status).toBe(504);
    expect(at(reply.json, 'error.code')).toBe('engine_timeout');
    expect(emu.truth().jobs[0]).toMatchObject({ state: 'failed', chargedNano: 0 });
  });
});

describe('POST /v1/video/animations (service document 1)', () => {
  const path = '/v1/video/animations';
  const message = (...urls: string[]): Json => ({
    messages: [{ role: 'user', content: urls.map((url) => ({ type: 'image_url', image_url: { url } })) }],
  });

  test('one image, in messages or as image_url; every rule has its refusal', async () => {
    const image = await pngUri(64, 64);
    const files = await serveFiles({ '/a.png': await png(64, 64), '/a.txt': Buffer.from('text') });
    const emu = await emulator();
    const rows: BodyCase[] = [
      ['messages', message(image), 200],
      ['a top-level string', { image_url: image }, 200],
      ['a URL that is fetched', message(`${files}/a.png`), 200],
      ['no image', {}, 400, /"detail"/],
      ['two parts', message(image, image), 400, /engine_error/],
      ['messages and image_url', { ...message(image), image_url: image }, 400, /engine_error/],
      [
        'two messages',
        {
          messages: [
            { role: 'user', content: [] },
            { role: 'user', content: [] },
          ],
        },
        400,
        /"detail"/,
      ],
      ['another role', { messages: [{ role: 'system', content: [] }] }, 400, /role/],
      ['no parts', { messages: [{ role: 'user', content: [] }] }, 400, /"detail"/],
      ['a text part', { messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] }, 400, /type/],
      ['an http URL', message('http://images.example.com/a.png'), 400, /engine_error/],
      ['a public https URL, unseen', message('https://images.example.com/a.png'), 200],
      ['a file that is no image', message(`${files}/a.txt`), 400, /engine_error/],
      ['a file that is not there', message(`${files}/none.png`), 400, /engine_error/],
      ['steps', { ...message(image), steps: 3 }, 400, /engine_error/],
    ];
    for (const row of rows) await checkCase(emu, path, CLIP, row);
  });
});
