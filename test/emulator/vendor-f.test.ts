import { describe, expect, test } from 'vitest';
import { clipFacts } from '../../emulator/media/media-facts.js';
import { at, type BodyCase, checkCase, emulator, eventually, type Json, png, pollUntil } from './harness.js';

const MODELS = '/v1/vendor-f/v1beta/models';
const STANDARD = `${MODELS}/vendor-f-3.1-generate-preview:predictLongRunning`;
const LITE = `${MODELS}/vendor-f-3.1-lite-generate-preview:predictLongRunning`;
const OPERATIONS = '/v1/vendor-f/v1beta/operations';
const BODY: Json = { instances: [{ prompt: 'a tram in the rain' }] };

describe('vendor-f (service document 2, "Operation of vendor-f")', () => {
  test('submit returns only the name; the operation ends with the URL of an MP4', async () => {
    const emu = await emulator();
    const submit = await emu.post(STANDARD, { ...BODY, parameters: { durationSeconds: 6, resolution: '1080p' } });
    expect(Object.keys(submit.json)).toEqual(['name']);
    const name = String(submit.json.name);
    expect(name.length).toBeGreaterThan(250);
    expect(name).not.toContain('operations/');
    const done = await pollUntil(
      () => emu.get(`${OPERATIONS}/${name}`),
      (json) => {
        if (json.done === false) {
          expect(json).not.toHaveProperty('error');
          expect(json).not.toHaveProperty('response');
        }
        return json.done === true;
      },
    );
    const uri = String(at(done, 'response.generateVideoResponse.generatedSamples.0.video.uri'));
    const file = Buffer.from(await (await fetch(uri)).arrayBuffer());
    expect(await clipFacts(file)).toEqual({ format: 'mp4', seconds: 6, width: 1920, height: 1080 });
    expect(file.includes('mp4a')).toBe(true);
  });

  test('the price is reserved at submit and refunded when the job fails (service document 2, Limits)', async () => {
    const emu = await emulator({ speed: 100, failRate: 1 });
    const submit = await emu.post(STANDARD, BODY);
    expect(emu.truth().account.balance.now).toBe('98.4');
    const done = await pollUntil(
      () => emu.get(`${OPERATIONS}/${String(submit.json.name)}`),
      (json) => json.done === true,
    );
    expect(at(done, 'error.message')).toBeTypeOf('string');
    expect(done).not.toHaveProperty('response');
    expect(emu.truth().account.balance.now).toBe('100');
    expect(emu.truth().account.money.map((event) => event.kind)).toEqual(['start', 'reserve', 'refund']);
  });

  test('the URL expires about one hour after completion', async () => {
    const emu = await emulator({ speed: 20_000 });
    const submit = await emu.post(LITE, { ...BODY, parameters: { durationSeconds: 4 } });
    const done = await pollUntil(
      () => emu.get(`${OPERATIONS}/${String(submit.json.name)}`),
      (json) => json.done === true,
    );
    const uri = String(at(done, 'response.generateVideoResponse.generatedSamples.0.video.uri'));
    await eventually(async () => (await fetch(uri)).status === 403);
  });

  test('every rule has its refusal, never charged (service document 2, vendor-f submit body)', async () => {
    const emu = await emulator({ plan: 'enterprise' });
    const bytes = (await png(64, 64)).toString('base64');
    const image = { bytesBase64Encoded: bytes, mimeType: 'image/png' };
    const withImage = (change: Json): Json => ({ instances: [{ prompt: 'x', image: { ...image, ...change } }] });
    const rows: BodyCase[] = [
      ['defaults', {}, 200],
      ['no instances', { instances: undefined }, 400, /instances/],
      ['no instance', { instances: [] }, 400, /instances/],
      ['two instances', { instances: [{ prompt: 'x' }, { prompt: 'y' }] }, 400, /instances/],
      ['no prompt', { instances: [{}] }, 400, /prompt/],
      ['an image', withImage({}), 200],
      ['no mimeType', withImage({ mimeType: undefined }), 400, /mimeType/],
      ['no bytes', withImage({ bytesBase64Encoded: undefined }), 400, /bytesBase64Encoded/],
      ['a data: prefix', withImage({ bytesBase64Encoded: `data:image/png;base64,${bytes}` }), 400, /prefix/],
      ['an inlineData wrapper', { instances: [{ prompt: 'x', image: { inlineData: image } }] }, 400, /inlineData/],
      ['duration 5', { parameters: { durationSeconds: 5 } }, 400, /4, 6 or 8/],
      ['duration as a string', { parameters: { durationSeconds: '8' } }, 400, /integer/],
      ['4k', { parameters: { resolution: '4k' } }, 200],
      ['480p', { parameters: { resolution: '480p' } }, 400, /resolution/],
    ];
    for (const row of rows) await checkCase(emu, STANDARD, BODY, row);
    await checkCase(emu, LITE, BODY, ['4k on lite', { parameters: { resolution: '4k' } }, 400, /lite/]);
    await checkCase(emu, LITE, BODY, ['1080p on lite', { parameters: { resolution: '1080p' } }, 200]);
    await checkCase(emu, `${MODELS}/other:predictLongRunning`, BODY, ['unknown model', {}, 400, /vendor-f-3\.1-fast/]);
    expect((await emu.get(`${OPERATIONS}/none`)).status).toBe(404);
  });

  test('the interaction route takes any object, is synchronous and is billed per request (service document 1)', async () => {
    const emu = await emulator();
    const reply = await emu.post('/v1/vendor-f/v1beta/interactions', { input: 'a red bicycle' });
    expect(reply.status).toBe(200);
    expect(emu.truth().jobs[0]).toMatchObject({ kind: 'vendor-f/interaction', chargedNano: 40_000_000 });
    expect(emu.truth().account.maxima.jobsAtOnce).toBe(0);
  });
});
